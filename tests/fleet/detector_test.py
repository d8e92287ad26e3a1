#!/usr/bin/env python3
"""packaging/nodes/node-problem-detector in a real node-problem-detector.

usage: detector_test.py PROGRAM     (the detector: $NODE_PROBLEM_DETECTOR, or in PATH; Debian has no package of it; `./test --all`)

The detector runs our plug-in on a made-up node whose files change: broken, then nothing is known of them, then sound, then a check that hangs. Of the
shipped configuration only the path and the times are others. A stand-in for the API of Kubernetes on the loopback interface takes what the detector
reports. Prints the count at the end.
"""
import http.server
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

sys.dont_write_bytecode = True
import made_up_node

NODES = pathlib.Path(__file__).resolve().parents[2] / "packaging/nodes"
COULD_NOT_TELL = "culprit: could not tell; run culprit check on the node"
count = {"passed": 0, "failed": 0, "skipped": 0}


def report(held, what, seen=""):
    count["passed" if held else "failed"] += 1
    print(f"{'passed' if held else 'FAILED'}: {what}" + (f": {str(seen)[-1500:]}" if not held else ""), flush=True)


class Api(http.server.ThreadingHTTPServer):
    """One node. `said`: each (status, reason, message) that the detector has reported of its condition, without repetitions."""
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.said = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def take(self, patch):
        for one in patch["status"]["conditions"]:
            told = (one["type"], one["status"], one["reason"], one["message"])
            if told not in self.said[-1:]:
                self.said.append(told)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self):
        taken = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.command == "PATCH" and self.path.endswith("/nodes/n1/status"):
            self.server.take(json.loads(taken))
        body = json.dumps({"kind": "Node", "apiVersion": "v1", "metadata": {"name": "n1", "uid": "1"}}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_PATCH = do_POST = answer


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def read(port, path):
    return urllib.request.build_opener(urllib.request.ProxyHandler({})).open(f"http://127.0.0.1:{port}/{path}", timeout=10).read().decode()


def series(text, name):
    """The values of a metric, by its reason."""
    lines = [line for line in text.splitlines() if line.startswith(name + "{") and "CudaProblem" in line]
    return {line.split('reason="')[1].split('"')[0]: float(line.rsplit(" ", 1)[1]) for line in lines}


class Detector:
    def __init__(self, program, detector, work):
        self.work, self.api, self.ports = work, Api(), (free_port(), free_port())
        config = json.loads((NODES / "node-problem-detector/culprit.json").read_text())
        config["pluginConfig"].update(invoke_interval="2s", timeout="20s")
        config["rules"][0].update(path=str(NODES / "check-node"), timeout="20s")
        (work / "culprit.json").write_text(json.dumps(config))
        (work / "program").symlink_to(program)
        self.become("broken")
        self.log = open(work / "log", "w")
        self.process = subprocess.Popen(
            [detector, f"--apiserver-override=http://127.0.0.1:{self.api.server_port}?inClusterConfig=false", "--hostname-override=n1",
             f"--port={self.ports[0]}", f"--prometheus-port={self.ports[1]}", f"--config.custom-plugin-monitor={work}/culprit.json"],
            env={**os.environ, "CULPRIT": str(work / "program"), "CULPRIT_ROOT": str(work / "root"), "CULPRIT_SECONDS": "5"},
            stdout=self.log, stderr=self.log)

    def point(self, name, target):
        fresh = self.work / "fresh"
        fresh.symlink_to(target)
        fresh.rename(self.work / name)

    def become(self, state):
        self.point("root", self.work / state)

    def wait(self, status, reason, message):
        """Until the condition is that, or for a minute; what was said."""
        for _ in range(120):
            if self.api.said and self.api.said[-1][1:] == (status, reason, message):
                break
            time.sleep(0.5)
        return self.api.said

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.log.close()
        self.api.shutdown()


def conditions(program, detector, work):
    for state in ("broken", "unknown", "sound"):
        getattr(made_up_node, state)(work / state)
    hangs = work / "hangs"
    hangs.write_text("#!/bin/sh\nexec sleep 600\n")
    hangs.chmod(0o755)
    one = Detector(program, detector, work)
    fine, broken = "NoCudaProblemFound", "CudaProblemFound"
    steps = ((None, "status 1, from the start", ("True", broken, "culprit: CUL1002"), {broken: 1, fine: 0}),
             ("unknown", "status 2", ("Unknown", fine, COULD_NOT_TELL), {broken: 0, fine: 0}),
             ("sound", "status 0", ("False", fine, "culprit: no error"), {broken: 0, fine: 0}))
    try:
        for state, what, expected, gauges in steps:
            if state:
                one.become(state)
            said = one.wait(*expected)
            report(said[-1:] == [("CudaStackProblem", *expected)], f"{what}: the condition is {expected[0]}", (said, (work / "log").read_text()))
            metrics = read(one.ports[1], "metrics")
            seen = {fine: 0, **series(metrics, "problem_gauge")}
            report(seen == gauges and series(metrics, "problem_counter") == {broken: 1}, f"{what}: its metrics", metrics)
            report(f"{expected[1]}" in read(one.ports[0], "conditions"), f"{what}: its list of conditions", read(one.ports[0], "conditions"))
        one.point("program", hangs)
        said = one.wait("Unknown", fine, COULD_NOT_TELL)
        report([told[1] for told in said] == ["True", "Unknown", "False", "Unknown"], "a check that hangs: Unknown; and no condition before the first check", said)
    finally:
        one.stop()


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    detector = os.environ.get("NODE_PROBLEM_DETECTOR") or shutil.which("node-problem-detector")
    if not detector:
        print("skipped: node-problem-detector: not in PATH, and Debian has no package of it\n0 passed, 0 failed, 1 skipped")
        return 0
    with tempfile.TemporaryDirectory(prefix="detector.", dir="/var/tmp") as folder:
        conditions(program, detector, pathlib.Path(folder))
    print(f"{count['passed']} passed, {count['failed']} failed, {count['skipped']} skipped")
    return 1 if count["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
