"""What the program says now: one question for every kind of answer in JSON, on this machine. Used by schemas_test.py."""
import json
import os
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
HOST = "driver=550.54.14,gpu=sm_90"
RECIPE = "FROM nvidia/cuda:12.4.1-runtime-ubuntu22.04\nRUN nvcc -o a a.cu\n"
LOG = "RuntimeError: CUDA error: no kernel image is available for execution on the device\n"


class Live:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.empty, self.seeds = folder / "empty", ROOT / "fuzz" / "corpus"

    def tell(self, *words, text=None):
        """The answer that the program gives."""
        with tempfile.NamedTemporaryFile(suffix=".json") as answer:
            command, *rest = map(str, words)
            run = subprocess.run([self.program, command, "--format", "json", "--output", answer.name, *rest], input=text or "",
                                 capture_output=True, text=True, timeout=120, check=False,
                                 env={**os.environ, "SOURCE_DATE_EPOCH": "1800000000"})
            written = pathlib.Path(answer.name).read_text()
        if not written or (run.returncode not in (0, 1, 2) and command != "run"):  # run ends as its command does
            raise AssertionError(f"{words}: exit status {run.returncode}: {run.stderr}")
        return json.loads(written)

    def ask(self, kind, *words, text=None):
        return " ".join(map(str, words)), kind, self.tell(*words, text=text)

    def answers(self):
        """(what was asked, kind, answer) of each."""
        self.empty.mkdir()
        (self.folder / "notes.txt").write_text("nothing\n")
        (self.folder / "log.txt").write_text(LOG)
        yield from self.of_machines()
        yield from self.of_files()
        yield from self.of_logs_and_tables()
        yield from self.of_runs()
        yield from self.of_nodes()
        yield from self.of_ranks()
        yield from self.of_policies()
        yield from self.of_changes()

    def of_machines(self):
        (self.folder / "Dockerfile").write_text(RECIPE)
        yield self.ask("check", "check", "--root", self.empty)
        yield self.ask("check", "check", "--root", self.empty, "--host", HOST)
        yield self.ask("hosts", "check", "--root", self.empty, "--host", HOST, "--host", "driver=580.95.05,gpu=H100,B200")
        yield self.ask("hosts", "check", self.program, "--ignore", "CUL1001", "--host", HOST, "--host", "gpu=L4")
        yield self.ask("check", "check")
        yield self.ask("check", "check", "--ignore", "CUL1001")
        yield self.ask("check", "check", self.program)
        yield self.ask("check", "check", "--pid", os.getpid())
        recipe = self.ask("check", "check", self.folder / "Dockerfile")
        assert any("place" in finding for finding in recipe[2]["findings"]), recipe
        yield recipe
        yield self.ask("hosts", "check", self.folder / "Dockerfile", "--host", HOST, "--host", "driver=470.57.02,gpu=T4")
        for seed in sorted((self.seeds / "snapshot").iterdir()):
            yield self.ask("check", "check", seed)

    def of_files(self):
        windows = self.folder / "windows"
        (windows / "Windows" / "System32").mkdir(parents=True)
        yield self.ask("why", "why", "--for", "/bin/sh")
        yield self.ask("why", "why", "--for", self.program)
        yield self.ask("why", "why", "libc.so.6")
        yield self.ask("why", "why", "libnone.so.1")
        yield self.ask("why", "why", "libc.so.6", "--for", self.program)
        yield self.ask("why", "why", "cudart64_12.dll", "--root", windows)
        yield self.ask("inspect", "inspect", self.program, "/bin/sh", self.folder / "notes.txt", self.folder, self.folder / "none")

    def of_logs_and_tables(self):
        yield self.ask("explain", "explain", self.folder / "log.txt")
        yield self.ask("explain", "explain", self.folder / "log.txt", "--here")
        yield self.ask("explain", "explain", self.folder / "log.txt", self.folder / "notes.txt")
        yield self.ask("explain", "explain", text=LOG + LOG)
        yield self.ask("explain", "explain", text="all is well\n")
        yield self.ask("explain", "explain", text="Traceback (most recent call last):\nFrobnicationError: the flux is inverted\n")
        yield self.ask("explain", "explain", "CUDA_ERROR_NO_DEVICE")
        yield self.ask("explain", "explain", "CUDNN_STATUS_NOT_INITIALIZED")
        yield self.ask("rule", "explain", "CUL3004")
        yield self.ask("rules", "rules")
        yield self.ask("plan", "plan", "torch", "--host", HOST, "--python", "3.11", "--platform", "linux-x86_64")
        yield self.ask("plan", "plan", "torch", "numpy<2", "--host", HOST, "--as", "dockerfile")
        yield self.ask("plan", "plan", "torch", "--host", "driver=390.54,gpu=sm_90", "--python", "3.11")
        yield self.ask("plan", "plan", "cuda", "cudnn", "--host", HOST)
        yield self.ask("compat", "compat", "cuda=12.4")
        yield self.ask("compat", "compat", "torch=2.7.0", "driver=535.104.05", "gpu=sm_90")
        yield self.ask("compat", "compat", "torch=99", "cuda=12.4")
        yield self.ask("fix", "fix", "--root", self.empty)
        yield self.ask("fix", "fix")
        yield self.ask("knowledge", "knowledge")

    def of_runs(self):
        yield self.ask("probe", "probe")
        yield self.ask("run", "run", "--always", "--save", self.folder / "true.record", "--", "true")
        yield self.ask("run", "run", "--always", "--save", self.folder / "false.record", "--", "sh", "-c", "kill -SEGV $$")
        for name in ("true.record", "false.record"):
            yield f"the record {name}", "record", json.loads((self.folder / name).read_text())
            yield self.ask("run", "explain", self.folder / name)
        for seed in ("false", "seed-empty", "seed-one-process"):
            yield self.ask("run", "explain", self.seeds / "record" / seed)
        yield self.ask("snapshot", "snapshot", "--root", self.empty)

    def of_nodes(self):
        (self.folder / "nodes").mkdir()
        for name in ("n1", "n2"):
            brief = self.tell("snapshot", "--root", self.empty, "--brief", "--node", name)
            yield f"the brief of {name}", "brief", brief
            (self.folder / "nodes" / name).write_text(json.dumps(brief))
        (self.folder / "nodes" / "n3").write_text("not one\n")
        yield self.ask("fleet", "fleet", "report", self.folder / "nodes")
        (self.folder / "later").mkdir()
        for name in ("n1", "n2", "n4"):
            (self.folder / "later" / name).write_text(json.dumps({"schema": "culprit.brief/1", "node": name, "verdict": "warnings",
                                                             "facts": [{"what": "driver", "value": "580.95.05"}],
                                                             "findings": [{"code": "CUL1001", "cause": "driver-missing", "severity": "error",
                                                                           "summary": "no driver", "subject": "driver"}]}))
        yield self.ask("fleet-diff", "fleet", "diff", self.folder / "nodes", self.folder / "later")

    def of_ranks(self):
        for rank in ("0", "1"):
            subprocess.run([self.program, "run", "--ranks", self.folder / "ranks", "--", "sh", "-c", f"echo NCCL version 2.1.{rank}; exit {rank}"],
                           env={**os.environ, "RANK": rank, "WORLD_SIZE": "2", "NCCL_DEBUG": rank}, capture_output=True, check=False)
        for record in sorted((self.folder / "ranks").glob("rank-*.json")):
            yield f"the record {record.name}", "rank", json.loads(record.read_text())
        (self.folder / "ranks" / "rank-7.json").write_text("not one\n")
        yield self.ask("ranks", "run", "--merge", self.folder / "ranks")

    def of_policies(self):
        policy = self.folder / "site.toml"
        policy.write_text('''[[rule]]
code = "SITE001"
require = 'driver >= 550'
cause = "driver-too-old"
text = "an old driver"
[[rule]]
code = "SITE0002"
require = 'package torch'
cause = "framework-version-conflict"
text = "no torch"
''')
        yield self.ask("fleet", "fleet", "report", self.folder / "nodes", "--policy", policy)
        yield self.ask("check", "check", "--root", self.empty, "--policy", policy, "--host", "driver=535.1")
        yield self.ask("check", "check", "--root", self.empty, "--policy", policy, "--ignore", "SITE0002")

    def of_changes(self):
        for name in ("before", "after"):
            (self.folder / name).write_text(json.dumps(self.tell("snapshot", "--root", self.empty)))
            (self.empty / "etc").mkdir(exist_ok=True)
            (self.empty / "etc" / "ld.so.conf").write_text("/opt/lib\n")
        yield self.ask("diff", "diff", self.folder / "before", self.folder / "after")
        yield self.ask("diff", "diff", self.seeds / "snapshot" / "seed-empty", self.seeds / "snapshot" / "seed-all-fields")
        yield self.ask("diff", "diff", self.folder / "true.record", self.folder / "false.record")
