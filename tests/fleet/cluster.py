"""A cluster on this machine, for the tests and for bench/fleet-engines: a real Slurm, and a real sshd on many loopback addresses.

Root, and Debian's slurmctld, slurmd, munge and openssh-server. Each node of Slurm is in a mount namespace with its own /usr/local and /tmp.
"""
import contextlib
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import time

SLURM_TOOLS = ("slurmctld", "slurmd", "srun", "munged", "unshare")
SSH_TOOLS = ("sshd", "ssh", "ssh-keygen")


def toolkit(local, version):
    folder = local / f"cuda-{version.rsplit('.', 1)[0]}"
    (folder / "bin").mkdir(parents=True)
    (folder / "version.json").write_text(json.dumps({"cuda": {"name": "CUDA SDK", "version": version}}))


def free_ports(amount):
    """Below those that the kernel gives to outgoing connections, one of which could take the port before the daemon does."""
    ports = []
    with contextlib.ExitStack() as open_ones:
        for port in random.sample(range(20000, 32000), 12000):
            one = open_ones.enter_context(socket.socket())
            with contextlib.suppress(OSError):
                one.bind(("127.0.0.1", port))
                ports.append(port)
            if len(ports) == amount:
                return ports
    raise RuntimeError("no free ports")


class Slurm:
    """Each node sees what is in roots/NODE, if there is such a folder, as root. What is different: n03 another toolkit, n05 none, n09 a second one, n07 a variable."""

    def __init__(self, work, amount):
        self.work, self.daemons = work, {}
        self.nodes = [f"n{i:02}" for i in range(1, amount + 1)]
        self.environment = {**os.environ, "SLURM_CONF": str(work / "slurm.conf")}
        self.environment.pop("LD_LIBRARY_PATH", None)

    def configure(self):
        host, ports = socket.gethostname().split(".")[0], free_ports(len(self.nodes) + 1)
        for folder in ("state", "spool", "log"):
            (self.work / folder).mkdir()
        prolog = self.work / "prolog"
        prolog.write_text('#!/bin/sh\n[ "$SLURMD_NODENAME" != n07 ] || echo export LD_LIBRARY_PATH=/opt/planted\n')
        prolog.chmod(0o755)
        lines = ["ClusterName=fleet", f"SlurmctldHost={host}(127.0.0.1)", f"SlurmctldPort={ports[-1]}", "ProctrackType=proctrack/pgid",
                 "TaskPlugin=task/none", "ReturnToService=2", "SlurmUser=root", "SlurmdUser=root", "AuthType=auth/munge",
                 f"AuthInfo=socket={self.work}/munge.sock", f"StateSaveLocation={self.work}/state",
                 f"SlurmdSpoolDir={self.work}/spool/%n", f"SlurmctldPidFile={self.work}/ctld.pid", f"SlurmdPidFile={self.work}/%n.pid",
                 f"SlurmctldLogFile={self.work}/log/ctld", f"SlurmdLogFile={self.work}/log/%n", "JobAcctGatherType=jobacct_gather/none",
                 "AccountingStorageType=accounting_storage/none", "SelectType=select/cons_tres", "SlurmdTimeout=300", "KillWait=2",
                 f"TaskProlog={prolog}", "PartitionName=p Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:4"]
        lines += [f"NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=1 State=UNKNOWN"
                  for node, port in zip(self.nodes, ports)]
        (self.work / "slurm.conf").write_text("\n".join(lines) + "\n")

    def start(self):
        self.configure()
        key = self.work / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        os.chmod(self.work, 0o755)
        self.spawn("munged", "munged", "--foreground", "--force", f"--key-file={key}", f"--socket={self.work}/munge.sock",
                   f"--pid-file={self.work}/munge.pid", f"--log-file={self.work}/log/munge", f"--seed-file={self.work}/munge.seed")
        time.sleep(1)
        self.spawn("slurmctld", "slurmctld", "-D")
        for node in self.nodes:
            local, tmp = self.work / "local" / node, self.work / "tmp" / node
            local.mkdir(parents=True)
            tmp.mkdir(parents=True)
            if node != "n05":
                toolkit(local, "12.2.1" if node == "n03" else "12.4.1")
            if node == "n09":
                toolkit(local, "11.8.0")
            (self.work / "spool" / node).mkdir()
            root = self.work / "roots" / node
            (self.work / "root").mkdir(exist_ok=True)
            self.spawn(node, "unshare", "--mount", "sh", "-c", 'mount --bind "$1" /usr/local && mount --bind "$2" /tmp && '
                       '{ [ ! -d "$4" ] || mount --bind "$4" "$5"; } && exec slurmd -D -N "$3"', "sh", local, tmp, node, root, self.work / "root")
        for _ in range(90):
            time.sleep(1)
            states = subprocess.run(["sinfo", "-h", "-N", "-o", "%N %T"], env=self.environment, capture_output=True, text=True).stdout
            if states.count(" idle") == len(self.nodes):
                return
        raise RuntimeError("Slurm does not start: " + states)

    def spawn(self, name, *command):
        out = open(self.work / "log" / f"{name}.out", "wb")
        self.daemons[name] = subprocess.Popen([str(word) for word in command], env=self.environment, stdout=out, stderr=out,
                                              start_new_session=True)

    def stop(self):
        for process in reversed(self.daemons.values()):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGCONT)
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        for place in pathlib.Path("/proc").glob("[0-9]*/environ"):  # steps leave the group of their daemon
            with contextlib.suppress(OSError):
                if f"SLURM_CONF={self.work}/".encode() in place.read_bytes():
                    os.kill(int(place.parent.name), signal.SIGKILL)


class Sshd:
    """Every loopback address is a node, with its own /tmp. `planted`: the environment of some, by address. One with STUCK takes files and
    never answers."""

    def __init__(self, work, planted):
        for name in ("host", "user"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", work / name], check=True)
        self.port = free_ports(1)[0]
        config = [f"Port {self.port}", "ListenAddress 0.0.0.0", f"HostKey {work}/host", f"AuthorizedKeysFile {work}/user.pub",
                  "PermitRootLogin yes", "StrictModes no", "MaxStartups 400", "PidFile none",
                  "Subsystem sftp /usr/lib/openssh/sftp-server", f"ForceCommand {work}/session"]
        self.tmp = work / "tmp"
        session = work / "session"
        session.write_text(f"""#!/bin/sh
set -- $SSH_CONNECTION
mkdir -p "{self.tmp}/$3"
case $STUCK$SSH_ORIGINAL_COMMAND in yes*snapshot*) exec sleep 600 ;; esac
exec unshare --mount sh -c 'mount --bind "$1" /tmp && exec sh -c "$SSH_ORIGINAL_COMMAND"' sh "{self.tmp}/$3"
""")
        session.chmod(0o755)
        for address, variables in planted.items():
            words = " ".join(f'"{name}={value}"' for name, value in variables.items())
            config += [f"Match LocalAddress {address}", f"  SetEnv {words}"]
        (work / "sshd.conf").write_text("\n".join(config) + "\n")
        pathlib.Path("/run/sshd").mkdir(exist_ok=True)
        self.process = subprocess.Popen([shutil.which("sshd"), "-D", "-f", work / "sshd.conf"], stderr=subprocess.DEVNULL)
        # As ssh and scp both read them.
        self.options = [f"-oPort={self.port}", f"-oIdentityFile={work}/user", "-oStrictHostKeyChecking=no",
                        "-oUserKnownHostsFile=/dev/null", "-oLogLevel=ERROR"]
        time.sleep(1)

    def stop(self):
        self.process.kill()
        self.process.wait()
