"""A GraphDef of large constants, and what came of fine-tuning it: some of them are others."""

import random

from support.big_graph import attr, field, node, tensor


def constant(name, content):
    return field(1, node(name, "Const", (), attr("dtype", field(6, 1)) + attr("value", field(8, tensor(content)))))


def graph(count, size, tuned=None):
    """Constants of `size` bytes each, and some nodes. `tuned`: for a constant's number what makes it another one."""
    out = []
    for i in range(count):
        content = random.Random(1000 * i + (tuned or {}).get(i, 0)).randbytes(size)
        out.append(constant(f"layer_{i}/w", content) + field(1, node(f"layer_{i}/y", "Mul", [f"layer_{i}/w", "x"])))
    return b"".join(out)
