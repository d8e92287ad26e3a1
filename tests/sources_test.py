#!/usr/bin/env python3
"""tests/sources_test.py: every row of data/ names a source that a reader can open.

A document (its address), a file of a public repository, a wheel on the package index, a header of the toolkit; or what
was seen. What cannot be opened is refused: memory, an unnamed copy, a file that is not here.
"""
import pathlib
import re
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
UNNAMED = re.compile(r"\bmemory\b|unverified|public copy|\bquoted? (in|it)\b(?! \S*github\.com)|as cited in|a public repository")
ELSEWHERE = re.compile(r"https?://|@[0-9a-f]{6,}|\b[\w.-]+/[\w.-]+( \w+)* ?(tags?|branch|HEAD|v\d|commits?)\b|[\w.-]+/[\w.-]+:|\.(whl|tar\.gz):")
OPENABLE = re.compile(
    r"https?://|\w+\.(com|org|net|io|cz)\b|[\w.-]+/[\w.-]+|PyPI|package index|wheels?\b|\.whl|\.tar\.gz|\d+\.\d+(\.\d+)*|"
    r"\bseen\b|own words|pci\.ids|toolkit|as \w+|inside|architectures\.toml|\bMETADATA\b|^its name\b")
NAMED_FILE = re.compile(r"(?<![\w/:.@-])([\w-]+(?:/[\w.-]+)*\.(?:md|toml))\b")


def sources(value, where=""):
    """(where, text) of every source below a value."""
    if isinstance(value, dict):
        where = next((str(value[key]) for key in ("id", "name", "framework", "package", "cuda", "version") if key in value),
                     where)
        for key, inner in value.items():
            if isinstance(inner, str) and (key == "source" or key.endswith("_source")):
                yield where, inner
            else:
                yield from sources(inner, where)
    elif isinstance(value, list):
        for inner in value:
            yield from sources(inner, where)


def here(name):
    return any((ROOT / folder / name).exists() for folder in ("", "data", "docs"))


def mistakes(text):
    """What is wrong with a source."""
    if UNNAMED.search(text):
        yield "names no source that can be opened"
    if not OPENABLE.search(text):
        yield "names nothing that can be opened"
    for part in text.split(";"):
        if not ELSEWHERE.search(part):
            yield from (f"cites {name}, which is not in this repository" for name in NAMED_FILE.findall(part) if not here(name))


def examples():
    """(source, whether it is fine)"""
    yield "https://docs.nvidia.com/deploy/cuda-compatibility/index.html", True
    yield "tensorflow/docs@7c36502127:site/en/install/source.md, source_windows.md", True
    yield "NVIDIA/TensorRT tag v10.0.0:README.md", True
    yield "crt/host_config.h in nvidia-cuda-crt 13.4.92 on PyPI", True
    yield "tensorrt_llm-1.2.1.tar.gz: pyproject.toml", True
    yield "its METADATA: kernels are written in Triton", True
    yield "its name", True
    yield "pci.ids (the A30 has it); capability of the A30: architectures.toml", True
    yield "a public copy of NVIDIA documentation", False
    yield "github.com/tensorflow/tensorflow/issues/72255 (a public copy)", False
    yield "CUDA 13.3 release notes quoted in a public repository", False
    yield "loaders.md part 6: the version gate", False
    yield "docs/not-there.md", False
    yield "https://docs.nvidia.com/cuda/; the rest: memory, unverified", False
    yield "https://docs.nvidia.com/cuda/; bin and PATH: from memory", False
    yield "somebody said so", False


def main():
    wrong = [f"the test itself: {text!r}" for text, fine in examples() if fine == any(True for _ in mistakes(text))]
    files = sorted((ROOT / "data").rglob("*.toml"))
    rows = 0
    for path in files:
        for where, text in sources(tomllib.loads(path.read_text())):
            rows += 1
            wrong += [f"{path.relative_to(ROOT)}: {where}: {problem}: {text}" for problem in mistakes(text)]
    print("\n".join(wrong[:50]))
    print(f"{rows} sources in {len(files)} files, {len(wrong)} wrong")
    return 1 if wrong or rows < 1000 else 0


sys.exit(main())
