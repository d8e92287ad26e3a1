"""A headless Chromium, controlled through its debugging pipe: JSON messages, each terminated by a zero byte.

Only what the tests of the page need; the standard library is enough.
"""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "chrome")
SECONDS = 60


def program():
    return next((found for found in map(shutil.which, PROGRAMS) if found), None)


class Failure(Exception):
    pass


class Browser:
    def __init__(self, width=1400, height=1000):
        self.profile = tempfile.TemporaryDirectory(prefix="culprit-page-")
        to_browser, self.write_end = os.pipe()
        self.read_end, from_browser = os.pipe()

        def pipes():  # Chromium reads from 3 and writes to 4
            read = os.dup(to_browser)
            write = os.dup(from_browser)
            os.dup2(read, 3)
            os.dup2(write, 4)

        flags = ["--headless=new", "--remote-debugging-pipe", "--no-first-run", "--disable-gpu", "--no-sandbox",
                 "--disable-extensions", "--disable-component-update", "--disable-background-networking",
                 "--disable-sync", "--disable-default-apps", "--disable-dev-shm-usage", "--mute-audio",
                 "--force-device-scale-factor=1",
                 "--user-data-dir=" + self.profile.name, f"--window-size={width},{height}", "about:blank"]
        self.log = open(os.path.join(self.profile.name, "log"), "wb")
        self.process = subprocess.Popen([program(), *flags], preexec_fn=pipes, close_fds=False,
                                        stdout=self.log, stderr=self.log)
        os.close(to_browser)
        os.close(from_browser)
        self.pending = b""
        self.number = 0
        self.events = []
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        self.size(width, height)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("Browser.close", session=False)
        except (Failure, OSError):
            pass
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.write_end)
        os.close(self.read_end)
        self.log.close()
        self.profile.cleanup()

    def receive(self, until):
        while b"\0" not in self.pending:
            ready, _, _ = select.select([self.read_end], [], [], max(0, until - time.monotonic()))
            data = os.read(self.read_end, 1 << 20) if ready else b""
            if not data:
                raise Failure("Chromium does not answer" + ("" if ready else f" within {SECONDS} s"))
            self.pending += data
        message, self.pending = self.pending.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, session=True, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session and self.session:
            message["sessionId"] = self.session
        os.write(self.write_end, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + SECONDS
        while True:
            answer = self.receive(until)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise Failure(f"{method}: {answer['error']['message']}")
                return answer["result"]
            if "method" in answer:
                self.events.append(answer)

    def size(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def open(self, path):
        """Opens a file and waits until it is drawn. Its events start here."""
        self.events = []
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        until = time.monotonic() + SECONDS
        while self.run("document.readyState") != "complete" or self.run("location.protocol") != "file:":
            if time.monotonic() > until:
                raise Failure("the page is not loaded")
            time.sleep(0.02)

    def run(self, script):
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True,
                           userGesture=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise Failure(f"{script}: {details.get('exception', {}).get('description', details['text'])}")
        return answer["result"].get("value")

    def key(self, key, text=None, code=0, modifiers=0):
        common = {"key": key, "windowsVirtualKeyCode": code, "modifiers": modifiers}
        self.call("Input.dispatchKeyEvent", type="keyDown", **common, **({"text": text} if text else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def type(self, words):
        for letter in words:
            self.key(letter, text=letter)

    def click(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def complaints(self):
        """Console errors, including exceptions, since `open`."""
        found = []
        for event in self.events:
            if event["method"] == "Runtime.exceptionThrown":
                details = event["params"]["exceptionDetails"]
                found.append(details.get("exception", {}).get("description", details["text"]))
            elif event["method"] == "Log.entryAdded" and event["params"]["entry"]["level"] in ("error", "warning"):
                found.append(event["params"]["entry"]["text"])
            elif event["method"] == "Runtime.consoleAPICalled" and \
                    event["params"]["type"] in ("error", "warning", "assert"):
                found.append(str(event["params"]["args"]))
        return found

    def requests(self):
        """Every request since `open`, except for the page itself and data: URLs."""
        urls = [event["params"]["request"]["url"] for event in self.events
                if event["method"] == "Network.requestWillBeSent"]
        return [url for url in urls[1:] if not url.startswith("data:")]

    def picture(self, path, whole=False):
        options = {}
        if whole:
            size = self.call("Page.getLayoutMetrics")["cssContentSize"]
            clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 6000), "scale": 1}
            options = {"captureBeyondViewport": True, "clip": clip}
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", format="png", **options)["data"]))
