#!/usr/bin/env python3
"""The page of `culprit fleet report --format html` in a real browser: fleet_page_test.py CULPRIT [FOLDER-FOR-SCREENSHOTS]

Twelve nodes, of which one has an old driver, one a variable and one does not answer; and 3,000, which must still be a small page.
"""
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import browser

PROGRAM = pathlib.Path(sys.argv[1]).resolve()
PICTURES = pathlib.Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else None
VENV = "/opt/venv/lib/python3.11/site-packages"
FACTS = {"CPU": "x86_64", "GPU 0": "NVIDIA H100 80GB HBM3, compute capability 9.0", "Python /opt/venv": "3.11.9",
         f"cuDNN {VENV}/nvidia/cudnn": "9.10.2", "driver": "580.95.05", "driver: libcuda": "/usr/lib/x86_64-linux-gnu/libcuda.so.580.95.05",
         "kernel": "6.8.0-60-generic", "system": "Ubuntu 24.04 LTS", "toolkit /usr/local/cuda-12.8": "12.8.1", "torch in /opt/venv": "2.8.0+cu128",
         **{f"package made-up-{i} in /opt/venv": f"1.{i}" for i in range(60)}}
HOSTILE = "<script>document.title='hacked'</script>"


def brief(number, draw):
    facts, findings = dict(FACTS), []
    if number == 3:
        facts["driver"] = "550.54.15"
        findings = [{"code": "CUL1003", "cause": "driver-too-old", "severity": "error", "subject": "/opt/venv",
                     "summary": "torch 2.8.0+cu128 needs driver 570.26 or newer, the driver is 550.54.15"}]
    if number == 7:
        facts["variable LD_LIBRARY_PATH"] = "/opt/old/cudnn8/lib:" + HOSTILE
    if draw is not None and number > 20 and draw.random() < 0.05:
        facts[draw.choice(list(facts))] += f".{draw.randrange(100)}"
    node = {"schema": "culprit.brief/1", "node": f"n{number:04}", "taken": "2026-11-18T11:00:00Z"}
    if number == 5:
        return {**node, "error": "ssh: connect to host n0005 port 22: Connection refused"}
    return {**node, "verdict": "ok", "facts": [{"what": what, "value": facts[what]} for what in sorted(facts)], "findings": findings}


def page(top, name, amount, draw=None):
    lines = top / f"{name}.jsonl"
    lines.write_text("".join(json.dumps(brief(number, draw)) + "\n" for number in range(1, amount + 1)))
    file = top / f"{name}.html"
    done = subprocess.run([PROGRAM, "fleet", "report", lines, "--format", "html", "-o", file], capture_output=True, text=True, timeout=120)
    assert done.returncode == 1, (done.returncode, done.stderr)
    return file


def look(tab, file, width, dark, name):
    tab.size(width, 1000)
    tab.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
    tab.open(file)
    assert tab.complaints() == [] and tab.requests() == [], (tab.complaints(), tab.requests())
    assert tab.run("document.title") != "hacked"
    assert tab.run("document.documentElement.scrollWidth <= innerWidth"), f"{name}: the page is wider than the window"
    if PICTURES:
        tab.picture(PICTURES / f"{name}.png", whole=True)


def few(tab, file):
    look(tab, file, 1400, False, "fleet")
    sections = tab.run("[...document.querySelectorAll('main > section')].map((one) => one.id || one.className)")
    assert sections == ["verdict errors", "findings", "fleet", "silent", "common"], sections
    rows = tab.run("[...document.querySelectorAll('.fleet tbody tr')].map((row) => [row.className, row.querySelector('th').textContent])")
    assert rows[:2] == [["odd", "n0003differs in driver"], ["odd", "n0007differs in variable LD_LIBRARY_PATH"]], rows
    assert len(rows) == 11, rows
    cell = tab.run("document.querySelector('td.odd[data-fact=driver]').textContent")
    assert cell == "550.54.15expected: 580.95.05", cell
    assert HOSTILE in tab.run("document.querySelector('.fleet').textContent")
    assert "Connection refused" in tab.run("document.querySelector('#silent').textContent")
    # The odd cell must stand out from its neighbors.
    assert tab.run("""getComputedStyle(document.querySelector('td.odd')).backgroundColor !==
                      getComputedStyle(document.querySelector('td.same')).backgroundColor""")
    light = tab.run("getComputedStyle(document.body).color")
    look(tab, file, 1400, True, "fleet-dark")
    assert tab.run("getComputedStyle(document.body).color") != light
    look(tab, file, 390, False, "fleet-narrow")
    assert tab.run("getComputedStyle(document.querySelector('.fleet td')).display") == "block"


def many(tab, file):
    assert file.stat().st_size < 2_000_000, file.stat().st_size
    look(tab, file, 1400, False, "fleet-many")
    rows = tab.run("document.querySelectorAll('.fleet tbody tr').length")
    assert 20 < rows <= 300, rows
    first = tab.run("document.querySelector('.fleet tbody th').textContent")
    assert first.startswith("n[0001-0002,") and first.endswith("nodes"), first
    assert tab.run("document.querySelectorAll('.fleet thead th').length") <= 14


def main():
    if not browser.program():
        print("skipped: fleet_page: no Chromium on this machine\n0 passed, 0 failed, 1 skipped")
        return 0
    failed = 0
    with tempfile.TemporaryDirectory(prefix="culprit-page-") as folder, browser.Browser() as tab:
        top = pathlib.Path(folder)
        for test, name, amount, draw in ((few, "few", 12, None), (many, "many", 3000, random.Random(1))):
            try:
                test(tab, page(top, name, amount, draw))
            except (AssertionError, browser.Failure) as error:
                failed += 1
                print(f"failed: {name}: {error}", flush=True)
    print(f"{2 - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
