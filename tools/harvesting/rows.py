"""Rows as TOML writes them."""
import json
import textwrap


def table(name, rows):
    text = ""
    for row in rows:
        text += f"[[{name}]]\n"
        for key, value in row.items():
            line = f"{key} = {json.dumps(value)}"
            if len(line) > 118 and isinstance(value, list):
                items = textwrap.wrap(", ".join(map(json.dumps, value)) + ",", 114, break_on_hyphens=False)
                line = f"{key} = [\n" + "".join(f"  {item}\n" for item in items) + "]"
            text += line + "\n"
        text += "\n"
    return text


def lines(name, rows):
    """The rows as inline tables, one in a line; empty values are left out."""
    text = "".join("  {" + ", ".join(f"{key} = {json.dumps(value)}" for key, value in row.items() if value) + "},\n" for row in rows)
    return f"{name} = [\n{text}]\n"
