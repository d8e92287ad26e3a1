"""Recipes of public repositories against what a colleague says of them: recipes_test.py CULPRIT [--table].

Each [[case]] of *_round.toml is written to a folder of its own and checked by the program. With --table it prints how many were
right, not told and wrong, as docs/first-sight.md counts: not told = a fault of which nothing is said.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10
    from pip._vendor import tomli as tomllib

HERE = pathlib.Path(__file__).parent


def answer(culprit, case, folder):
    for name, text in {case["file"]: case["text"], **case.get("files", {})}.items():
        (folder / name).write_text(text.lstrip("\n"))
    command = [culprit, "check", case["file"], "--format", "json", "--settings", "none"]
    if "host" in case:
        command += ["--host", case["host"]]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)
    if done.returncode not in (0, 1, 2) or not done.stdout:
        return {"!" + (done.stderr.strip() or str(done.returncode))}, False
    report = json.loads(done.stdout)
    truth = case.get("says", [])  # codes, or causes
    said = {f["cause"] if f["cause"] in truth else f["code"] for f in report["findings"] if f["severity"] != "note"}
    return said, report["verdict"] == "unknown" and not said


def judge(case, said, unknown):
    truth = set(case.get("says", []))
    if case.get("known_miss"):
        return "missed as known" if said != truth else "wrong"
    if case.get("unknown"):
        return "right" if unknown else "wrong"
    if said == truth and not unknown:
        return "right"
    return "not told" if truth and not said else "wrong"


def contract(culprit):
    """What scripts and reviewers rely on: exit status, file and line, several hosts, and nothing unprintable."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)

        def run(*words):
            return subprocess.run([culprit, "check", *words, "--settings", "none"], cwd=folder, capture_output=True, text=True)

        (folder / "Dockerfile").write_text("FROM nvidia/cuda:12.4.1-base-ubuntu22.04\nRUN echo \033[31m && nvidia-smi\n"
                                           "RUN pip install torch==2.4.0 torchvision==0.15.2\n")
        (folder / "bad.yaml").write_text("a: [\n")
        (folder / "none.yaml").write_text("services:\n  db:\n    image: postgres\n")
        report = run("Dockerfile")
        assert report.returncode == 1 and "Dockerfile:3" in report.stdout and "\033" not in report.stdout, report
        sarif = json.loads(run("Dockerfile", "--format", "sarif").stdout)
        places = {r["ruleId"]: r["locations"][0]["physicalLocation"] for r in sarif["runs"][0]["results"]}
        assert places["CUL6031"] == {"artifactLocation": {"uri": "Dockerfile"}, "region": {"startLine": 3}}, places
        assert run("Dockerfile", "--ignore", "CUL6031").returncode == 0
        assert run("Dockerfile", "--ignore", "CUL6031", "--strict").returncode == 1
        hosts = run("Dockerfile", "--host", "driver=580.95.05,gpu=H100", "--host", "driver=418.87.00,gpu=T4", "--format", "json")
        assert [host["runs"] for host in json.loads(hosts.stdout)["hosts"]][1] == "no", hosts.stdout
        bad = run("bad.yaml")
        assert bad.returncode == 2 and bad.stderr.startswith("culprit: bad.yaml:2: "), bad
        none = run("none.yaml")
        assert none.returncode == 0 and none.stdout.startswith("nothing in it concerns a GPU"), none
        (folder / "own.yaml").write_text("services:\n  web:\n    image: example.org/web:1\n")
        assert run("own.yaml").returncode == 0 and run("own.yaml", "--host", "driver=580.95.05,gpu=L4").returncode == 2
        chain = "FROM python:3.11 AS s0\n" + "".join(f"FROM s{i} AS s{i + 1}\nENV A{i}=1\n" for i in range(150))
        (folder / "chain.Dockerfile").write_text(chain)
        assert run("chain.Dockerfile", "--host", "driver=580.95.05,gpu=L4").returncode == 0
        for install in ("pip install torch==9.9.9", "pip install torch", "pip install -r requirements.txt", "uv sync", "conda install pytorch"):
            (folder / "open.Dockerfile").write_text(f"FROM python:3.11\nRUN {install}\n")
            assert "concerns a GPU" not in run("open.Dockerfile").stdout, install
            hosts = run("open.Dockerfile", "--host", "driver=580.95.05,gpu=L4", "--host", "driver=470.57.02,gpu=T4", "--format", "json")
            assert [host["runs"] for host in json.loads(hosts.stdout)["hosts"]] == ["unknown", "unknown"], hosts.stdout
        assert run("Dockerfile", "--live").returncode == 64
        folder_alone = run(".")
        assert folder_alone.returncode == 2 and folder_alone.stderr.endswith("; name Dockerfile in it to check that\n"), folder_alone
        (folder / "gap.yaml").write_text("services:\n  a:\n    build: nowhere\n    env_file: a.env\n")
        gaps = {line["what"]: line["why"] for line in json.loads(run("gap.yaml", "--format", "json").stdout)["not_checked"]}
        assert gaps["the env_file of service a"] == "defined outside gap.yaml", gaps
        assert gaps["the build of service a"].startswith("nowhere/Dockerfile: "), gaps
        assert run("Dockerfile", ".").returncode == 2


def piped(culprit):
    """What comes from standard input is judged like a file, and finds its neighbours."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)

        def run(text, *words):
            return subprocess.run([culprit, "check", "-", *words, "--settings", "none"], cwd=folder, input=text, capture_output=True, text=True)

        (folder / "Dockerfile").write_text("FROM nvidia/cuda:12.4.1-base-ubuntu22.04\nRUN pip install torch==2.4.0 torchvision==0.15.2\n")
        report = run((folder / "Dockerfile").read_text())
        assert report.returncode == 1 and "CUL6031" in report.stdout and "-:2" in report.stdout, report
        report = run("services:\n  a:\n    build: .\n    gpus: all\n")
        assert report.returncode == 1 and "Dockerfile:2" in report.stdout, report
        report = run("apiVersion: v1\nkind: Pod\nspec: {containers: [{image: i, resources: {limits: {nvidia.com/gpu: 0.5}}}]}\n")
        assert report.returncode == 1 and "CUL2035" in report.stdout, report
        hosts = run("FROM nvidia/cuda:12.4.1-base-ubuntu22.04\n", "--host", "driver=580.95.05,gpu=H100", "--host", "driver=418.87.00,gpu=T4", "--format", "json")
        assert [host["runs"] for host in json.loads(hosts.stdout)["hosts"]] == ["yes", "no"], hosts.stdout
        for text, what in (("a log\nof a build\n", "-: "), ("services: [\n", "-:"), ("#" * (5 << 20), "-: larger than 4 MiB"), ("", "standard input: ")):
            wrong = run(text)
            assert wrong.returncode == 2 and wrong.stderr.startswith("culprit: " + what) and wrong.stderr.count("\n") == 1, wrong


def main():
    culprit = str(pathlib.Path(sys.argv[1]).absolute())
    contract(culprit)
    piped(culprit)
    count, failed = {}, 0
    for file in sorted(HERE.glob("*_round.toml")):
        for case in tomllib.loads(file.read_text())["case"]:
            with tempfile.TemporaryDirectory() as folder:
                said, unknown = answer(culprit, case, pathlib.Path(folder))
            outcome = judge(case, said, unknown)
            count[outcome] = count.get(outcome, 0) + 1
            if outcome not in ("right", "missed as known"):
                failed += 1
                print(f"{outcome}: {case['from']}: says {sorted(said)}{' unknown' if unknown else ''}, "
                      f"truth {case.get('says', [])}{' unknown' if case.get('unknown') else ''}")
    print(", ".join(f"{n} {what}" for what, n in sorted(count.items())))
    sys.exit(1 if failed and "--table" not in sys.argv else 0)


main()
