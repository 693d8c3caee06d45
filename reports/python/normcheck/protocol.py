"""properties/plug_in/PROTOCOL.md as it is spoken by a kernel in Python: requests in, replies out."""
import contextlib
import os
import struct
import sys

import numpy as np

FORMATS = ["f32", "f16", "bf16"]
OPS = ["layer_norm", "rms_norm", "l2_norm"]
REQUEST = "<4sI5B3xQQdQ"


@contextlib.contextmanager
def stdout_aside():
    """What is printed meanwhile goes to stderr: stdout carries the protocol."""
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        sys.stdout.flush()
        os.dup2(kept, 1)
        os.close(kept)


class Unsupported(Exception):
    """What the framework does not have; the reply says so."""


class Call:
    """One request: x (rows, width), gamma and beta (width, or None), as arrays; bf16 in the type that serve() was given."""

    def __init__(self, header, data, bf16):
        _, self.number, op, x, param, y, flags, self.rows, self.width, self.epsilon, _ = header
        self.op = OPS[op]
        self.types = [[np.dtype("<f4"), np.dtype("<f2"), np.dtype(bf16)][fmt] for fmt in (x, param, y)]
        self.formats = "/".join(FORMATS[fmt] for fmt in (x, param, y))
        sizes = [self.rows * self.width, self.width * (flags & 1), self.width * (flags >> 1 & 1)]
        ends = np.cumsum([count * kind.itemsize for count, kind in zip(sizes, [self.types[0]] + [self.types[1]] * 2)])
        arrays = [np.frombuffer(data[begin:end], kind) for begin, end, kind in
                  zip([0, *ends], ends, [self.types[0]] + [self.types[1]] * 2)]
        self.x = arrays[0].reshape(self.rows, self.width)
        self.gamma = arrays[1] if flags & 1 else None
        self.beta = arrays[2] if flags & 2 else None

    def gamma_or_ones(self):
        """For an op that requires gamma: times 1 is exact."""
        if self.gamma is not None:
            return self.gamma
        return np.full(self.width, 0x3F80 if self.types[1] == np.uint16 else 1, self.types[1])

    def without_beta(self):
        """For an op that has no beta: goes on where beta is absent or 0, since y + 0 is y (either zero is right)."""
        if self.beta is not None and np.any(self.beta.astype(np.float32)):
            raise Unsupported("the op has no beta")


def read(count):
    data = sys.stdin.buffer.read(count)
    return data if len(data) == count else sys.exit(0)


def reply_bytes(number, status, data):
    return struct.pack("<4sIIIQ", b"NCRP", number, status, 0, len(data)) + data


def reply(number, status, data):
    sys.stdout.buffer.write(reply_bytes(number, status, data))
    sys.stdout.buffer.flush()


def answer(call, function):
    y = np.ascontiguousarray(function(call))
    if y.dtype != call.types[2] or y.shape != call.x.shape:
        raise Unsupported(f"gives {y.dtype} {y.shape} for {call.formats}")
    return y.tobytes()
