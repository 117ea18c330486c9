"""A TLS proxy for a server without TLS."""

import asyncio
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def tls_proxy(upstream: str, context: ssl.SSLContext) -> Iterator[int]:
    """Starts a proxy to the server at `upstream`, and yields its port."""
    context.set_alpn_protocols(["h2"])
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    proxy = Proxy(upstream)
    try:
        yield asyncio.run_coroutine_threadsafe(proxy.start(context), loop).result()
    finally:
        asyncio.run_coroutine_threadsafe(proxy.stop(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


class Proxy:
    """Forwards bytes in both directions."""

    def __init__(self, upstream: str) -> None:
        self.host, self.port = upstream.split(":")
        self.connections: set[asyncio.Task[None]] = set()

    async def start(self, context: ssl.SSLContext) -> int:
        self.server = await asyncio.start_server(self.connected, "127.0.0.1", 0, ssl=context)
        port: int = self.server.sockets[0].getsockname()[1]
        return port

    async def stop(self) -> None:
        self.server.close()
        for connection in self.connections:
            connection.cancel()
        await asyncio.gather(*self.connections, return_exceptions=True)

    def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = asyncio.ensure_future(self.forward(reader, writer))
        self.connections.add(connection)
        connection.add_done_callback(self.connections.discard)

    async def forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        up_reader, up_writer = await asyncio.open_connection(self.host, self.port)
        try:
            await asyncio.gather(pump(reader, up_writer), pump(up_reader, writer))
        finally:
            for end in (writer, up_writer):
                end.close()
            for end in (writer, up_writer):
                with suppress(OSError):
                    await end.wait_closed()


async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Forwards bytes in one direction."""
    with suppress(OSError):
        while data := await reader.read(1 << 16):
            writer.write(data)
            await writer.drain()
    writer.close()
