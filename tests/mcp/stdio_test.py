#!/usr/bin/env python3
"""culprit mcp over its pipes: the real program, real commands behind it. usage: stdio_test.py PROGRAM"""
import json
import subprocess
import sys
import unittest

PROGRAM = sys.argv.pop(1)


def ask(*requests, options=()):
    """{id: answer}, and what it wrote to standard error. The pipe is closed at once: what was asked is answered first."""
    lines = [json.dumps({"jsonrpc": "2.0", "id": number, **request}) for number, request in enumerate(requests)]
    run = subprocess.run([PROGRAM, "mcp", *options], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True)
    answers = [json.loads(line) for line in run.stdout.splitlines()]
    return {answer["id"]: answer for answer in answers}, run.stderr


def call(tool, **arguments):
    return {"method": "tools/call", "params": {"name": tool, "arguments": arguments}}


def text_of(answer):
    return answer["result"]["content"][0]["text"]


class Mcp(unittest.TestCase):
    def test_commands_answer(self):
        answers, error = ask(
            {"method": "initialize", "params": {"protocolVersion": "2025-06-18"}},
            call("explain", text="RuntimeError: CUDA error: no kernel image is available for execution on the device"),
            call("explain", code="CUL3004"),
            call("compat", versions={"cuda": "12.4", "gcc": "13.3"}, format="json"),
            call("inspect", file=PROGRAM),
            call("plan", want="torch", host="driver=535.183.01,gpu=L4", python="3.11", platform="linux-x86_64"))
        self.assertEqual(error, "")
        self.assertEqual(len(answers), 6)
        self.assertIn("arch-unsupported", text_of(answers[1]))
        self.assertIn("CUL3004", text_of(answers[2]))
        self.assertEqual(answers[3]["result"]["structuredContent"]["answer"]["schema"], "culprit.compat/1")
        self.assertIn("format", text_of(answers[4]))
        self.assertIn("pip install torch", text_of(answers[5]))
        self.assertFalse(any(answer["result"].get("isError") for answer in answers.values()))

    def test_a_text_is_standard_input_and_a_code_is_no_file(self):
        answers, _ = ask(call("explain", text="a NUL \0\nCUDA error: out of memory", format="json"), call("explain", code=__file__))
        self.assertEqual([{"name": "-", "lines": 2}], answers[0]["result"]["structuredContent"]["answer"]["inputs"])
        self.assertTrue(answers[1]["result"]["isError"])
        self.assertIn("does not know the code", text_of(answers[1]))

    def test_it_runs_programs_only_if_allowed(self):
        asked = call("run", command=["sh", "-c", "echo ran"])
        refused, _ = ask(asked)
        self.assertEqual(refused[0]["error"]["code"], -32602)
        answers, _ = ask(asked, options=["--allow-run"])
        self.assertIn("ran", text_of(answers[0]))

    def test_a_slow_answer_ends(self):
        answers, _ = ask(call("run", command=["sleep", "600"]), options=["--allow-run", "--timeout", "1"])
        self.assertIn("no answer within 1 s", text_of(answers[0]))
        self.assertTrue(answers[0]["result"]["isError"])
        self.assertEqual(answers[0]["result"]["structuredContent"]["exit_status"], 2)

    def test_pages_can_be_read(self):
        answers, _ = ask({"method": "resources/list"}, {"method": "resources/read", "params": {"uri": "culprit://rules/CUL3004"}})
        self.assertIn("culprit://rules/CUL3004", [page["uri"] for page in answers[0]["result"]["resources"]])
        self.assertIn("CUL3004", answers[1]["result"]["contents"][0]["text"])


if __name__ == "__main__":
    unittest.main()
