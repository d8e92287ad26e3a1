#!/usr/bin/env python3
"""The pages of `culprit rules --format html`: tests/page/site_test.py CULPRIT [FOLDER-FOR-SCREENSHOTS]

First as files: every code and cause has one, and every link leads somewhere. Then in a real browser, where there is one.
"""
import html.parser
import json
import os
import pathlib
import re
import stat
import subprocess
import sys
import tempfile
import time

import browser

PROGRAM = pathlib.Path(sys.argv[1]).resolve()
PICTURES = pathlib.Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else None
CONTRAST = """(() => {
  const light = (color) => { const [r, g, b] = color.match(/[0-9.]+/g).map(Number).map((value) => { const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const ground = (one) => { for (; one; one = one.parentElement) { const color = getComputedStyle(one).backgroundColor;
    if (!/, 0\\)$|transparent/.test(color)) return color; } return 'rgb(255, 255, 255)'; };
  let worst = [99, ''];
  for (const one of document.querySelectorAll('body *')) {
    if (!one.checkVisibility() || ![...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim())) continue;
    const [a, b] = [light(getComputedStyle(one).color), light(ground(one))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < worst[0]) worst = [ratio, one.outerHTML.slice(0, 120)];
  }
  return worst; })()"""


def culprit(*words):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=120)


class Links(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.links, self.ids, self.loads = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id":
                self.ids.append(value)
            if name == "href" and tag == "a":
                self.links.append(value)
            if name == "src" or name.startswith("on") or (name == "href" and tag != "a"):
                self.loads.append((tag, name, value))


class Files:
    def __init__(self, folder):
        self.folder = folder / "catalogue"
        started = time.monotonic()
        done = culprit("rules", "--format", "html", "-o", self.folder)
        self.seconds = time.monotonic() - started
        assert done.returncode == 0 and done.stdout == "", (done.returncode, done.stderr)
        self.pages = {file.name: file.read_text() for file in self.folder.iterdir()}
        self.read = {name: Links(text) for name, text in self.pages.items()}

    def test_every_code_and_cause_has_a_page(self):
        size = sum(map(len, self.pages.values()))
        print(f"site: {len(self.pages)} pages, {size // 1024} KiB, index {len(self.pages['index.html']) // 1024} KiB, "
              f"made in {self.seconds:.2f} s")
        rules = json.loads(culprit("rules", "--format", "json").stdout)["rules"]
        causes = re.findall(r'^slug = "(.*)"', (pathlib.Path(__file__).parents[2] / "data/causes.toml").read_text(), re.M)
        wanted = {"index.html"} | {rule["code"] + ".html" for rule in rules} | {f"cause-{slug}.html" for slug in causes}
        assert set(self.pages) == wanted, set(self.pages) ^ wanted
        missing = wanted - {"index.html"} - set(self.read["index.html"].links)
        assert not missing, missing

    def test_every_link_leads_to_a_page_and_an_anchor(self):
        for name, page in self.read.items():
            assert len(page.ids) == len(set(page.ids)), name
            for link in page.links:
                if link.startswith(("https://", "http://")):
                    continue
                file, _, anchor = link.partition("#")
                target = self.read.get(file or name)
                assert target, (name, link)
                assert not anchor or anchor in target.ids, (name, link)

    def test_nothing_is_loaded(self):
        for name, page in self.read.items():
            assert page.loads == [("link", "href", "data:,")], (name, page.loads)
            assert "default-src 'none'" in self.pages[name]

    def test_every_cause_has_messages(self):
        without = [name for name, text in self.pages.items()
                   if name.startswith("cause-") and 'id="messages"' not in text and 'id="may-also"' not in text]
        assert not without, without

    def test_is_the_same_every_time(self):
        assert culprit("rules", "--format", "html", "-o", self.folder).returncode == 0  # and a folder may be there
        assert {file.name: file.read_text() for file in self.folder.iterdir()} == self.pages

    def test_a_server_may_read_it(self):
        umask = os.umask(0o022)
        os.umask(umask)
        mode = stat.S_IMODE((self.folder / "index.html").stat().st_mode)
        assert mode == 0o666 & ~umask, oct(mode)

    def test_refuses_what_is_not_a_folder(self):
        file = self.folder.parent / "file"
        file.write_text("mine")
        done = culprit("rules", "--format", "html", "-o", file)
        assert done.returncode == 2 and "ot a directory" in done.stderr, done
        assert file.read_text() == "mine"
        done = culprit("rules", "--format", "html")
        assert done.returncode == 64 and "-o DIR" in done.stderr, done


class InBrowser:
    def __init__(self, files, tab):
        self.folder, self.tab = files.folder, tab

    def search(self, text):
        self.tab.run(f"(() => {{ const box = document.getElementById('paste'); box.value = {json.dumps(text)}; "
                     "box.dispatchEvent(new Event('input')); })()")
        self.tab.run("new Promise((done) => setTimeout(done, 100))")  # fires after the page's own timer, which is shorter
        return self.tab.run("[...document.querySelectorAll('#found a')].map((link) => link.getAttribute('href'))")

    def test_opens_without_a_complaint_and_asks_nobody(self):
        self.tab.open(self.folder / "index.html")
        assert self.tab.run("document.documentElement.dataset.ready") is not None, self.tab.complaints()
        assert self.tab.complaints() == [] and self.tab.requests() == [], (self.tab.complaints(), self.tab.requests())

    def test_a_pasted_message_finds_its_page(self):
        for text, wanted in (
                ("ImportError: libcudnn.so.8: cannot open shared object file: No such file or directory", "cause-cudnn-missing.html"),
                ("ImportError: libcuda.so.1: cannot open shared object file: No such file or directory", "cause-driver-missing.html"),
                ("OSError: libcublas.so.11: cannot open shared object file: No such file or directory", "cause-cuda-library-missing.html"),
                ("Could not locate zlibwapi.dll. Please make sure it is in your library path!", "cause-dependent-missing.html"),
                ("Could not load library libcudnn_ops_infer.so.8", "cause-cudnn-missing.html"),
                ("Could not load library libcudnn_ops_infer.so.8. Error: libcudnn_ops_infer.so.8: cannot open shared object "
                 "file: No such file or directory", "cause-cudnn-missing.html"),
                ("Traceback (most recent call last):\n  File \"train.py\", line 3, in <module>\n    model.cuda()\n"
                 "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.", "cause-out-of-memory.html"),
                ("Failed to initialize NVML: Driver/library version mismatch", "cause-driver-library-mismatch.html"),
                ("RuntimeError: CUDA error: no kernel image is available for execution on the device",
                 "cause-arch-unsupported.html"),
                ("cul3004", "CUL3004.html"), ("gpu-not-visible", "cause-gpu-not-visible.html")):
            found = self.search(text)
            assert found and found[0].partition("#")[0] == wanted, (text, found[:3])
        assert self.search("the weather is nice") == []
        assert "No known message" in self.tab.run("document.getElementById('state').textContent")

    def test_the_result_opens_the_answer_by_keyboard(self):
        self.search("Failed to initialize NVML: Driver/library version mismatch")
        self.tab.call("Emulation.setFocusEmulationEnabled", enabled=True)
        self.tab.run("document.getElementById('paste').focus()")
        self.tab.key("Tab", code=9)
        assert self.tab.run("document.activeElement.closest('#found') !== null")
        self.tab.key("Enter", text="\r", code=13)
        # The address changes first; what it names is there once the page has been read.
        shown = "document.querySelector('.answer:target')?.checkVisibility() === true"
        until = time.monotonic() + 20
        while not self.tab.run(shown) and time.monotonic() < until:
            time.sleep(0.1)
        assert "driver-library-mismatch" in self.tab.run("location.pathname"), "another page"
        assert self.tab.run(shown), "the answer is folded"

    def test_hostile_words_stay_text(self):
        self.tab.open(self.folder / "index.html")
        self.search("<img src=x onerror=window.hurt=1> CUDA out of memory")
        assert self.tab.run("document.querySelectorAll('main img').length") == 0
        assert self.tab.run("typeof hurt") == "undefined"

    def test_a_large_log_is_no_burden(self):
        took = self.tab.run("(() => { const text = 'step 100 loss 0.3 libcuda.so.1 error\\n'.repeat(20000); "
                            "const start = performance.now(); search(text); return performance.now() - start; })()")
        print(f"search in a log of 20000 lines: {took:.0f} ms; "
              f"index ready after {self.tab.run('document.documentElement.dataset.ready')} ms")

    def test_fits_a_phone(self):
        self.tab.size(360, 740)
        for file in ("index.html", "CUL3004.html", "cause-cudnn-missing.html", "cause-search-path.html"):
            self.tab.open(self.folder / file)
            self.tab.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
            width = self.tab.run("document.documentElement.scrollWidth")
            assert width <= 360, (file, width)
        self.tab.size(1400, 1000)

    def test_can_be_read_in_the_light_and_in_the_dark(self):
        grounds = set()
        for scheme in ("dark", "light"):
            self.tab.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
            for file in ("index.html", "CUL3004.html", "cause-cudnn-missing.html"):
                self.tab.open(self.folder / file)
                self.tab.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
                if file == "index.html":
                    self.search("CUDA out of memory")
                ratio, where = self.tab.run(CONTRAST)
                assert ratio >= 4.5, (scheme, file, ratio, where)  # WCAG 2, level AA
                grounds.add(self.tab.run("getComputedStyle(document.documentElement).backgroundColor"))
                if PICTURES:
                    self.tab.picture(PICTURES / f"site-{scheme}-{file}.png")
        assert len(grounds) == 2, grounds

    def test_is_of_use_without_javascript(self):
        self.tab.call("Emulation.setScriptExecutionDisabled", value=True)
        self.tab.call("Page.navigate", url=f"file://{self.folder / 'index.html'}")
        until = time.monotonic() + 20
        while "CUL3004" not in (text := self.tab.run("document.body?.innerText ?? ''")) and time.monotonic() < until:
            time.sleep(0.1)
        self.tab.call("Emulation.setScriptExecutionDisabled", value=False)
        assert "CUL3004" in text and "cudnn-missing" in text and "Paste an error" not in text, text[:300]


def tried(tests):
    failed = 0
    names = [name for name in vars(type(tests)) if name.startswith("test_")]
    for name in names:
        try:
            getattr(tests, name)()
        except (AssertionError, browser.Failure) as error:
            failed += 1
            print(f"failed: {name}: {error}", flush=True)
    return len(names) - failed, failed


def main():
    if PICTURES:
        PICTURES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="culprit-site-") as folder:
        files = Files(pathlib.Path(folder))
        passed, failed = tried(files)
        skipped = 0
        if browser.program():
            with browser.Browser() as tab:
                more, worse = tried(InBrowser(files, tab))
            passed, failed = passed + more, failed + worse
        else:
            skipped = 1
            print("skipped: site: no Chromium on this machine")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
