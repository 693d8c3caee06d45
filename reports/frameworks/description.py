"""The description that an adapter gives first (properties/plug_in/PROTOCOL.md), as text."""
import dataclasses
import os


@dataclasses.dataclass(frozen=True)
class Described:
    """`no_beta`: the ops that have gamma and no beta."""
    name: str
    release: str
    ops: str
    formats: str
    epsilon: str
    supports: str
    no_beta: str = ""


def asked_ops(ops):
    """The ops that NORMCHECK_FRAMEWORK_OPS leaves of those served; without it all."""
    wanted = os.environ.get("NORMCHECK_FRAMEWORK_OPS", ops).split()
    return [op for op in ops.split() if op in wanted]


def text(of):
    """A trait holds for all ops of a kernel: no-beta is stated where none of those that are asked has one."""
    ops = asked_ops(of.ops)
    lines = ["normcheck 1", f"name {of.name}", f"release {of.release}", f"ops {' '.join(ops)}", f"formats {of.formats}", f"epsilon {of.epsilon}"]
    lines += [f"supports {of.supports}"] if of.supports else []
    lines += ["traits no-beta"] if ops and set(ops) <= set(of.no_beta.split()) else []
    return "\n".join(lines) + "\n\n"
