"""A gRPC server that answers what it was asked, by grpcio. It listens on the port that is its argument."""

import asyncio
import sys

import grpc


async def echo(request, _context):
    return request


async def serve(port):
    server = grpc.aio.server()
    handler = grpc.unary_unary_rpc_method_handler(echo)
    server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler("bench.Echo", {"Say": handler})])
    server.add_insecure_port(f"127.0.0.1:{port}")
    await server.start()
    await server.wait_for_termination()


asyncio.run(serve(sys.argv[1]))
