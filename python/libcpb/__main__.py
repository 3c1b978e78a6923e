"""``python -m libcpb``: the command ``cpb`` that was installed with this package, or else that of PATH."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig

NAME = "cpb"


def main() -> None:
    program = shutil.which(NAME, path=sysconfig.get_path("scripts")) or shutil.which(NAME)
    if program is None:
        sys.exit("python -m libcpb: there is no program cpb, neither beside this Python nor in PATH")
    os.execv(program, [NAME, *sys.argv[1:]])


main()
