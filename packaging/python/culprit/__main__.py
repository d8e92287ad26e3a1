"""python -m culprit ...: the native program, with the same arguments."""
import os
import subprocess
import sys

from ._program import NAME, find


def main() -> int:
    program = find()
    if program is None:
        print(f"culprit: the program {NAME} was not found, neither next to this Python nor on PATH", file=sys.stderr)
        return 2
    command = [program, *sys.argv[1:]]
    if os.name != "nt":
        os.execv(program, command)
    return subprocess.call(command)


sys.exit(main())
