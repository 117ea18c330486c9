"""A server whose responses a test defines: newer, broken, or overloaded."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeAlias

import grpc
from google.protobuf import any_pb2
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2

Reply: TypeAlias = Callable[[bytes, grpc.ServicerContext], bytes]


@contextmanager
def fake_server(reply: Reply) -> Iterator[str]:
    """Starts a server that answers every message with `reply`, and yields its address."""
    server = grpc.server(ThreadPoolExecutor(max_workers=4), [Handler(reply)])
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        server.stop(grace=None).wait()


class Handler(grpc.GenericRpcHandler):
    """Answers with bytes, so that responses can contain what the contract does not have."""

    def __init__(self, reply: Reply) -> None:
        self.reply = reply

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> "grpc.RpcMethodHandler[bytes, bytes]":
        if handler_call_details.method.endswith("/Evaluate"):
            return grpc.stream_stream_rpc_method_handler(self.reply_to_each)
        return grpc.unary_unary_rpc_method_handler(self.reply)

    def reply_to_each(self, messages: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
        for message in messages:
            yield self.reply(message, context)


def refuse(context: grpc.ServicerContext, code: grpc.StatusCode, reason: str, *details: Message) -> Any:
    """Refuses a call as the service does."""
    status = status_pb2.Status(code=code.value[0], message="no")
    for detail in (error_details_pb2.ErrorInfo(reason=reason, domain="arbiter.v1"), *details):
        if isinstance(detail, any_pb2.Any):
            status.details.append(detail)
        else:
            status.details.add().Pack(detail)
    context.set_trailing_metadata((("grpc-status-details-bin", status.SerializeToString()),))
    context.abort(code, status.message)
