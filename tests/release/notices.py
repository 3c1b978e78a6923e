"""The notices that come with a file of a release."""

import html
import re
import tarfile
from pathlib import Path


def text_of(name):
    """LICENSE, as it comes with the file."""
    if name.endswith(".wasm"):
        return Path("wasm/LICENSE").read_text()
    if name.endswith(".html"):
        return html.unescape(Path(name).read_text())
    inside = "package/dist/licences/libcpb.txt" if name.endswith(".tgz") else "[^/]+/LICENSE"
    with tarfile.open(name) as archive:
        member = next(member for member in archive if re.fullmatch(inside, member.name))
        return archive.extractfile(member).read().decode()


def rows_of(listing):
    """What is listed: name to all that is said of it."""
    rows = [" ".join(row.split()) for row in re.split(r"\n(?=\S+ {2,})", listing)[1:]]
    return {row.split()[0].lower(): row for row in rows}


def is_named(component, row, texts):
    """Whether a row has holder and licence, and the licence's text is there."""
    holder = component["copyrightText"].replace("NONE", "")
    licences = [name for name in re.split(" OR | WITH ", component["licenseDeclared"]) if name in row]
    without_text = ("Apache-2.0", "CC0-1.0")  # at the top of the file; none is asked for
    return bool(licences) and holder in row and all(
        name in without_text or re.search(rf"^(BSD-3-Clause \()?{name}\b", texts, re.M) for name in licences)


def missing(name, components):
    """Those of the components that the notices of a file do not name."""
    text = text_of(name)
    assert "Apache License" in text, name
    listing, texts = re.split(r"\n(?=MIT\n)", text.split("Third-party software")[1])
    rows = rows_of(listing)
    titles = {"compiler-rt": "llvm"}
    return [component["name"] for component in components
            if not is_named(component, rows.get(titles.get(component["name"], component["name"]), ""), texts)]
