"""A machine for a page: two versions of cuDNN in one program, file names that look like markup, and eight
hundred other libraries."""
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "apply"))
import trees  # noqa: E402

PADDING = 850
# A path that closes the script element, one that would be an image, one with a bidirectional override, and bytes that are
# not text.
HOSTILE_FOLDER = "x<"
HOSTILE = [b"script><script>hit()<", b"lib<img src=x onerror=hit()>.so", 'lib\u202egnp.so'.encode(),
           b"lib\x1b[31m\xff\n.so",
           b"lib\"onmouseover=\"hit()&lt;'.so", "lib\u2028\u2066end.so".encode()]


def shared(path, soname, text="", *options):
    """Names are bytes, because they are not text."""
    path.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run([b"cc", b"-x", b"c", b"-", b"-x", b"none", b"-o", bytes(path), b"-shared", b"-fPIC",
                    b"-nostdlib", b"-Wl,-soname," + soname, *(option.encode() for option in options)],
                   input=(text or "int one;\n").encode(), check=True)


def program(path, libraries, *options):
    path.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["cc", "-x", "c", "-", "-x", "none", "-o", path, "-Wl,--no-as-needed", "-Wl,--disable-new-dtags",
                    "-Wl,--allow-shlib-undefined", *options, *libraries],
                   input=b"int main(void) { return 0; }\n", check=True)


def cudnn(folder, minor):
    word = 9 << 16 | minor << 8
    shared(folder / "libcudnn.so.9", b"libcudnn.so.9", "", "-Wl,--enable-new-dtags", "-Wl,-rpath,$ORIGIN")
    shared(folder / "libcudnn_graph.so.9", b"libcudnn_graph.so.9", f"const unsigned cudnn_graph_version = {word};\n")
    for part in ("ops", "cnn", "adv", "heuristic", "engines_precompiled", "engines_runtime_compiled"):
        name = f"libcudnn_{part}.so.9"
        shared(folder / name, name.encode(), f"const unsigned cudnn_{part}_version = {word};\n")


def make(top):
    """Folder with root/ and env; the programs are /home/ada/train, which mixes versions, and another that lacks a library."""
    root = top / "root"
    trees.small_machine(root)
    home = root / "home/ada"
    cudnn(home / "lib", 19)
    cudnn(root / "opt/old", 14)
    for name in ("libcudnn.so.9", "libcudnn_engines_runtime_compiled.so.9"):
        (root / "opt/old" / name).unlink()
    for place in ("first", "second"):  # searched in vain for each library
        (home / place).mkdir()
    hostile = []
    for name in HOSTILE:
        folder = home / "lib" / (HOSTILE_FOLDER if name.startswith(b"script") else "")
        path = folder / name.decode(errors="surrogateescape")
        shared(path, path.name.encode(errors="surrogateescape"))
        hostile.append(path)
    first = home / "lib/libpad0000.so"
    shared(first, b"libpad0000.so")
    padding = [first]
    for number in range(1, PADDING):
        padding.append(home / f"lib/libpad{number:04}.so")
        padding[-1].write_bytes(first.read_bytes().replace(b"libpad0000.so", b"libpad%04d.so" % number))
    rpath = "-Wl,-rpath,/home/ada/first:/home/ada/second:/home/ada/lib:/home/ada/lib/" + HOSTILE_FOLDER
    program(home / "train", [home / "lib/libcudnn.so.9", *hostile, *padding], rpath)
    nowhere = home / "lib/libnowhere.so.3"
    shared(nowhere, b"libnowhere.so.3")
    shared(home / "lib/libmiddle.so", b"libmiddle.so", "", "-Wl,--no-as-needed", str(nowhere))
    program(home / "br<b>oken", [home / "lib/libmiddle.so"], rpath)
    nowhere.unlink()
    shutil.rmtree(root / "app")
    (top / "env").write_text("LD_LIBRARY_PATH=/opt/old\nHOME=/home/ada\nUSER=ada\nPATH=/usr/bin\n")
    return root
