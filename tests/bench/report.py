"""What the programs here measured: printed as it comes, and kept in a file."""

import os
import platform
import re
import sys
import textwrap


class Report:
    """Lines of Markdown. `write` keeps the text of the file above the tables."""

    def __init__(self, rounds):
        self.lines = []
        cpu = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "?")
        self(f"Measured with {rounds} rounds on {os.cpu_count()} cores of {cpu}, {platform.system()}.\n")

    def __call__(self, line):
        print(line, flush=True)
        self.lines.append(line if line.startswith(("|", "#")) or "\n|" in line else wrapped(line))

    def write(self, path, program, title):
        mark = f"<!-- tables: tests/bench/{program} -->"
        head = path.read_text().split(mark)[0] if path.exists() else f"# {title}\n\n"
        path.write_text(head + mark + "\n\n" + "\n".join(self.lines).rstrip("\n") + "\n")

    def write_section(self, path):
        """The one section, in the place of what the file has by its title."""
        text = path.read_text()
        section = "\n".join(self.lines[1:]).rstrip("\n") + "\n"
        old = re.search(rf"^{re.escape(section.splitlines()[0])}\n.*?(?=^## |\Z)", text, re.M | re.S)
        if not old:
            sys.exit(f"{path} has no section {section.splitlines()[0]}")
        path.write_text((text[:old.start()] + section + "\n" + text[old.end():]).rstrip("\n") + "\n")


def wrapped(text):
    """A paragraph, which may end in an empty line, in lines of 100 columns."""
    return textwrap.fill(text, 100) + "\n" * text.endswith("\n")
