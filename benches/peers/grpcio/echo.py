"""A gRPC echo server with grpcio. The argument is the port.

Uses as many threads as the examples of grpcio. With asyncio it used more CPU time per call.
"""

import sys
from concurrent import futures

import grpc


def echo(request, _context):
    return request


server = grpc.server(futures.ThreadPoolExecutor(max_workers=10))
handler = grpc.unary_unary_rpc_method_handler(echo)
server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler("bench.Echo", {"Say": handler})])
server.add_insecure_port(f"127.0.0.1:{sys.argv[1]}")
server.start()
server.wait_for_termination()
