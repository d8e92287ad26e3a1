#!/usr/bin/env python3
"""culprit mcp, asked by the official client (`pip install mcp`), as an agent's host does it.

usage: client_test.py PROGRAM [--show]    --show prints each answer
"""
import asyncio
import sys
import tempfile

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

LOG = """Traceback (most recent call last):
  File "train.py", line 7, in <module>
    y = model(x.cuda())
RuntimeError: CUDA error: no kernel image is available for execution on the device
"""


def plain(answer):
    """An answer with the protocol's own names: the client's differ between its releases."""
    return answer.model_dump(by_alias=True, mode="json", exclude_none=True)


def text_of(result):
    return "".join(part["text"] for part in result["content"])


async def ask(program, show):
    failures = []

    def expect(what, held, seen=""):
        print(("ok      " if held else "FAILED  ") + what)
        if not held:
            failures.append(what)
            print(seen)

    async def call(session, tool, **arguments):
        result = plain(await session.call_tool(tool, arguments))
        if show:
            print(f"--- {tool} {arguments}\n{text_of(result)}")
        return result

    async with stdio_client(StdioServerParameters(command=program, args=["mcp"])) as (read, write), ClientSession(read, write) as session:
        about = plain(await session.initialize())
        expect("initialize", about["serverInfo"]["name"] == "culprit" and about["instructions"], about)
        tools = {tool["name"]: tool for tool in plain(await session.list_tools())["tools"]}
        expect("tools", set(tools) == {"check", "explain", "why", "inspect", "plan", "compat", "fix"}, tools)
        expect("tools only read", all(tool["annotations"]["readOnlyHint"] for tool in tools.values()), tools)

        result = await call(session, "explain", text=LOG)
        expect("explain names the cause", "arch-unsupported" in text_of(result) or "sm_" in text_of(result), result)
        result = await call(session, "explain", text=LOG, format="json")
        expect("explain as JSON", result["structuredContent"]["answer"]["causes"][0]["cause"] == "arch-unsupported", result)
        expect("its input has no name", result["structuredContent"]["answer"]["inputs"][0]["name"] == "-", result)
        result = await call(session, "explain", text="a NUL \0 in\n" + LOG)
        expect("a text with a NUL", "arch-unsupported" in text_of(result), result)
        result = await call(session, "explain", code="CUL3004")
        expect("the page of a code", "cuDNN" in text_of(result) and not result["isError"], result)
        result = await call(session, "explain", code=__file__)
        expect("a code is never a file", result["isError"] and "does not know the code" in text_of(result), result)
        result = await call(session, "plan", want=["torch"], host="driver=535.183.01,gpu=L4", python="3.11")
        expect("plan gives a command", "pip install" in text_of(result) and not result["isError"], result)
        result = await call(session, "compat", versions={"cuda": "12.4", "gcc": "13.3"})
        expect("compat says yes", "yes" in text_of(result), result)
        with tempfile.TemporaryDirectory() as root:
            result = await call(session, "check", root=root, host="driver=535.183.01,gpu=L4")
        expect("check looks at a root", "driver" in text_of(result), result)
        result = await call(session, "why", **{"for": sys.executable})
        expect("why lists libraries", "libc" in text_of(result), result)
        result = await call(session, "inspect", file="/nowhere")
        expect("a file that is not there is said to be that", "no such file" in text_of(result), result)
        result = await call(session, "fix", apply=True)
        expect("fix applies nothing", result["isError"] and "--allow-apply" in text_of(result), result)

        pages = plain(await session.list_resources())["resources"]
        expect("pages are resources", len(pages) > 100, pages)
        page = plain(await session.read_resource(pages[0]["uri"]))
        expect("a page is Markdown", page["contents"][0]["text"].startswith("#"), page)
        several = await asyncio.gather(*(session.call_tool("compat", {"versions": {"cuda": f"12.{n}", "driver": "535.183.01"}}) for n in range(8)))
        expect("eight at once", all(not plain(one)["isError"] for one in several), several)
    return failures


if __name__ == "__main__":
    sys.exit(1 if asyncio.run(ask(sys.argv[1], "--show" in sys.argv)) else 0)
