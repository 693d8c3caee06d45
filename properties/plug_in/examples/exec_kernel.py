"""LayerNorm, RMSNorm and L2 norm in numpy as a program for normcheck (PROTOCOL.md): --kernel 'exec:python3 exec_kernel.py'."""
import struct
import sys

import numpy as np

TYPES = ["<f4", "<f2", "<u2"]  # f32, f16, and bf16 as its bits


def widened(data, fmt):
    values = np.frombuffer(data, TYPES[fmt])
    return ((values.astype("<u4") << 16).view("<f4") if fmt == 2 else values).astype(np.float64)


def narrowed(values, fmt):
    if fmt < 2:
        return values.astype(TYPES[fmt]).tobytes()
    bits = values.astype("<f4").view("<u4")
    rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
    return np.where(np.isnan(values), 0x7FC0, rounded).astype("<u2").tobytes()


def read(count):
    data = sys.stdin.buffer.read(count)
    return data if len(data) == count else sys.exit(0)


def write(*parts):
    sys.stdout.buffer.write(b"".join(parts))
    sys.stdout.buffer.flush()


np.seterr(all="ignore")
write(b"normcheck 1\nname numpy_norm\nops layer_norm rms_norm l2_norm\nformats f32 f16 bf16 f16/f32/f16 bf16/f32/bf16\n"
      b"contract row-ulp:1\nsupports absent-gamma-beta statistics\n\n")
while True:
    _, number, op, x_fmt, param_fmt, y_fmt, flags, rows, width, epsilon, size = struct.unpack("<4sI5B3xQQdQ", read(48))
    data = read(size)
    sizes = [rows * width * (4 if x_fmt == 0 else 2)] + [width * (4 if param_fmt == 0 else 2) * (flags >> i & 1) for i in (0, 1)]
    x = widened(data[:sizes[0]], x_fmt).reshape(rows, width)
    gamma = widened(data[sizes[0]:sizes[0] + sizes[1]], param_fmt) if flags & 1 else 1.0
    beta = widened(data[sizes[0] + sizes[1]:], param_fmt) if flags & 2 else 0.0
    mean = x.sum(axis=1, keepdims=True) / width if op == 0 else np.zeros((rows, 1))
    count = 1 if op == 2 else width
    inv_std_dev = 1 / np.sqrt(np.square(x - mean).sum(axis=1, keepdims=True) / count + epsilon)
    out = [narrowed(gamma * ((x - mean) * inv_std_dev) + beta, y_fmt)]
    out += [narrowed(values, 0) for flag, values in ((4, mean), (8, inv_std_dev)) if flags & flag]
    write(struct.pack("<4sIIIQ", b"NCRP", number, 0, 0, sum(map(len, out))), *out)
