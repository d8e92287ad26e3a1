#!/usr/bin/env python3
"""The metrics as others read them, and the files of packaging/nodes as others take them.

usage: exporter_test.py PROGRAM     (`./test --all`: fetches Debian's prometheus-node-exporter and prometheus, and two packages of PyPI)

Nothing is installed: the exporter is unpacked, serves on the loopback interface, and must give back what culprit wrote. promtool
and PyPI's prometheus_client read the same files. The manifest for Kubernetes must fit the models of PyPI's kubernetes, which
are made from the description of its API; a field that they do not have fails. Prints the count at the end.
"""
import contextlib
import json
import os
import pathlib
import platform
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
import venv

sys.dont_write_bytecode = True
import made_up_node

TOP = pathlib.Path(__file__).resolve().parents[2]
NODES = TOP / "packaging/nodes"
count = {"passed": 0, "failed": 0, "skipped": 0}

PARSE = """
import sys
from prometheus_client.parser import text_string_to_metric_families
for family in text_string_to_metric_families(open(sys.argv[1], encoding="utf-8").read()):
    for sample in family.samples:
        print(repr((sample.name, sorted(sample.labels.items()), sample.value)))
"""

# A model of the client takes any field, so the fields are held against its own table.
MODELS = """
import re, sys, yaml
from kubernetes.client import models

def fit(value, kind, where):
    if inner := re.fullmatch(r"list\\[(.*)\\]", kind):
        for i, one in enumerate(value): fit(one, inner[1], f"{where}[{i}]")
    elif inner := re.fullmatch(r"dict\\((?:str), (.*)\\)", kind):
        for key, one in value.items(): fit(one, inner[1], f"{where}.{key}")
    elif hasattr(models, kind):
        model = getattr(models, kind)
        names = {spelled: name for name, spelled in model.attribute_map.items()}
        for key in value:
            if key not in names: sys.exit(f"{where}: {kind} has no field {key}")
            fit(value[key], model.openapi_types[names[key]], f"{where}.{key}")
        model(**{names[key]: one for key, one in value.items()})  # refuses what lacks a field
    elif not isinstance(value, {"str": str, "int": int, "bool": bool}.get(kind, object)):
        sys.exit(f"{where}: {value!r} is not {kind}")

for document in yaml.safe_load_all(open(sys.argv[1])):
    fit(document, "V1" + document["kind"], document["kind"])
    print(document["apiVersion"], document["kind"])
"""


def report(held, what, seen=""):
    count["passed" if held else "failed"] += 1
    print(f"{'passed' if held else 'FAILED'}: {what}" + (f": {str(seen)[-1500:]}" if not held else ""), flush=True)


def skip(what, why):
    count["skipped"] += 1
    print(f"skipped: {what}: {why}", flush=True)


def run(*command, **more):
    return subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more)


def series(text):
    """{line without its value: value}"""
    return dict(line.rsplit(" ", 1) for line in text.splitlines() if line.startswith("culprit_"))


def write_metrics(program, work):
    """The check of a hostile node, and a fleet with a hostile name."""
    textfiles = work / "textfiles"
    textfiles.mkdir()
    root = made_up_node.broken(work / "root", gpu=made_up_node.HOSTILE)
    run(program, "check", "--root", root, "--format", "prometheus", "-o", textfiles / "culprit.prom")
    briefs = work / "briefs"
    briefs.write_text("".join(json.dumps({"schema": "culprit.brief/1", "node": node, "verdict": verdict, "taken": "1"}) + "\n"
                              for node, verdict in (("n1", "ok"), ('n"2\\\n\u00fc', "unknown"))))
    fleet = work / "fleet.prom"
    run(program, "fleet", "report", briefs, "--format", "prometheus", "-o", fleet)
    return [textfiles / "culprit.prom", fleet]


def unpacked(work):
    """Debian's programs; None if there is no archive to be had."""
    said = run(TOP / "packaging/fetch-debian", "debian-12", platform.machine(), work / "debs", "prometheus-node-exporter", "prometheus")
    if said.returncode != 0:
        return None
    for package in (work / "debs").glob("*.deb"):
        run("dpkg-deb", "-x", package, work / "debian", check=True)
    return work / "debian/usr/bin"


def scraped(exporter, folder):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen([exporter, "--collector.disable-defaults", "--collector.textfile", f"--collector.textfile.directory={folder}",
                               f"--web.listen-address=127.0.0.1:{port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(100):
            try:
                return urllib.request.build_opener(urllib.request.ProxyHandler({})).open(f"http://127.0.0.1:{port}/metrics").read().decode()
            except OSError:
                time.sleep(0.1)
        return ""
    finally:
        server.kill()
        server.wait()


def sorted_labels(line):
    """The exporter sorts the labels."""
    name, brace, labels = line.partition("{")
    return name + brace + ",".join(sorted(re.findall(r'[a-z_]+="(?:[^"\\]|\\.)*"', labels))) + ("}" if brace else "")


def read_by_debian(files, work):
    programs = unpacked(work)
    if programs is None:
        return skip("prometheus-node-exporter and promtool", "Debian's archive does not answer")
    for file in files:
        written = {sorted_labels(line): float(value) for line, value in series(file.read_text()).items()}
        report(len(written) > 10, f"{file.name} has its series", written)
        folder = work / ("scrape-" + file.stem)
        folder.mkdir()
        (folder / file.name).write_bytes(file.read_bytes())
        got = scraped(programs / "prometheus-node-exporter", folder)
        report("\nnode_textfile_scrape_error 0\n" in got, f"the exporter takes {file.name}", got)
        given = {sorted_labels(line): float(value) for line, value in series(got).items()}
        report(given == written, f"the exporter gives back {file.name}", set(given.items()) ^ set(written.items()))
        said = run(programs / "promtool", "check", "metrics", stdin=open(file))
        report(said.returncode == 0 and not said.stdout, f"promtool takes {file.name}", said.stdout)
    said = run(programs / "promtool", "check", "rules", NODES / "prometheus/alerts.yml")
    report(said.returncode == 0, "promtool takes the alerts", said.stdout)


def read_by_pypi(program, files, work):
    venv.create(work / "venv", with_pip=True)
    python = work / "venv/bin/python"
    said = run(python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "prometheus_client", "kubernetes")
    if said.returncode != 0:
        return skip("prometheus_client and kubernetes", "pip cannot fetch them: " + said.stdout[-300:])
    for file in files:
        said = run(python, "-c", PARSE, file)
        report(said.returncode == 0 and len(said.stdout.splitlines()) == len(series(file.read_text())), f"prometheus_client takes {file.name}", said.stdout)
    said = run(python, "-c", PARSE, files[0])
    report(repr('NVIDIA "H200\\"} 1 \\xff\\x07{a="b') in said.stdout, "prometheus_client reads the hostile name as one label", said.stdout)
    manifest = NODES / "kubernetes/daemonset.yaml"
    said = run(python, "-c", MODELS, manifest)
    report(said.stdout == "apps/v1 DaemonSet\n", "the manifest fits the models of Kubernetes", said.stdout)
    for old, new in (("mountPropagation", "mountPropagatoin"), ("readOnly: true", "readOnly: 1"), ("mountPath: /host,", "")):
        wrong = work / "wrong.yaml"
        wrong.write_text(manifest.read_text().replace(old, new, 1))
        report(run(python, "-c", MODELS, wrong).returncode != 0, f"they refuse {new or 'a mount without a path'}")
    pod(program, python, work)


def pod(program, python, work):
    """What the pod starts, by the shells at hand, with its two mounts as folders: it writes the metrics, and ends when it is asked to."""
    script = run(python, "-c", "import sys, yaml; print(yaml.safe_load(open(sys.argv[1]))['spec']['template']['spec']['containers'][0]['args'][0])",
                 NODES / "kubernetes/daemonset.yaml").stdout
    for shell in (["sh"], ["busybox", "sh"]):
        if not shutil.which(shell[0]):
            skip("the pod's script with busybox", "no busybox here")
            continue
        textfiles = work / ("pod-" + shell[0])
        (textfiles / "bin").mkdir(parents=True)
        (textfiles / "bin/culprit").symlink_to(program)
        words = script.replace("/host", str(work / "root")).replace("/textfile", str(textfiles))
        process = subprocess.Popen([*shell, "-c", words], env={**os.environ, "PATH": f"{textfiles}/bin:{os.environ['PATH']}"}, start_new_session=True)
        for _ in range(300):
            if (textfiles / "culprit.prom").exists():
                break
            time.sleep(0.1)
        time.sleep(0.5)  # until it waits
        process.terminate()
        try:
            status = process.wait(10)
        except subprocess.TimeoutExpired:
            status = "none"
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        report(status == 0 and 'code="CUL1002"' in (textfiles / "culprit.prom").read_text(), f"the pod's script with {shell[0]}", status)


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        work = pathlib.Path(folder)
        os.chmod(work, 0o755)
        files = write_metrics(program, work)
        read_by_debian(files, work)
        read_by_pypi(program, files, work)
    print(f"{count['passed']} passed, {count['failed']} failed, {count['skipped']} skipped")
    return 1 if count["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
