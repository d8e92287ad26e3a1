#!/usr/bin/env python3
"""The page of `culprit check --format html` in a real browser: tests/page/page_test.py CULPRIT [FOLDER-FOR-SCREENSHOTS]

Headless Chromium opens it as a user does, and the test checks what the user would see.
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import browser
import stack

PROGRAM = pathlib.Path(sys.argv[1]).resolve()
PICTURES = pathlib.Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else None
RECTANGLES = """[...document.querySelectorAll('.card')].map((card) => { const box = card.querySelector('.box');
  const [x, y] = card.getAttribute('transform').match(/-?[0-9.]+/g).map(Number);
  return {x, y, width: +box.getAttribute('width'), height: +box.getAttribute('height'),
    label: card.getAttribute('aria-label'),
    text: Math.max(...[...card.querySelectorAll('text')].map((text) => text.getBBox().x + text.getBBox().width))}; })"""
SELECTED = "document.querySelector('.card.selected')?.getAttribute('aria-label') ?? ''"


def check(top, output, *options):
    command = [PROGRAM, "check", "--root", top / "root", "--env", top / "env", "--host",
               "driver=580.95.05,gpu=sm_90", "--format", "html", "-o", output, *options,
               "/home/ada/train", "/home/ada/br<b>oken"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1, (done.returncode, done.stderr)
    return output.read_bytes()


def overlapping(cards):
    """Pairs of cards that overlap; sorted, so that only neighbors are compared."""
    cards = sorted(cards, key=lambda card: card["x"])
    found = []
    for place, one in enumerate(cards):
        for other in cards[place + 1:]:
            if other["x"] >= one["x"] + one["width"]:
                break
            if one["y"] < other["y"] + other["height"] and other["y"] < one["y"] + one["height"]:
                found.append((one["label"], other["label"]))
    return found


class Page:
    """The tests, in the order in which a user would work."""

    def __init__(self, top, tab):
        self.tab = tab
        self.file = top / "report.html"
        self.bytes = check(top, self.file)
        self.unredacted = check(top, top / "plain.html", "--no-redact")

    def test_opens_without_a_complaint_and_asks_nobody(self):
        self.tab.open(self.file)
        self.tab.call("Emulation.setFocusEmulationEnabled", enabled=True)
        assert self.tab.run("document.documentElement.dataset.drawn") is not None, self.tab.complaints()
        assert self.tab.complaints() == [], self.tab.complaints()
        assert self.tab.requests() == [], self.tab.requests()

    def test_is_small_and_quick(self):
        drawn = int(self.tab.run("document.documentElement.dataset.drawn"))
        print(f"page of {stack.PADDING} libraries: {len(self.bytes)} bytes, drawn in {drawn} ms")
        assert len(self.bytes) < 2_000_000

    def test_the_culprit_is_in_sight(self):
        assert "CUL3004" in self.tab.run("document.querySelector('.verdict').textContent")
        seen = self.tab.run("""(() => { const card = document.querySelector('.card.culprit').getBoundingClientRect(),
          canvas = document.querySelector('.canvas').getBoundingClientRect();
          return card.left >= canvas.left && card.right <= canvas.right &&
            card.top >= canvas.top && card.bottom <= canvas.bottom; })()""")
        assert seen, "the culprit lies outside of the picture"
        assert self.tab.run("document.querySelectorAll('.edge.mixed').length") > 0
        assert "libcudnn_" in self.tab.run("document.querySelector('.facts h3').textContent")
        assert self.tab.run("document.querySelectorAll('.facts .places li').length") > 0
        assert self.tab.run("document.querySelectorAll('.card.loses').length") > 0

    def test_a_finding_unfolds_by_keyboard(self):
        for _ in range(30):
            self.tab.key("Tab", code=9)
            if self.tab.run("document.activeElement.tagName") == "SUMMARY":
                break
        else:
            raise AssertionError("Tab never came to a finding's proof")
        assert not self.tab.run("document.activeElement.parentElement.open")
        self.tab.key("Enter", text="\r", code=13)
        assert self.tab.run("document.activeElement.parentElement.open")
        assert self.tab.run("document.activeElement.parentElement.querySelector('.proof').checkVisibility()")

    def test_a_fix_is_copied(self):
        self.tab.call("Browser.grantPermissions", session=False,
                      permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
        self.tab.run("document.querySelector('.fix .copy').click()")
        wanted = self.tab.run("document.querySelector('.fix code').textContent")
        until = time.monotonic() + 10
        while self.tab.run("document.querySelector('.fix .copy').textContent") == "Copy" and time.monotonic() < until:
            time.sleep(0.05)
        assert self.tab.run("document.querySelector('.fix .copy').textContent") == "Copied"
        assert "LD_LIBRARY_PATH" in wanted and self.tab.run("navigator.clipboard.readText()") == wanted

    def test_typing_finds_a_library(self):
        self.tab.run("document.getElementById('find').focus()")
        self.tab.type("pad0777")
        assert self.tab.run("document.querySelectorAll('#found [role=option]').length") == 1
        self.tab.key("Enter", text="\r", code=13)
        assert "libpad0777.so" in self.tab.run(SELECTED), self.tab.run(SELECTED)
        assert self.tab.run("document.querySelector('.facts h3').textContent") == "libpad0777.so"
        away = self.tab.run("""(() => { const card = document.querySelector('.card.selected').getBoundingClientRect(),
          canvas = document.querySelector('.canvas').getBoundingClientRect();
          return Math.hypot(card.left + card.right - canvas.left - canvas.right,
            card.top + card.bottom - canvas.top - canvas.bottom) / 2; })()""")
        assert away < 5, f"{away} pixels from the middle"
        places = self.tab.run("[...document.querySelectorAll('.facts .places li')].map((place) => place.textContent)")
        assert len(places) >= 3 and "missing" in places[0] and "found" in places[-1], places

    def test_nothing_overlaps(self):
        cards = self.tab.run(RECTANGLES)  # the search has expanded the large group
        assert len(cards) > stack.PADDING, len(cards)
        assert overlapping(cards) == []
        too_long = [card["label"] for card in cards if card["text"] > card["width"]]
        assert too_long == [], too_long

    def test_keys_move_and_zoom(self):
        self.tab.run("document.querySelector('.canvas svg').focus()")
        before = self.tab.run("document.querySelector('.canvas svg > g').getAttribute('transform')")
        self.tab.key("+", text="+")
        assert self.tab.run("document.querySelector('.canvas svg > g').getAttribute('transform')") != before
        self.tab.key("Home", code=36)
        assert "train" in self.tab.run(SELECTED)
        self.tab.key("ArrowRight", code=39)
        assert "train" not in self.tab.run(SELECTED)
        active = self.tab.run("document.querySelector('.canvas svg').getAttribute('aria-activedescendant')")
        assert self.tab.run(f"document.getElementById('{active}').classList.contains('selected')")

    def test_colours_by_origin(self):
        before = self.tab.run("document.querySelector('.legend').textContent")
        self.tab.run("[...document.querySelectorAll('.choice button')].at(-1).click()")
        assert self.tab.run("document.querySelector('.legend').textContent") != before

    def test_another_process_shows_what_is_missing(self):
        self.tab.run("(() => { const box = document.getElementById('process'); "
                     "box.value = [...box.options].find((option) => option.textContent.includes('oken')).value; "
                     "box.dispatchEvent(new Event('change')); })()")
        label = self.tab.run("document.querySelector('.card.missing').getAttribute('aria-label')")
        assert label.endswith("libnowhere.so.3"), label
        assert "libnowhere.so.3" in self.tab.run("document.querySelector('.facts h3').textContent")

    def test_hostile_names_are_only_text(self):
        text = self.bytes.decode()  # valid UTF-8
        assert self.tab.run("typeof hit") == "undefined"
        markup = "main img, main script, main b:not(.file), [onmouseover], [onerror]"
        assert self.tab.run(f"document.querySelectorAll('{markup}').length") == 0
        assert self.tab.run("document.scripts.length") == 2
        signs = set(re.findall("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]", text))
        assert signs == set(), signs
        for words, shown in (("gnp", "lib\\u{202e}gnp.so"), ("31m", "lib\\x1b[31m\\xff\\x0a.so"),
                             ("<img", "lib<img src=x onerror=hit()>.so"), ("<script>", "script><script>hit()<"),
                             ("&lt", "lib\"onmouseover=\"hit()&lt;'.so"), ("2028", "lib\\u{2028}\\u{2066}end.so")):
            self.tab.run("document.getElementById('find').value = ''; document.getElementById('find').focus()")
            self.tab.type(words)
            self.tab.key("Enter", text="\r", code=13)
            name = self.tab.run("document.querySelector('.facts h3').textContent")
            assert name == shown, (name, shown)

    def test_a_script_that_gets_in_does_not_run(self):
        self.tab.run("document.body.insertAdjacentHTML('beforeend', "
                     "'<img src=\"data:image/png;base64,x\" onerror=\"window.hurt = 1\">')")
        self.tab.run("(() => { const script = document.createElement('script'); "
                     "script.textContent = 'window.hurt = 2'; document.body.append(script); })()")
        time.sleep(0.2)
        assert self.tab.run("typeof hurt") == "undefined", "the policy of the page lets foreign scripts run"

    def test_light_and_dark(self):
        ground = "getComputedStyle(document.documentElement).backgroundColor"
        self.tab.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
        dark = self.tab.run(ground)
        self.tab.run("document.getElementById('theme').click()")
        light = self.tab.run(ground)
        self.tab.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "light"}])
        assert dark != light and self.tab.run(ground) == light
        self.tab.run("document.getElementById('theme').click()")
        assert self.tab.run(ground) == dark

    def test_fits_a_narrow_window(self):
        self.tab.size(800, 1000)
        self.tab.open(self.file)
        assert self.tab.run("document.documentElement.scrollWidth") <= 800
        self.tab.size(1400, 1000)

    def test_paper_shows_everything(self):
        self.tab.run("dispatchEvent(new Event('beforeprint'))")
        assert self.tab.run("document.querySelectorAll('details:not([open])').length") == 0
        self.tab.run("dispatchEvent(new Event('afterprint'))")
        assert self.tab.run("document.querySelectorAll('details:not([open])').length") > 0
        assert len(self.tab.call("Page.printToPDF", printBackground=True)["data"]) > 10_000

    def test_the_name_of_the_user_is_hidden(self):
        assert b"/home/ada" in self.unredacted
        told = re.search(rb".{0,60}\bada\b.{0,20}", self.bytes)
        assert not told, told

    def test_a_run_has_its_timeline(self):
        record, page = self.file.parent / "train.run", self.file.parent / "run.html"
        script = "import ctypes, time; time.sleep(0.2); ctypes.CDLL('libno<b>where.so.7')"
        subprocess.run([PROGRAM, "run", "--save", record, "--", sys.executable, "-c", script],
                       capture_output=True, timeout=120)
        subprocess.run([PROGRAM, "explain", record, "--format", "html", "-o", page], check=False, timeout=120)
        self.tab.open(page)
        assert self.tab.complaints() == [], self.tab.complaints()
        assert self.tab.run("document.querySelector('.kind').textContent") == "run"
        happened = self.tab.run("document.querySelector('.happened').textContent")
        assert "libno<b>where.so.7" in happened and "exit status 1" in happened, happened
        assert self.tab.run("document.querySelectorAll('.times .dot').length") > 1
        self.tab.run("document.querySelector('#timeline summary').click()")
        assert self.tab.run("document.querySelectorAll('#timeline details li').length") > 5


def main():
    tests = [name for name in vars(Page) if name.startswith("test_")]
    if not browser.program():
        print("skipped: page: no Chromium on this machine")
        print(f"0 passed, 0 failed, 1 skipped")
        return 0
    failed = 0
    with tempfile.TemporaryDirectory(prefix="culprit-page-") as folder, browser.Browser() as tab:
        stack.make(pathlib.Path(folder))
        page = Page(pathlib.Path(folder), tab)
        for name in tests:
            try:
                getattr(page, name)()
            except (AssertionError, browser.Failure) as error:
                failed += 1
                print(f"failed: {name}: {error}", flush=True)
        if PICTURES:
            PICTURES.mkdir(parents=True, exist_ok=True)
            tab.open(page.file)
            tab.picture(PICTURES / "page.png", whole=True)
    print(f"{len(tests) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
