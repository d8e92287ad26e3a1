"""A Kubernetes of one node on this machine, from what build-kubernetes has put into a folder: etcd, API server, controllers, scheduler,
kubelet, containerd. Root. Everything runs in a mount namespace of its own, in which / is shared as on a machine with systemd.
"""
import hashlib
import io
import json
import os
import pathlib
import signal
import socket
import subprocess
import tarfile
import time

PAUSE = "#include <unistd.h>\nint main(void) { for (;;) pause(); }\n"
NAME = "g1"


def address():
    """Of this machine: a kubelet refuses that of the loopback interface."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.connect(("192.0.2.1", 9))
        return one.getsockname()[0]


def image(archive, name, files, command):
    """An image of one layer, as `docker save` writes it. A file whose content is a text is a symlink."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for target, source in files.items():
            if isinstance(source, str):
                link = tarfile.TarInfo(target)
                link.type, link.linkname = tarfile.SYMTYPE, source
                tar.addfile(link)
            else:
                tar.add(source, target)
        for folder in ("tmp", "host", "textfile", "proc", "sys", "dev", "etc"):
            entry = tarfile.TarInfo(folder)
            entry.type, entry.mode = tarfile.DIRTYPE, 0o755
            tar.addfile(entry)
    layer = packed.getvalue()
    cpu = {"x86_64": "amd64", "aarch64": "arm64"}[os.uname().machine]
    config = json.dumps({"architecture": cpu, "os": "linux", "config": {"Cmd": command, "Env": ["PATH=/usr/bin:/bin"]},
                         "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(layer).hexdigest()]}}).encode()
    digest = hashlib.sha256(config).hexdigest() + ".json"
    manifest = json.dumps([{"Config": digest, "RepoTags": [name], "Layers": ["layer.tar"]}]).encode()
    with tarfile.open(archive, "w") as tar:
        for file, data in ((digest, config), ("layer.tar", layer), ("manifest.json", manifest)):
            entry = tarfile.TarInfo(file)
            entry.size = len(data)
            tar.addfile(entry, io.BytesIO(data))


def wait(what, test, seconds=180):
    for _ in range(seconds * 2):
        if test():
            return
        time.sleep(0.5)
    raise RuntimeError("not ready: " + what)


class Kubernetes:
    def __init__(self, built, work):
        self.built, self.debian, self.work = built / "bin", built / "debian", work
        self.api, self.store = "127.0.0.1:16443", "127.0.0.1:12379"
        self.environment = {**os.environ, "KUBECONFIG": str(work / "kubeconfig"),
                            "PATH": f"{self.debian}/usr/bin:{self.debian}/usr/sbin:{os.environ['PATH']}"}
        self.daemons = []

    def spawn(self, program, *words):
        out = open(self.work / f"{pathlib.Path(program).name}.log", "wb")
        self.daemons.append(subprocess.Popen(["nsenter", f"--mount=/proc/{self.place.pid}/ns/mnt", program, *map(str, words)], env=self.environment,
                                             stdout=out, stderr=out, start_new_session=True))

    def kubectl(self, *words, check=True, **more):
        return subprocess.run(["kubectl", *words], env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=check, **more).stdout

    def start(self, images):
        """`images`: {name: (files, command)}"""
        self.place = subprocess.Popen(["unshare", "--mount", "--propagation", "shared", "sleep", "infinity"])
        time.sleep(0.5)
        (self.work / "kubeconfig").write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "one", "users": [{"name": "one", "user": {"token": "secret"}}],
            "clusters": [{"name": "one", "cluster": {"server": f"https://{self.api}", "insecure-skip-tls-verify": True}}],
            "contexts": [{"name": "one", "context": {"cluster": "one", "user": "one"}}]}))
        (self.work / "tokens").write_text("secret,admin,1,system:masters\n")
        self.key = self.work / "accounts.key"
        subprocess.run(["openssl", "genrsa", "-out", self.key, "2048"], check=True, capture_output=True)
        self.spawn("etcd", f"--data-dir={self.work}/etcd", f"--listen-client-urls=http://{self.store}", f"--advertise-client-urls=http://{self.store}",
                   "--listen-peer-urls=http://127.0.0.1:12380")
        self.start_api()
        self.start_containers(images)
        self.spawn(self.built / "kubelet", "--kubeconfig", self.work / "kubeconfig", f"--hostname-override={NAME}", "--container-runtime=remote",
                   f"--container-runtime-endpoint=unix://{self.work}/containerd.sock", "--root-dir", self.work / "kubelet", "--cert-dir", self.work / "kubelet-certs",
                   "--cgroup-driver=cgroupfs", "--fail-swap-on=false", "--cgroups-per-qos=false", "--enforce-node-allocatable=", "--authorization-mode=AlwaysAllow",
                   "--anonymous-auth=true", "--port=11250", "--read-only-port=0", "--healthz-port=0", f"--node-ip={address()}", "--eviction-hard=",
                   "--image-gc-high-threshold=100")
        ready = "jsonpath={.status.conditions[?(@.type=='Ready')].status}"
        wait("the node", lambda: self.kubectl("get", "node", NAME, "-o", ready, check=False) == "True")

    def start_api(self):
        accounts = ["--service-account-issuer=https://one", f"--service-account-key-file={self.key}", f"--service-account-signing-key-file={self.key}"]
        self.spawn(self.built / "kube-apiserver", f"--etcd-servers=http://{self.store}", "--secure-port=16443", "--bind-address=127.0.0.1",
                   "--cert-dir", self.work / "api-certs", "--token-auth-file", self.work / "tokens", "--authorization-mode=RBAC", *accounts,
                   "--service-cluster-ip-range=10.77.0.0/24", "--kubelet-preferred-address-types=InternalIP")
        wait("the API", lambda: self.kubectl("get", "--raw", "/readyz", check=False) == "ok")
        for name, port, more in (("kube-controller-manager", 16257, [f"--service-account-private-key-file={self.key}"]), ("kube-scheduler", 16259, [])):
            self.spawn(self.built / name, "--kubeconfig", self.work / "kubeconfig", "--leader-elect=false", "--port=0", f"--secure-port={port}",
                       "--cert-dir", self.work / name, *more)

    def start_containers(self, images):
        network = {"type": "ptp", "ipam": {"type": "host-local", "dataDir": f"{self.work}/addresses", "ranges": [[{"subnet": "10.78.0.0/24"}]]}}
        (self.work / "network").mkdir()
        (self.work / "network/one.conflist").write_text(json.dumps({"cniVersion": "0.4.0", "name": "one", "plugins": [network]}))
        (self.work / "containerd.toml").write_text(f"""version = 2
root = "{self.work}/containerd"
state = "{self.work}/containerd-state"
[grpc]
address = "{self.work}/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = "docker.io/library/pause:1"
restrict_oom_score_adj = true
[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = "{self.debian}/usr/lib/cni"
conf_dir = "{self.work}/network"
""")
        self.spawn("containerd", "-c", self.work / "containerd.toml")
        subprocess.run(["cc", "-static", "-x", "c", "-", "-o", self.work / "pause"], input=PAUSE.encode(), check=True)
        control = ["ctr", "-a", f"{self.work}/containerd.sock", "-n", "k8s.io"]
        wait("containerd", lambda: subprocess.run([*control, "version"], env=self.environment, capture_output=True, check=False).returncode == 0)
        for name, (files, command) in {"pause:1": ({"pause": self.work / "pause"}, ["/pause"]), **images}.items():
            image(self.work / "image.tar", "docker.io/library/" + name, files, command)
            subprocess.run([*control, "images", "import", self.work / "image.tar"], env=self.environment, capture_output=True, check=True)

    def stop(self):
        for process in reversed(self.daemons):
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        for place in pathlib.Path("/proc").glob("[0-9]*/cmdline"):  # what containerd has started has left its group
            words = place.read_bytes() if place.exists() else b""
            if f"{self.work}/".encode() in words and b"shim" in words:
                os.kill(int(place.parent.name), signal.SIGKILL)
        self.place.kill()
        self.place.wait()
