"""The program of tests/run/ranks_test.py and tests/fleet/ranks_test.py: eight ranks, each with its own fate. Rank 5 fails first; 0, 1,
3 and 7 lose it, 0 and 1 of them on one GPU; 2 waits to be stopped; 4 ends well; 6 is killed together with culprit. They meet by
files in $MEET. With $SPARE, 6 ends well, too."""

import os
import subprocess

RANKS = r"""
import ctypes, os, pathlib, signal, sys, time
rank, meet = int(os.environ["SLURM_PROCID"]), pathlib.Path(os.environ["MEET"])

def wait(*names):
    until = time.monotonic() + 100
    while not all((meet / name).exists() for name in names) and time.monotonic() < until:
        time.sleep(0.02)

ctypes.CDLL("libnccl.so.2")
bus = 18000 if rank < 2 else 1000 * (rank + 20)
print(f"n:1:1 [0] NCCL INFO ncclCommInitRank comm 0x1 rank {rank} nranks 8 cudaDev 0 nvmlDev 0 busId {bus} commId 0x2 - Init START", flush=True)
(meet / f"here-{rank}").touch()
wait(*[f"here-{other}" for other in range(8)])
if rank == 5:
    (meet / "failing").touch()
    print("Traceback (most recent call last):\n  File \"train.py\", line 1, in <module>\nKeyError: 'lr'", file=sys.stderr)
    sys.exit(3)
wait("failing")
time.sleep(0.3)
if rank in (0, 1, 3, 7):
    print(f"[rank{rank}]:[E1 ProcessGroupNCCL.cpp:629] [Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=12, "
          "OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600081 milliseconds before timing out.", file=sys.stderr)
    sys.exit(1)
if rank == 2:
    (meet / "pid-2").write_text(str(os.getppid()))
    (meet / "ready-2").touch()
    time.sleep(200)
if rank == 6 and "SPARE" not in os.environ:
    os.kill(os.getppid(), signal.SIGKILL)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def stubs(folder):
    """Two folders with a library of NCCL's name, an old one and a new one."""
    made = []
    for version in ("2.18.3", "2.21.5"):
        place = folder / f"nccl-{version}"
        place.mkdir()
        library = place / f"libnccl.so.{version}"
        subprocess.run([os.environ.get("CC", "cc"), "-shared", "-nostdlib", "-Wl,-soname,libnccl.so.2", "-x", "c", "/dev/null", "-o", library],
                       check=True)
        (place / "libnccl.so.2").symlink_to(library.name)
        made.append(place)
    return made
