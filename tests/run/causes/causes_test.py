#!/usr/bin/env python3
"""Small programs that fail for a known reason: the first cause that culprit run names must be the true one, and nothing of CUDA may be
blamed for a program's own error. usage: causes_test.py CULPRIT [--show] [PART OF A NAME...]"""

import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import innocent  # noqa: E402
import later  # noqa: E402
import stack  # noqa: E402


def answer(culprit, case, folder):
    command = case.make(folder)
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "LC_ALL": "C.UTF-8"}
    # Variables of the case are the program's, and so they are culprit's as well, except what would change culprit's own start.
    own = [f"{name}={value.replace('{here}', folder)}" for name, value in case.env.items()]
    report = os.path.join(folder, "report.json")
    done = subprocess.run(["env", *own, culprit, "run", "--format", "json", "-o", report, "--", *command], cwd=folder,
                          env=environment, capture_output=True, text=True, errors="replace", timeout=240, check=False)
    try:
        with open(report, encoding="utf-8") as file:
            return json.load(file), done
    except (OSError, ValueError) as error:
        return {"headline": f"no report: {error}\n{done.stderr[-2000:]}", "causes": [{"cause": "nothing", "confidence": 0}]}, done


def judge(culprit, case):
    if reason := case.skip():
        return case, None, reason
    with tempfile.TemporaryDirectory(prefix="failing-") as folder:
        report, done = answer(culprit, case, os.path.realpath(folder))
    return case, report, done.stderr


def first_of(report):
    return report["causes"][0]["cause"] if report["causes"] else "none"


def main():
    culprit = os.path.abspath(sys.argv[1])
    show = "--show" in sys.argv
    parts = [word for word in sys.argv[2:] if word != "--show"]
    chosen = [case for case in innocent.cases() + stack.cases() + later.cases() if not parts or any(part in case.name for part in parts)]
    right = wrong = skipped = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for case, report, words in pool.map(lambda case: judge(culprit, case), chosen):
            if report is None:
                skipped += 1
                print(f"skipped: {case.name}: {words}")
                continue
            first = first_of(report)
            good = first in case.truth.split()
            right, wrong = right + good, wrong + (not good)
            if show or not good:
                ranked = ", ".join(f"{cause['cause']} {cause['confidence']:.2f}" for cause in report["causes"])
                print(f"{'ok' if good else 'WRONG'}: {case.name}: true {case.truth}; culprit: {ranked or 'none'}\n    {report['headline']}")
            if show and parts:
                print(words)
    print(f"{right} passed, {wrong} failed, {skipped} skipped")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
