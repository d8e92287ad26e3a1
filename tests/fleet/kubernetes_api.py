"""The few parts of the Kubernetes API that `culprit fleet run --kubernetes` needs, for a real kubectl: lists of pods and nodes, and `exec`.

No cluster: what a pod would run is run here, with /host of the pod in a folder. `exec` speaks SPDY/3.1 as kubectl does: the streams come in
the order error, output, errors; headers are not read.
"""
import http.server
import json
import struct
import subprocess
import threading
import urllib.parse
import zlib

RESOURCES = {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": "v1", "resources": [
    {"name": "pods", "singularName": "", "namespaced": True, "kind": "Pod", "verbs": ["get", "list"]},
    {"name": "pods/exec", "singularName": "", "namespaced": True, "kind": "PodExecOptions", "verbs": ["create", "get"]},
    {"name": "nodes", "singularName": "", "namespaced": False, "kind": "Node", "verbs": ["get", "list"]}]}
SYN_STREAM, SYN_REPLY, PING, ERROR, OUTPUT, ERRORS = 1, 2, 6, 1, 3, 5


def exactly(stream, count):
    data = stream.read(count)
    if len(data) < count:
        raise EOFError
    return data


class Spdy:
    def __init__(self, reader, writer):
        self.reader, self.writer, self.headers = reader, writer, zlib.compressobj()

    def control(self, kind, payload):
        self.writer.write(struct.pack(">HHI", 0x8003, kind, len(payload)) + payload)
        self.writer.flush()

    def wait_for_streams(self):
        """Until all three are open. Answers to each, without headers."""
        opened = 0
        while opened < 3:
            first, second = struct.unpack(">II", exactly(self.reader, 8))
            payload = exactly(self.reader, second & 0xffffff)
            kind = first & 0xffff
            if first >> 31 and kind == SYN_STREAM:
                opened += 1
                none = self.headers.compress(struct.pack(">I", 0)) + self.headers.flush(zlib.Z_SYNC_FLUSH)
                self.control(SYN_REPLY, payload[:4] + none)
            elif first >> 31 and kind == PING:
                self.control(PING, payload)

    def send(self, stream, data, last):
        for start in range(0, max(len(data), 1), 1 << 20):
            part = data[start:start + (1 << 20)]
            end = last and start + len(part) >= len(data)
            self.writer.write(struct.pack(">II", stream, (1 if end else 0) << 24 | len(part)) + part)
        self.writer.flush()


def status(code):
    if code == 0:
        return {"metadata": {}, "status": "Success"}
    return {"metadata": {}, "status": "Failure", "reason": "NonZeroExitCode", "message": f"command terminated with exit code {code}",
            "details": {"causes": [{"reason": "ExitCode", "message": str(code)}]}}


class Api(http.server.ThreadingHTTPServer):
    """`pods`, `nodes`: objects of the API. `run`: (pod, words) -> a finished process. `forbidden`: resources that may not be listed."""
    daemon_threads = True

    def __init__(self, pods, nodes, run, forbidden=()):
        super().__init__(("127.0.0.1", 0), Handler)
        self.pods, self.nodes, self.run, self.forbidden = pods, nodes, run, forbidden
        self.asked = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def url(self):
        return f"http://127.0.0.1:{self.server_port}"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, value, code=200):
        body = json.dumps(value).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        path, _, query = self.path.partition("?")
        query = urllib.parse.parse_qs(query)
        parts = path.strip("/").split("/")
        self.server.asked.append(path)
        if path == "/api":
            self.answer({"kind": "APIVersions", "versions": ["v1"]})
        elif path == "/apis":
            self.answer({"kind": "APIGroupList", "apiVersion": "v1", "groups": []})
        elif path == "/api/v1":
            self.answer(RESOURCES)
        elif parts[-1] in self.server.forbidden:
            self.answer({"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Forbidden", "code": 403,
                         "message": f"{parts[-1]} is forbidden: User \"ada\" cannot list resource \"{parts[-1]}\""}, 403)
        elif parts[:3] == ["api", "v1", "namespaces"] and parts[4:] == ["pods"]:
            label = dict(one.split("=") for one in query.get("labelSelector", [""])[0].split(",") if one)
            found = [pod for pod in self.server.pods if pod["metadata"]["namespace"] == parts[3]
                     and label.items() <= pod["metadata"].get("labels", {}).items()]
            self.answer({"kind": "PodList", "apiVersion": "v1", "metadata": {}, "items": found})
        elif parts[:3] == ["api", "v1", "namespaces"] and parts[4] == "pods" and len(parts) == 6:
            found = [pod for pod in self.server.pods if pod["metadata"]["name"] == parts[5]]
            self.answer({"kind": "Pod", "apiVersion": "v1", **found[0]})
        elif parts == ["api", "v1", "nodes"]:
            self.answer({"kind": "NodeList", "apiVersion": "v1", "metadata": {}, "items": self.server.nodes})
        else:
            self.answer({"kind": "Status", "status": "Failure", "reason": "NotFound", "code": 404, "message": path}, 404)

    def do_POST(self):
        path, _, query = self.path.partition("?")
        parts = path.strip("/").split("/")
        words = urllib.parse.parse_qs(query)["command"]
        self.send_response(101)
        self.send_header("Connection", "Upgrade")
        self.send_header("Upgrade", "SPDY/3.1")
        self.send_header("X-Stream-Protocol-Version", "v4.channel.k8s.io")
        self.end_headers()
        self.wfile.flush()
        spdy = Spdy(self.rfile, self.wfile)
        spdy.wait_for_streams()
        done = self.server.run(parts[5], words)
        spdy.send(OUTPUT, done.stdout, True)
        spdy.send(ERRORS, done.stderr, True)
        spdy.send(ERROR, json.dumps(status(done.returncode)).encode(), True)
        self.close_connection = True
        try:
            while self.rfile.read(1 << 16):  # until kubectl leaves
                pass
        except OSError:
            pass
