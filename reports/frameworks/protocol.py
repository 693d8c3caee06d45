"""Serves one framework's LayerNorm and RMSNorm by properties/plug_in/PROTOCOL.md, and writes down what stands with the table."""
import contextlib
import ctypes
import json
import mmap
import os
import struct
import sys
import time

import numpy as np

import description
import preload

THREADS = int(os.environ.get("NORMCHECK_FRAMEWORK_THREADS", "1"))
FORMATS = ["f32", "f16", "bf16"]
REQUEST = "<4sI5B3xQQdQ"


def mxcsr_control():
    """The control bits of this thread's MXCSR (rounding, masks, flush to zero, subnormals as zero), or None outside x86-64."""
    if os.uname().machine != "x86_64":
        return None
    with mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC) as code:
        code.write(bytes.fromhex("0fae1fc3"))  # stmxcsr [rdi]; ret
        entry, value = ctypes.c_char.from_buffer(code), ctypes.c_uint32()
        ctypes.CFUNCTYPE(None, ctypes.c_void_p)(ctypes.addressof(entry))(ctypes.addressof(value))
        del entry
    return f"0x{value.value & 0xFFC0:04x}"


MXCSR_AT_IMPORT = mxcsr_control()


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
        self.op = ["layer_norm", "rms_norm"][op]
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


def reply(number, status, data):
    sys.stdout.buffer.write(struct.pack("<4sIIIQ", b"NCRP", number, status, 0, len(data)) + data)
    sys.stdout.buffer.flush()


def answer(call, function):
    y = np.ascontiguousarray(function(call))
    if y.dtype != call.types[2] or y.shape != call.x.shape:
        raise Unsupported(f"gives {y.dtype} {y.shape} for {call.formats}")
    return y.tobytes()


def write_facts(facts):
    """One JSON file a process in the folder that NORMCHECK_FRAMEWORK_FACTS names, at most five times a second: normcheck ends the
    program without asking it."""
    folder, now = os.environ.get("NORMCHECK_FRAMEWORK_FACTS"), time.monotonic()
    if not folder or now - facts.get("written", 0.0) < 0.2:
        return
    facts |= {"written": now, "mxcsr_after": mxcsr_control()}
    partial = os.path.join(folder, f"{os.getpid()}.partial")
    with open(partial, "w", encoding="utf-8") as out:
        json.dump(facts, out)
    os.replace(partial, partial.replace(".partial", ".json"))


def serve(name, release, ops, formats, function, epsilon="f64", supports="absent-gamma-beta", bf16="<u2", no_beta=""):
    """Describes the kernel, then gives function(Call) -> y for each request until stdin ends.

    function raises Unsupported for what the framework lacks; any other exception is told as an error of the call, which is a finding.
    epsilon: the format to which the framework rounds epsilon; the case is judged with that. no_beta: the ops that have none."""
    if "NORMCHECK_FRAMEWORK_PRELOAD" in os.environ:
        preload.serve_forks(os.environ["NORMCHECK_FRAMEWORK_PRELOAD"])
    facts = {"name": name, "release": release, "threads": THREADS, "epsilon": epsilon, "mxcsr_before": MXCSR_AT_IMPORT,
             "elements": 0, "seconds": 0.0, "unsupported": {}}
    described = description.Described(name, release, ops, formats, epsilon, supports, no_beta)
    sys.stdout.buffer.write(description.text(described).encode())
    sys.stdout.buffer.flush()
    while True:
        header = struct.unpack(REQUEST, read(48))
        call = Call(header, read(header[-1]), bf16)
        try:
            begin = time.perf_counter()
            data = answer(call, function)
            facts["seconds"] += time.perf_counter() - begin
            facts["elements"] += call.x.size
            write_facts(facts)
            reply(call.number, 0, data)
        except Unsupported as reason:
            reasons = facts["unsupported"].setdefault(f"{call.op} {call.formats}", [])
            reasons += [line for line in [str(reason).strip().splitlines()[0][:200]] if line not in reasons and len(reasons) < 4]
            write_facts(facts)
            reply(call.number, 1, str(reason).encode()[:4096])
        except Exception as error:  # pylint: disable=broad-except
            reply(call.number, 2, f"{type(error).__name__}: {error}".encode()[:4096])
