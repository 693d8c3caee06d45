"""Runs the command line on a function of this process: requests come by a socket, the function is called here."""
import contextlib
import os
import pathlib
import selectors
import shlex
import socket
import struct
import subprocess
import sys

from normcheck import protocol, server, tool

RELAY = pathlib.Path(__file__).with_name("relay.py")
PATIENCE = "3600"  # seconds for one call of a function that may compile first; the user interrupts earlier


class Served:
    """A function as the kernel of one run of the command line."""

    def __init__(self, fn, op, dtypes, contract):
        self.fn, self.op, self.elements, self.shapes = fn, op, 0, set()
        self.description = server.description(fn, op, server.formats_of(fn, dtypes), contract).encode()

    def greet(self, listener, events, lines):
        line = lines.enter_context(listener.accept()[0])
        line.sendall(self.description)
        events.register(line, selectors.EVENT_READ)

    def answer(self, line, events):
        """One request; the function's own exceptions go through to the caller."""
        header = _exactly(line, 48)
        fields = struct.unpack(protocol.REQUEST, header) if header else None
        data = _exactly(line, fields[-1]) if fields else None
        if data is None:
            events.unregister(line)
            line.close()
            return
        request = protocol.Call(fields, data, server.BFLOAT16 or "<u2")
        try:
            status, data = 0, server.call(self.fn, request, self.op)
            self.elements += request.x.size
            self.shapes.add(request.x.shape)
        except (protocol.Unsupported, NotImplementedError) as reason:
            status, data = 1, (str(reason) or "not implemented").encode()[:4096]
        with contextlib.suppress(ConnectionError):  # a worker that was ended meanwhile is greeted anew
            line.sendall(protocol.reply_bytes(request.number, status, data))

    def run(self, arguments, folder):
        """Exit code, stdout and stderr of the command line, with this function as --kernel. Files go to the folder."""
        path = os.path.join(folder, "socket")
        kernel = "exec:" + shlex.join([sys.executable, "-I", "-S", str(RELAY), path])
        command = [tool.path(), *arguments, "--kernel", kernel]
        environment = {**os.environ, "NORMCHECK_TIME_LIMIT": PATIENCE}
        with socket.socket(socket.AF_UNIX) as listener, open(os.path.join(folder, "stderr"), "w+", encoding="utf-8") as stderr:
            listener.bind(path)
            listener.listen()
            with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stderr, stdin=subprocess.DEVNULL, cwd=folder, env=environment) as process:
                try:
                    out = self.serve_until_end(listener, process)
                except BaseException:
                    process.kill()
                    raise
            stderr.seek(0)
            return process.returncode, out.decode(), stderr.read()

    def serve_until_end(self, listener, process):
        out = b""
        # Closed lines end the relays, also where the function raised.
        with contextlib.ExitStack() as lines, selectors.DefaultSelector() as events:
            events.register(listener, selectors.EVENT_READ)
            events.register(process.stdout, selectors.EVENT_READ)
            while True:
                for key, _ in events.select():
                    if key.fileobj is listener:
                        self.greet(listener, events, lines)
                    elif key.fileobj is process.stdout:
                        data = os.read(process.stdout.fileno(), 1 << 16)
                        if not data:
                            return out
                        out += data
                    else:
                        self.answer(key.fileobj, events)


def _exactly(line, count):
    """count bytes, or None where the other side has ended."""
    data = bytearray()
    while len(data) < count:
        try:
            more = line.recv(min(count - len(data), 1 << 20))
        except ConnectionError:
            return None
        if not more:
            return None
        data += more
    return bytes(data)
