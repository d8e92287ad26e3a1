#!/usr/bin/env python3
"""type_in_zsh.py FOLDER LINE: what LINE becomes when Tab is pressed in a zsh that starts in FOLDER and has its _culprit."""
import os
import pty
import re
import select
import sys
import time

folder, line = sys.argv[1:]
SETUP = ("PS1='> '; unsetopt promptsp zle_bracketed_paste; fpath=($PWD $fpath); autoload -U compinit && compinit -u -d $PWD/dump; "
         "show() { print -r -- \"<$BUFFER>\"; }; zle -N show; bindkey '^X' show; print rea''dy\n")
child, terminal = pty.fork()
if child == 0:
    os.chdir(folder)
    os.environ.update(TERM="dumb", ZDOTDIR=folder, COLUMNS="200")
    os.execvp("zsh", ["zsh", "-f", "-i"])


def read_until(pattern):
    seen, until = "", time.monotonic() + 60
    while time.monotonic() < until:
        if select.select([terminal], [], [], 0.1)[0]:
            seen += os.read(terminal, 65536).decode("utf-8", "replace")
        found = re.search(pattern, seen)
        if found:
            return found
    sys.exit("no answer from zsh: " + repr(seen))


os.write(terminal, SETUP.encode())
read_until("ready\r?\n")
os.write(terminal, (line + "\t\x18").encode())
print(read_until("<(.*?)>")[1].rstrip(" "))
os.close(terminal)
