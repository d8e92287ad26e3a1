#!/usr/bin/env python3
"""drop_links.py FOLDER: in the Markdown pages below FOLDER, a link to a missing file is replaced by its text.

The pages are written for the repository; a package has only some of its files.
"""
import pathlib
import re
import sys

FENCE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"!?\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")


def without_dead_links(page: pathlib.Path) -> str:
    def kept(link: "re.Match[str]") -> str:
        target = link[2].split("#")[0]
        foreign = not target or re.match(r"[a-z]+:", target)
        return link[0] if foreign or (page.parent / target).exists() else link[1]
    parts = FENCE.split(page.read_text(encoding="utf-8"))
    return "".join(part if number % 2 else LINK.sub(kept, part) for number, part in enumerate(parts))


def main() -> None:
    for page in sorted(pathlib.Path(sys.argv[1]).rglob("*.md")):
        text = without_dead_links(page)
        if text != page.read_text(encoding="utf-8"):
            page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
