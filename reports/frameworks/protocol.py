"""Serves one framework's LayerNorm and RMSNorm by properties/plug_in/PROTOCOL.md, and writes down what stands with the table."""
import ctypes
import json
import mmap
import os
import struct
import sys
import time

import description
import preload

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
from normcheck.protocol import REQUEST, Call, Unsupported, answer, read, reply, stdout_aside  # noqa: E402, F401

THREADS = int(os.environ.get("NORMCHECK_FRAMEWORK_THREADS", "1"))


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
