#!/usr/bin/env python3
"""`culprit check` of an image says what `culprit check --root` says of the tree that its layers give: code by code, with
the same evidence. Every format, every compression, from a file, a folder and standard input.

  image_test.py CULPRIT [TREE ENV HOST]    TREE: a stack of the lab instead of the one made here
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "apply")]
import images
import trees

CULPRIT = str(pathlib.Path(sys.argv[1]).resolve())
HOST = "driver=535.183.01,gpu=sm_90"
HAS_ZSTD = shutil.which("zstd") is not None


def big_library(path, soname, megabytes):
    """Larger than what is kept whole of a file in a compressed layer."""
    text = "int greet(void) { return 7; }\n" + f"const char ballast[{megabytes} << 20] = {{1}};\n"
    trees.compile_c(text, path, "-shared", "-fPIC", f"-Wl,-soname,{soname}")


def sick_machine(root):
    """Two cuDNNs, a stub of libcuda on the path of the loader, a package that wants another cuDNN."""
    trees.small_machine(root)
    site = root / "opt/venv/lib/python3.11/site-packages"
    site.mkdir(parents=True)
    (root / "opt/venv/pyvenv.cfg").write_text("home = /usr/bin\nversion = 3.11.2\n")
    (root / "opt/venv/bin").mkdir()
    (root / "usr/bin").mkdir(parents=True)
    shutil.copy(root / "app/train", root / "usr/bin/python3.11")
    (root / "opt/venv/bin/python3").symlink_to("/usr/bin/python3.11")
    part = "nvidia/cudnn/lib/libcudnn.so.9"
    with tempfile.TemporaryDirectory() as wheels:
        trees.unpack(trees.wheel(pathlib.Path(wheels), "nvidia-cudnn-cu12", "9.5.1.17", {"nvidia/__init__.py": "", part: "x"}), site)
        needy = trees.wheel(pathlib.Path(wheels), "deepspeed", "1.0", {"deepspeed/__init__.py": ""})
        needy["deepspeed-1.0.dist-info/METADATA"] += "Requires-Dist: nvidia-cudnn-cu12 ==9.1.0.70\n"
        trees.unpack(needy, site)
    (site / part).unlink()
    big_library(site / part, "libcudnn.so.9", 3)
    big_library(root / "usr/lib" / trees.TRIPLET / "libcudnn.so.9.14.0", "libcudnn.so.9", 40)
    (root / "usr/lib" / trees.TRIPLET / "libcudnn.so.9").symlink_to("libcudnn.so.9.14.0")
    (root / "usr/lib" / trees.TRIPLET / "libcudnn.so").symlink_to("libcudnn.so.9")
    os.link(root / "usr/lib" / trees.TRIPLET / "libcudnn.so.9.14.0", root / "usr/lib/libhard.so.9")
    with open(root / "usr/lib/sparse.bin", "wb") as hole:
        hole.seek(5 << 20)
        hole.write(b"end")
    deep = root / "opt" / "/".join(["long" * 15] * 6)
    deep.mkdir(parents=True)
    (deep / ("name" * 30)).write_text("x")


def report_of(*words, expect=(0, 1, 2), **more):
    host = ["--host", HOST] if HOST else []
    done = subprocess.run([CULPRIT, "check", *map(str, words), *host, "--format", "json"], capture_output=True, **more)
    assert done.returncode in expect, (done.returncode, done.stderr.decode())
    return json.loads(done.stdout), done.stderr.decode()


def comparable(report):
    """All but what an image adds."""
    kept = json.loads(json.dumps(report))
    for finding in kept["findings"]:
        finding.pop("layer", None)
    return kept


class Images(unittest.TestCase):
    maxDiff = 4000

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.work = pathlib.Path(cls.folder.name)
        cls.variables = {"PATH": "/opt/venv/bin:/usr/bin", "LD_LIBRARY_PATH": "/usr/lib"}
        if len(sys.argv) > 2:
            cls.root = pathlib.Path(sys.argv[2]).resolve()
            cls.variables = dict(line.split("=", 1) for line in pathlib.Path(sys.argv[3]).read_text().split("\n") if line)
        else:
            cls.root = cls.work / "root"
            cls.root.mkdir()
            sick_machine(cls.root)
        (cls.work / "env").write_text("".join(f"{name}={value}\n" for name, value in cls.variables.items()))
        cls.layers = images.layers_of(cls.root, cls.work)
        cls.config = images.config_of(cls.layers, {"Env": [f"{name}={value}" for name, value in cls.variables.items()]},
                                      architecture="amd64" if (cls.root / "lib64/ld-linux-x86-64.so.2").exists() else "arm64")
        cls.truth, _ = report_of("--root", cls.root, "--env", cls.work / "env")
        cls.truth = comparable(cls.truth)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def same(self, *words, **more):
        report, _ = report_of(*words, **more)
        self.assertEqual(comparable(report), self.truth)

    def test_the_tree_itself_has_findings(self):
        self.assertTrue(self.truth["findings"])

    def test_docker_archives(self):
        for how in (["plain"], ["gzip"], ["zstd", "plain", "gzip"]):
            if "zstd" in how and not HAS_ZSTD:
                continue
            with self.subTest(how=how):
                image = images.docker_archive(self.work / f"docker-{how[0]}.tar", self.layers, self.config, how)
                self.same(image)
                with open(image, "rb") as stream:
                    self.same("-", stdin=stream)
                image.unlink()

    def test_oci_layouts(self):
        for how in (["plain"], ["gzip"], ["plain", "zstd"]):
            if "zstd" in how and not HAS_ZSTD:
                continue
            with self.subTest(how=how):
                image = images.oci_archive(self.work / f"oci-{how[0]}.tar", self.layers, self.config, how)
                self.same(image)
                self.same(image, "--verify") if len(sys.argv) < 3 else None
                folder = images.oci_folder(self.work / f"oci-{how[0]}", self.layers, self.config, how)
                self.same(folder)
                shutil.rmtree(folder)
                image.unlink()

    def test_exported_root(self):
        tar = images.tar_of(self.root, images.all_paths(self.root), self.work / "root.tar")
        self.same(tar, "--env", self.work / "env")
        self.same(images.packed(tar, "gzip"), "--env", self.work / "env")

    def test_nothing_stays_in_the_directory_for_temporary_files(self):
        place = self.work / "tmp"
        place.mkdir()
        image = images.docker_archive(self.work / "kept.tar", self.layers, self.config, ["gzip"])
        self.same(image, env={**os.environ, "TMPDIR": str(place)})
        self.assertEqual(list(place.iterdir()), [])

    def test_a_variable_names_its_instruction(self):
        """`ENV` makes no layer: the finding names the instruction and the layer that it stands on."""
        config = json.loads(json.dumps(self.config))
        config["config"]["Env"] = ["PATH=/opt/venv/bin:/usr/bin", "LD_LIBRARY_PATH=/none"]
        step = "/bin/sh -c #(nop)  ENV LD_LIBRARY_PATH=/none"
        for place, said in ((3, "ENV LD_LIBRARY_PATH=/other"), (4, step), (7, "ENV LD_LIBRARY_PATH_64=/none")):
            config["history"].insert(place, {"created_by": said, "empty_layer": True})
        image = images.docker_archive(self.work / "variable.tar", self.layers, config)
        layers = [finding.get("layer") for finding in report_of(image)[0]["findings"] if finding["code"] == "CUL5013"]
        self.assertEqual(layers, [{"index": 3, "digest": "", "created_by": step}])
        (self.work / "other.env").write_text("LD_LIBRARY_PATH=/nowhere\n")
        report = report_of(image, "--env", self.work / "other.env")[0]
        self.assertEqual([finding.get("layer") for finding in report["findings"] if finding["code"] == "CUL5013"], [None])

    def test_a_site_rule_names_the_layer(self):
        """--policy: the rules of a site over an image, with the layer and the instruction of what breaks them."""
        policy = self.work / "site.toml"
        policy.write_text('''[[rule]]
code = "SITE001"
require = 'all cudnn at "/usr/*" < 9'
cause = "cudnn-version-mismatch"
text = "no cuDNN of the system"
[[rule]]
code = "SITE002"
forbid = 'variable LD_LIBRARY_PATH'
cause = "search-path"
text = "not in images"
''')
        step = "ENV LD_LIBRARY_PATH=/usr/lib"
        config = json.loads(json.dumps(self.config))
        config["history"].append({"created_by": step, "empty_layer": True})
        image = images.docker_archive(self.work / "policy.tar", self.layers, config)
        report, _ = report_of(image, "--policy", policy, expect=(1,))
        found = {finding["code"]: finding for finding in report["findings"]}
        rooted, _ = report_of("--root", self.root, "--env", self.work / "env", "--policy", policy, expect=(1,))
        self.assertEqual(sorted(found), sorted({finding["code"] for finding in rooted["findings"]}))
        self.assertGreater(found["SITE001"]["layer"]["index"], 0)
        self.assertEqual(found["SITE002"]["layer"]["created_by"], step)

    def root_with_program(self, name, folder):
        """A program, and its library in a folder where no loader looks."""
        root = self.work / name
        (root / "app").mkdir(parents=True)
        (root / folder).mkdir(parents=True)
        library, program = root / folder / "libcublas.so.12", root / "app/serve"
        gcc = lambda text, *words: subprocess.run(["gcc", "-x", "c", "-", *map(str, words)], input=text, text=True, check=True)
        gcc("int f(void) { return 0; }", "-shared", "-Wl,-soname,libcublas.so.12", "-o", library)
        gcc("int f(void); int main(void) { return f(); }", "-x", "none", library, "-o", program)
        listed = subprocess.run(["ldd", "/bin/sh"], capture_output=True, text=True, check=True).stdout.split()
        for path in (word for word in listed if word.startswith("/")):
            (root / path[1:]).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, root / path[1:])
        return root

    def test_the_cache_is_refreshed_when_the_container_starts(self):
        """ld.so.conf names a folder that the cache does not know: a fault of the tree, and none of a container on a host."""
        root = self.root_with_program("stale", "opt/engine")
        (root / "etc").mkdir()
        (root / "etc/ld.so.conf").write_text("/opt/engine\n")

        def codes(*host):
            done = subprocess.run([CULPRIT, "check", "/app/serve", "--root", root, *host, "--format", "json"], capture_output=True)
            return [finding["code"] for finding in json.loads(done.stdout)["findings"]]
        self.assertEqual(codes(), ["CUL4007"])
        self.assertEqual(codes("--host", "driver=580.95.05,gpu=H100"), [])

    def test_a_search_path_that_nobody_expanded_names_its_instruction(self):
        """"$CUDA" as it stands is no directory; "$ORIGIN" is one, which the loader knows."""
        root = self.root_with_program("unexpanded", "usr/local/cuda/lib64")
        layers = [images.tar_of(root, images.all_paths(root), self.work / "unexpanded.layer")]
        for value, blamed in (("${CUDA}/lib64", "ENV LD_LIBRARY_PATH=${CUDA}/lib64"), ("$LIBDIR", "ENV LD_LIBRARY_PATH=$LIBDIR"), ("$ORIGIN/lib", "RUN step 0")):
            config = images.config_of(layers, {"Env": [f"LD_LIBRARY_PATH={value}"], "Cmd": ["/app/serve"]})
            config["history"].append({"created_by": f"ENV LD_LIBRARY_PATH={value}", "empty_layer": True})
            image = images.docker_archive(self.work / "unexpanded.tar", layers, config)
            found = {finding["code"]: finding["layer"]["created_by"] for finding in report_of(image)[0]["findings"]}
            self.assertEqual(found["CUL4007"], blamed)

    def test_a_layer_that_cannot_be_read_is_told(self):
        cut = self.work / "cut.tar"
        data = images.packed(self.layers[-1], "gzip").read_bytes()
        cut.write_bytes(data[:len(data) // 2])
        image = images.docker_archive(self.work / "cut-image.tar", [*self.layers[:-1], cut], self.config)
        report, _ = report_of(image, expect=(2,))
        self.assertEqual(report["verdict"], "unknown")
        self.assertIn({"what": "layer 5", "why": "the compressed layer is truncated"},
                      [{key: line[key] for key in ("what", "why")} for line in report["not_checked"]])
        report, _ = report_of(image, "--host", "driver=580.95.05,gpu=L4", expect=(2,))
        self.assertEqual([host["runs"] for host in report["hosts"]], ["unknown", "unknown"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
