"""The inputs of public bug reports, typed by hand from the numbers that the reports state; make_cases.py writes the files.

A number is an int, a Fraction, or text: a decimal that is rounded once to the element's format, "inf", "-inf", "nan".
An expected value is a decimal as text (good to its last digits), an int or Fraction (exact in y's format), "nan", or None.
"""
from collections import namedtuple
from fractions import Fraction

Bug = namedtuple("Bug", "row slug source op x_format param_format y_format rows width epsilon x gamma beta pitch y_pitch expected")
BUGS = []
LAYER, RMS = "layer_norm", "rms_norm"


def bug(row, slug, source, x, expected=None, op=LAYER, x_format="f32", y_formats=None, rows=1, epsilon="1e-5", gamma=None,
        beta=None, param_format=None, pitch=None, y_pitch=None, width=None):
    """Adds one case for every format of y; 16-bit inputs are read out in their own format and in f32."""
    for y_format in y_formats or ([x_format] if x_format == "f32" else [x_format, "f32"]):
        BUGS.append(Bug(row, slug, source, op, x_format, param_format or x_format, y_format, rows, width, epsilon, x, gamma,
                        beta, pitch, y_pitch, expected))


def again(row, slug, source, rows):
    """Adds the cases of other rows under this row's number: another project met the same input."""
    for old in [b for b in BUGS if b.row in rows]:
        BUGS.append(old._replace(row=row, slug=slug, source=source))


def ends(first, last, length):
    """Expected values at both ends of a long row, none stated between."""
    return first + [None] * (length - len(first) - len(last)) + last


def pairs(first, second, count):
    return [first, second] * count


P = Fraction
NAN4 = ["nan"] * 4
X70 = [1, 2, -2, 4]
X6, Y6 = ["2000.125", "2000.5", "1998.5", "2001"], ["0.100055032", "0.50027516", "-1.63423219", "1.033902"]
Y1 = ["-1.34163542", "-0.447211807", "0.447211807", "1.34163542"]
Y28 = ["0.632455532", "-0.632455532", "1.26491106", "-1.26491106"]

# A. Cancellation in the variance, and a mean that is not exact
for base in (40000, 80000):
    bug(1, "onnxruntime-28463", "onnxruntime issue 28463: E[x^2] - E[x]^2 goes negative at a large offset, output NaN.",
        [base + i for i in range(4)], Y1)
bug(2, "onnxruntime-21935", "onnxruntime issue 21935: negative one-pass variance on a constant row.", [1234] * 256, [0] * 256)
bug(3, "tvm-19592", "tvm issue 19592: one-pass variance at offset 80000, the input that failed in onnxruntime too.",
    [80000 + i for i in range(4)], Y1)
bug(4, "mlx-2238", "mlx issue 2238: one-pass variance on values near 1449; gamma and beta of the report left out.",
    "1449.570556640625 1448.8741455078125 1450.650390625 1449.2633056640625 1449.7763671875 1449.317138671875 "
    "1449.3297119140625 1449.077880859375 1449.2181396484375 1449.4329833984375 1449.1605224609375 1449.413330078125 "
    "1449.7933349609375 1450.066650390625 1449.7762451171875 1450.364990234375".split(),
    ends(["0.00580958269", "-1.49220937", "2.32859234", "-0.655104298", "0.448519477", "-0.539306515"], ["1.71468028"], 16))
for offset, y0 in ((0, "-1.34164"), (100, "-1.34153"), (1000, "-1.34151"), (10000, "-1.33133")):
    bug(5, "burn-5607", "burn issue 5607: one-pass variance, and a mean rounded to f32, on a ramp of step 0.001 at an offset.",
        [offset + P(i, 1000) for i in range(16)], ends([y0], [], 16))
bug(6, "pytorch-51102", "pytorch issue 51102: one-pass variance off by 14 % without any NaN.", X6, Y6)
bug(7, "pytorch-40302", "pytorch issue 40302: one-pass variance collapses to 0 and only epsilon is left.",
    pairs("100.01", "99.99", 16), pairs("0.953481101", "-0.953481101", 16))
bug(8, "tensorflow-3290", "tensorflow issue 3290: a negative variance handed to the user on a constant row.", ["1000.1"] * 5,
    [0] * 5)
bug(9, "trt-samples-88", "trt-samples-for-hackathon-cn issue 88: negative one-pass variance on a long row, one element off.",
    [256] * 10239 + [255], ["0.00941238443"] * 10239 + ["-96.3734042"])
bug(10, "jax-30426", "jax issue 30426: one-pass variance more negative than epsilon can repair.",
    [-11, -11 - P(3, 2**20), -11 - P(2, 2**20)], ["0.000502630468", "-0.000402104375", "-0.000100526094"])
again(11, "jax-37281", "jax issue 37281: one-pass variance whose error changes from build to build.", [6])
bug(12, "tt-metal-45968", "tt-metal issue 45968: one-pass variance in bfloat16, lost at a mean of 50 sigma.",
    "4.90625 5.09375 4.875 5.125 4.96875 5.03125 5.0625 4.9375".split(),
    ["-1.09469806", "1.09469806", "-1.45959741", "1.45959741", "-0.364899352", "0.364899352", "0.729798704", "-0.729798704"],
    x_format="bf16")
bug(13, "openvino-36587", "openvino PR 36587: one-pass variance proposed as an optimisation.",
    [10000 + P(k, 2) for k in (-1, 1, -1, 1, 1, -1, 2, -2)],
    [("-" if k < 0 else "") + ("0.755920307" if abs(k) == 1 else "1.51184061") for k in (-1, 1, -1, 1, 1, -1, 2, -2)])
bug(14, "onnxruntime-31973", "onnxruntime PR 31973: centred variance around a mean that f32 sums got wrong.",
    [10**7 + i % 2 for i in range(4096)], pairs("-0.999980001", "0.999980001", 2048))
bug(15, "tt-metal-47791", "tt-metal PR 47791: the running mean of Welford's method drifts in f32.",
    [10**6 + P(37 * i % 65 - 32, 16) for i in range(1024)], ends(["-1.70644494", "0.265488628", "-1.22678542"], [], 1024))
bug(15, "tt-metal-47791", "tt-metal PR 47791: a mean rounded to f32 hides half of an alternating row.",
    pairs(10**6, 10**6 + P(1, 16), 256), pairs("-0.994918989", "0.994918989", 256))
bug(16, "sherpa-onnx-3857", "sherpa-onnx PR 3857: a nearly constant column explodes; its own formula adds epsilon after the root.",
    ["-15.9424"] * 99 + ["-15.9"])
bug(16, "sherpa-onnx-3857", "sherpa-onnx PR 3857: the constant column of the same report.", ["-15.9424"] * 100, [0] * 100)
again(17, "cntk-3816", "CNTK issue 3816: epsilon after the root leaves the root of a negative variance.", [8])
bug(18, "tensorflow-25115", "tensorflow PR 25115: a test that shared the one-pass formula with the code under test.",
    pairs(9999, 10001, 8), pairs("-0.999995000", "0.999995000", 8))
again(19, "keras-core-866", "keras-core PR 866, flax PR 3693, equinox PR 314: one-pass variance by default, its sign clipped.",
      [1, 6, 7])
again(20, "paddle-74060", "Paddle PR 74060: one-pass variance seen only as a few bad elements in 2e9.", [6])

# B. Constant rows, rows of one element, folded scale and bias
for epsilon in ("1e-8", "1e-6", "1e-1"):
    bug(22, "pytorch-73161", "pytorch issue 73161: x*s - m*s contracted to a fused multiply-add is not 0 on a row of one.",
        ["-0.8"], [0], epsilon=epsilon)
bug(23, "pytorch-108072", "pytorch issue 108072: folded scale and bias under -mfma on a constant row.", [14, 14], [0, 0],
    epsilon="1e-6")
bug(24, "pytorch-5410", "pytorch issue 5410: the f32 mean of equal values is another value.", [6606115328] * 100, [0] * 100)
for epsilon, y in (("1e-5", 0), ("1e-12", 0), ("0", "nan")):
    bug(24, "pytorch-5410", "pytorch issue 5410: the f32 mean of equal values is another value; undefined where epsilon is 0.",
        ["0.1"] * 10, [y] * 10, epsilon=epsilon)
bug(25, "pytorch-108956", "pytorch issue 108956: a row of one element is 0, which was reported as a fault (control).", ["0.1"], [0])
bug(25, "pytorch-108956", "pytorch issue 108956: a row of one element is beta whatever gamma is (control).", ["0.1"], [P(3, 4)],
    gamma=[2], beta=["0.75"])
for value in (1, 0):
    bug(26, "ncnn-5336", "ncnn issue 5336: rows of all ones or all zeros judged by relative error.", [value] * 7, [0] * 7)
bug(27, "tensorflow-58146", "tensorflow issue 58146: epsilon dominates the variance, which was reported as a fault (control).",
    ["0.09484422", "0.16441762"], ["-0.739955917", "0.739955917"], epsilon="1e-3")

# C. Overflow and underflow; infinities and NaN
bug(28, "pytorch-162489", "pytorch issue 162489: squares of 1e30 overflow f32.", ["1e30", "-1e30", "2e30", "-2e30"], Y28)
bug(29, "tt-metal-55159", "tt-metal issue 55159: squares overflow f32 in RMSNorm, output silently 0.", ["3e19", "-4e19"],
    ["0.848528157", "-1.13137083"], op=RMS, epsilon="1e-6")
bug(30, "tt-metal-56404", "tt-metal PR 56404: squares of tiny values are subnormal.", ["3e-23", "-4e-23"],
    ["0.848528166", "-1.13137083"], op=RMS, epsilon="0")
bug(30, "tt-metal-56404", "tt-metal PR 56404: squares of tiny values vanish beside epsilon.", ["1e-25"] * 2,
    ["1.00000002e-22"] * 2, op=RMS, epsilon="1e-6")
bug(30, "tt-metal-56404", "tt-metal PR 56404: squared deviations of tiny values vanish in LayerNorm.",
    ["1e-30", "3e-30", "-2e-30", "2e-30"], ["0", "1.06904497", "-1.60356745", "0.534522484"], epsilon="0")
for size, y in ((512, "0.999999999981"), (256, "0.999999999924")):
    bug(31, "mlx-4228", "mlx issue 4228: squares taken in half overflow, output all 0.",
        [size * (-1) ** (i // 8 + i) for i in range(64)], [y if (i // 8 + i) % 2 == 0 else "-" + y for i in range(64)],
        x_format="f16")
bug(32, "pytorch-133085", "pytorch PR 133085, LeetCUDA PR 335, nntrainer issue 3935, ROCm triton PR 633: half squares of 300.",
    [300] * 8, [1] * 8, op=RMS, x_format="f16", epsilon="1e-6")
bug(33, "openvino-35976", "openvino PR 35976: the half sum of squares overflows, or sticks, by the length of the row alone.",
    pairs(1, -1, 32896), ends([1, -1] * 4, [1, -1] * 4, 65792), x_format="f16", y_formats=["f16"])
bug(34, "onnxruntime-29034", "onnxruntime issue 29034: x*x/N overflows half element by element.", [7616] * 4 + [0] * 764,
    ["13.8564065"] * 4 + [0] * 764, op=RMS, x_format="f16", epsilon="1e-6")
bug(35, "tensorflow-47156", "tensorflow issue 47156: the sum behind the mean overflows half.", [2000] * 32 + [2002] * 32,
    ["-0.999995000038"] * 32 + ["0.999995000038"] * 32, x_format="f16")
bug(35, "tensorflow-47156", "tensorflow issue 47156: the mean of values near half's largest.", [60000, 60032, 60064, 60096],
    ["-1.34164078", "-0.447213594", "0.447213594", "1.34164078"], x_format="f16")
bug(35, "tensorflow-47156", "tensorflow issue 47156: half's largest values of both signs.", pairs(65504, -65504, 2),
    pairs(1, -1, 2), x_format="f16")
bug(36, "keras-22586", "keras issue 22586: f32 input narrowed to half before the norm.", [60000, 70000], [-1, 1],
    epsilon="1e-12")
bug(37, "brainchop-56", "brainchop-cli PR 56: the square taken in half, then added to an f32 sum.", [940, -940, 470, -470],
    ["1.26491106", "-1.26491106", "0.632455532", "-0.632455532"], x_format="f16")
again(38, "onnxruntime-31626", "onnxruntime issue 31626, TensorRT issue 2564, pytorch/TensorRT issue 4061: half squares overflow "
      "in the unfused path only.", [31])
bug(39, "openvino-37041", "openvino PR 37041: an infinity times a reciprocal root of 0 in RMSNorm.", ["inf", 1, 2, 3],
    ["nan", 0, 0, 0], op=RMS, epsilon="1e-6")
for special in ("inf", "nan"):
    bug(40, "pytorch-173885", "pytorch issue 173885: back ends disagree about a row with an infinity or a NaN.",
        [special, 1, 2, 3], NAN4, x_format="f16", y_formats=["f16"])
bug(41, "pytorch-190417", "pytorch issue 190417: a row of one infinity is no longer beta.", ["-inf"], ["nan"])

# D. Epsilon
bug(42, "pytorch-41527", "pytorch issue 41527: epsilon vanishes in half on a row of zeros.", [0] * 10, [0] * 10, x_format="f16",
    epsilon="1e-12", gamma=[1] * 10, beta=[0] * 10)
bug(43, "deepspeed-581", "DeepSpeed issue 581: variance + epsilon narrowed to half on a constant row.", [3] * 8, [0] * 8,
    x_format="f16", epsilon="1e-12")
bug(44, "pytorch-86580", "pytorch issue 86580: epsilon narrowed to half when the model is stored.", [1] * 4, [0] * 4,
    x_format="f16", epsilon="1e-8")
bug(45, "tensorflow-24979", "tensorflow PR 24979: the caller's epsilon silently raised to 1e-3.", [1, 1 + P(1, 1024), 1, 1],
    ["-0.577348655", "1.73204596", "-0.577348655", "-0.577348655"], x_format="f16", epsilon="1e-12")
for op in (LAYER, RMS):
    bug(46, "tensorflow-61287", "tensorflow issue 61287: 0/0 on a batch of zero rows with epsilon 0; undefined, NaN by policy.",
        [0] * 12, ["nan"] * 12, op=op, rows=3, epsilon="0")
bug(47, "axlearn-21", "apex PR 1295, TransformerEngine PR 364, gpt-neox PR 1342, axlearn PR 21: epsilon outside the root.",
    ["3e-5"], ["0.287347880"], op=RMS, epsilon="1e-8")
bug(47, "axlearn-21", "apex PR 1295, TransformerEngine PR 364, gpt-neox PR 1342, axlearn PR 21: epsilon outside the root.",
    ["1e-3", "-1e-3"], ["0.301511361", "-0.301511361"])
for x, y in (("1e-4", "0.0316069767"), ("1e-3", "0.301511361"), (0, 0)):
    bug(48, "tt-metal-55347", "tt-metal issue 55347: the special case of a one-element row drops epsilon.", [x], [y], op=RMS)
bug(49, "tensorflow-8090", "tensorflow issues 8090 and 37768, onnxruntime PR 2680: the library clamps epsilon to 1e-5.",
    ["1e-4", "-1e-4"], ["0.999950004", "-0.999950004"], epsilon="1e-12")
bug(50, "aprender-1606", "aprender PR 1606: epsilon hard-coded to 1e-5.", ["0.02", "-0.02"], ["0.998752339", "-0.998752339"],
    op=RMS, epsilon="1e-6")
bug(52, "minimind-301", "minimind issue 301: the square taken in half, then widened.", ["1e-4"] * 8, ["0.0995200672"] * 8,
    op=RMS, x_format="f16", epsilon="1e-6")
bug(53, "onnxruntime-10228", "onnxruntime issue 10228: one back end has no epsilon.", [0] * 4, [0] * 4)
bug(54, "tplinker-37", "TPlinker-joint-extraction issue 37: (var + epsilon)**2 in place of the root.", [0, 4],
    ["-0.99999875", "0.99999875"])

# E. Shapes, tails, strides, absent parameters
bug(55, "triton-9838", "triton issue 9838, unsloth PR 1867, Liger-Kernel issue 518: padded lanes enter the variance (3 in 4 lanes).",
    [1, 2, 6], ["-0.925819108", "-0.462909554", "1.38872866"])
bug(55, "triton-9838", "triton issue 9838, unsloth PR 1867, Liger-Kernel issue 518: padded lanes enter the variance (17 in 32).",
    [10 + P(i, 16) for i in range(17)], ends(["-1.63290608"], [], 17))
bug(56, "aiter-5044", "aiter issue 5044: the tail store of an odd half row runs into the next row.", list(range(769)) * 7,
    ends([0, "0.00225454071"], ["1.73148726"], 769) * 7, op=RMS, x_format="f16", y_formats=["f16"], rows=7, epsilon="1e-6")
bug(57, "onnxruntime-17943", "onnxruntime PR 17943: a row of 320 read by the code for 384.", list(range(320)),
    ends(["-1.7266465787"], ["1.7266465787"], 320))
bug(59, "vllm-xpu-131", "vllm-xpu-kernels PR 131: pitch 34 changes the alignment from row to row (the report states no values).",
    [i % 7 - 3 + r for r in range(4) for i in range(33)], rows=4, pitch=34, y_pitch=34)
bug(60, "tilelang-890", "tilelang-ascend issue 890: a tail block of one element.", [i % 7 - 3 for i in range(513)],
    ends(["-1.49817397939"], [], 513), op=RMS)
for rows, width in ((0, 10), (3, 0)):
    bug(61, "tensorflow-46366", "tensorflow issue 46366, torch-xpu-ops PR 4378, pytorch issue 78444: no rows, or no width.", [],
        [], rows=rows, width=width)
bug(62, "flaggems-5474", "FlagGems PR 5474: rows and width taken from dimension 0 of a 52x7x64 tensor (364 rows of 64).",
    [(7 * r + 5 * i) % 11 - 5 for r in range(364) for i in range(64)], rows=364)
bug(63, "lightllm-1467", "LightLLM issue 1467: the stride used in one of two passes; here the gathered rows at unequal pitches.",
    [1, 3, 5, 2, 4, 6], ["0.292770009", "0.878310028", "1.46385005", "0.462910037", "0.925820075", "1.38873011"], op=RMS, rows=2,
    epsilon="1e-6", pitch=5, y_pitch=4)
bug(68, "paddle-74055", "Paddle PR 74055, LeetCUDA issue 390: a row too long for the fast path is left unwritten.",
    pairs(1, 3, 32768) + [1], ends(["-0.999979741674", "1.00001025863"] * 2, ["1.00001025863", "-0.999979741674"], 65537))
bug(69, "tt-metal-43350", "tt-metal issue 43350: pitch padding counted into the mean square, 49 of 64.", [1] * 98,
    ["0.9999995"] * 98, op=RMS, rows=2, epsilon="1e-6", pitch=64, y_pitch=64)
Y70 = [["-0.115469931", "0.346409792", "-1.5011091", "1.27016924"], ["-0.230939861", "0.692819584", "-3.0022182", "2.54033847"],
       ["2.88453007", "3.34640979", "1.4988909", "4.27016924"], ["2.76906014", "3.69281958", "-0.00221819742", "5.54033847"]]
for (gamma, beta), y in zip(((None, None), ([2] * 4, None), (None, [3] * 4), ([2] * 4, [3] * 4)), Y70):
    bug(70, "pytorch-69208", "pytorch issue 69208, MindAct issue 2132, Paddle PR 54669: gamma or beta absent.", X70, y,
        gamma=gamma, beta=beta)
bug(71, "onnxruntime-28424", "onnxruntime issue 28424: a half row with a bias alone, read as another argument.", X70, Y70[2],
    x_format="f16", beta=[3] * 4)
bug(71, "onnxruntime-28424", "onnxruntime issue 28424: gamma and beta taken for each other.", X70, Y70[3], x_format="f16",
    gamma=[2] * 4, beta=[3] * 4)
bug(71, "onnxruntime-28424", "onnxruntime issue 28424: row 70 with the values of gamma and beta exchanged.", X70,
    ["1.65359021", "3.03922938", "-2.5033273", "5.81050771"], gamma=[3] * 4, beta=[2] * 4)
bug(72, "flash-attention-781", "flash-attention issue 781: workspace not initialised, a row of zeros (forward part).", [0] * 4,
    [0] * 4, op=RMS)
bug(74, "litert-torch-718", "litert-torch issue 718: only the first four elements of 1x4x4x4 written; beta of our own.", [1] * 64,
    [P(1, 2), -1, 2, P(1, 4)] * 16, rows=16, gamma=[2, 3, -1, 5], beta=["0.5", -1, 2, "0.25"])

# F. Element types and roundings
for x, gamma, x_format, y in ((["10.0625", "9.3125"], "1.125", "bf16", "1.16767386"),
                              ([P(39, 4), 15], "1.12890625", "f16", "0.870081817")):
    bug(75, "transformers-30236", "transformers issue 30236, PRs 25421 and 29974: one rounding, or one before gamma and one after.",
        x, [y, None], op=RMS, x_format=x_format, param_format="f32", epsilon="1e-6", gamma=[gamma, 1])
again(77, "vllm-42325", "vllm issue 42325: specification and kernel round in different places.", [75])
bug(80, "pytorch-109188", "pytorch issues 109188, 77507, 76052: bfloat16 sums stop growing at 256.", [1] * 512 + [3] * 512,
    [-1] * 512 + [1] * 512, x_format="bf16", epsilon="0")
bug(82, "openxla-10875", "openxla PR 10875: bfloat16 gamma handed to a reader of f32; x of row 70.", X70,
    [Y70[0][0], Y70[1][1], "-4.5033273", "5.08067695"], x_format="bf16", gamma=[1, 2, 3, 4])

# G. Compiler modes
for op in (LAYER, RMS):
    bug(89, "glow-2073", "glow issue 2073: NaN checks removed by finite-math, a row with a NaN must stay NaN.", ["nan", 1, 2, 3],
        NAN4, op=op)
again(90, "marian-689", "marian-dev PR 689: fast-math wanted for vector sums, infinities and NaN lost with it.", [39, 40, 41])

# H. Batch and order
bug(91, "sglang-28787", "sglang PR 28787, RL-Kernel issue 145: a row's result depends on its batch; neighbours with NaN and infinity.",
    X6 + ["nan", 1, 2, 3] + X6 + [1, "inf", 2, "-inf"] + X6, Y6 + NAN4 + Y6 + NAN4 + Y6, rows=5)
bug(40, "pytorch-173885", "pytorch issue 173885: a row with an infinity must leave its neighbours alone.",
    X70 + ["inf", 1, 2, 3] + X70, Y70[0] + NAN4 + Y70[0], x_format="f16", y_formats=["f16"], rows=3)
bug(93, "pytorch-186577", "pytorch issue 186577: a tiny difference seen through relative error near 0 (control).",
    [-1, 1, P(1, 2**20), P(-1, 2**21)], ["-1.41419959", "1.41419925", "1.18009996e-6", "-8.42928541e-7"])

# J. Tests that could not fail
for epsilon, y in (("0", ["0.365148372", "0.730296743", "1.09544512", "-1.46059349"]),
                   ("1e-12", ["0.0588260763", "0.117652153", "0.176478229", "-0.235304305"])):
    bug(104, "surogate-162", "surogate issue 162: the test copied the code's own conversion of half subnormals.",
        [P(k, 2**24) for k in (1, 2, 3, -4)], y, op=RMS, x_format="f16", epsilon=epsilon)

# K. The second list, reports of 2023 to 2026: its ids n01 to n21 are rows 105 to 118 here
bug(105, "pytorch-190491", "pytorch issue 190491, PR 186367: one-pass variance, taken for 0 below 1e-6.",
    ["-9.9e-4", "-9.9e-4", "9.9e-4", "9.9e-4"], ["-0.999999489848"] * 2 + ["0.999999489848"] * 2, epsilon="1e-12")
bug(105, "pytorch-190491", "pytorch issue 190491, PR 186367: one-pass variance, taken for 0 below 1e-6, on an offset.",
    [1, "1.001", "0.999", 1], ["-1.92370450e-5", "1.29101733", "-1.29097885", "-1.92370450e-5"], epsilon="1e-7")
bug(106, "leetcuda-309", "LeetCUDA issue 309: epsilon added to the width in place of the variance; the input is derived.",
    ["1e-3", "-1e-3", "3e-3", "-3e-3"], ["0.258198903", "-0.258198903", "0.774596679", "-0.774596679"])
bug(107, "tim-vx-589", "TIM-VX PR 589: epsilon read through a wrong type is always 0; a constant row among others.",
    [-2, 2] * 3 + [-2, 0, 2] * 2 + [2] * 6 + [0, 1, 2, 3, 4, 5],
    ["-0.999998750", "0.999998750"] * 3 + ["-1.22474258", 0, "1.22474258"] * 2 + [0] * 6 +
    ["-1.46384760", "-0.878308560", "-0.292769520", "0.292769520", "0.878308560", "1.46384760"], rows=4)
for x, y in (([0, 4], "0.999998750"), ([-1, 1], "0.999995000")):
    bug(108, "tt-mlir-8561", "tt-mlir issue 8561, onnxruntime PR 29878, tt-metal PR 45578: gamma and beta alias the statistics; "
        "mean 0 and variance 1 hide it.", x, ["-" + y, y])
bug(109, "pytorch-image-models-2741", "pytorch-image-models PR 2741: a fused result falls into the fallback, normalised twice; "
    "gamma of ones hides it.", X70, ["0.399999968", "1.59999987", "-2.39999981", "6.39999949"], op=RMS, epsilon="1e-6",
    gamma=[1, 2, 3, 4])
bug(110, "tt-metal-49600", "tt-metal issue 49600: operands of f32 cut to TF32 (11 bits); the input is derived.",
    [P(37 * i % 2027 - 1013, 1000) * (40 if i % 512 == 0 else 1) for i in range(2048)],
    ends(["-28.4783197", "-0.685953604", "-0.659949215", "-0.633944827"], ["-0.243878996", "-0.217874607", "-0.191870218"], 2048),
    op=RMS, epsilon="1e-6")
bug(111, "llm-c-852", "llm.c PR 852: right for ten calls, then the first output is wrong; here the row of one such call.", X70,
    Y70[0])
bug(112, "kernelbench-165", "KernelBench issue 165: zeros pass an absolute tolerance of 1e-2 where all outputs are small.",
    [1, 2, -2, 4, 1, -1, 3, P(1, 2)], ["0.00183506298", "0.00367012597", "-0.00367012597", "0.00734025193", "0.00183506298",
                                       "-0.00183506298", "0.00550518895", "0.000917531492"],
    op=RMS, epsilon="1e-6", gamma=[P(1, 256)] * 8)
bug(113, "onnxruntime-32627", "onnxruntime issue 32627, PR 32629: half x with f32 gamma, beta and y; the value goes through half "
    "before the scale.", ["10.0625", "9.3125", "7.5", "8.25"], ["1.53699805", "0.687495992", "-1.39827031", "0.0208364555"],
    x_format="f16", param_format="f32", y_formats=["f32"], gamma=["1.1", "0.9", "1.3", "0.7"], beta=["0.1", "0.2", "0.3", "0.4"])
bug(114, "onnxruntime-26407", "onnxruntime issue 26407: axis -1 not resolved, statistics down a column; one row hides it.",
    [1, 3, 5, 2, 4, 6, 20, 40, 60], ["-1.22474258", 0, "1.22474258"] * 2 + ["-1.22474485", 0, "1.22474485"], rows=3)
bug(115, "unsloth-10675", "unsloth PR 10675: gamma and beta of stride 2 read as packed; here packed, as the call has them.", X70,
    ["-0.115469931", "1.69281958", "-4.50332730", "6.08067695"], gamma=[1, 2, 3, 4], beta=[0, 1, 0, 1])
bug(116, "llm-foundry-372", "llm-foundry PR 372: divided by the reciprocal root; a mean square of 1 nearly hides it.", X70,
    ["0.399999968", "0.799999936", "-0.799999936", "1.59999987"], op=RMS, epsilon="1e-6")
bug(117, "llm-scaler-510", "llm-scaler PR 510: wrong at a width of 53248.", [1] * 32768 + [3] * 20480,
    ends(["0.495260496"] * 4, ["1.48578149"] * 4, 53248), op=RMS, epsilon="1e-6")
bug(118, "vllm-36779", "vllm PR 36779: the test's buffer of scales was too small, and the kernel wrote into the weights.",
    [1] * 64, ["1.99999900"] * 64, op=RMS, epsilon="1e-6", gamma=[2] * 64)
