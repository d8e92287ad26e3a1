"""Drive C: of a Windows with Python and nothing else: the base of an environment whose recipe says
platform = "windows".

There is no Windows directory: culprit assumes what belongs to Windows. Python itself is on no package index, so
python.exe and its DLLs are stand-ins (pe_writer.py) with the right names, version and imports, and with every function
that the modules of the environment import from them. Python's bundled C runtime is Microsoft's own file if the
recipe has the package msvc-runtime, otherwise a stand-in.
"""
import os

import pe_tables
import pe_writer

RUNTIME = {"vcruntime140.dll": ["memcpy", "memset"], "vcruntime140_1.dll": ["__CxxFrameHandler4"]}
RUNTIME_VERSION = "14.38.33135.0"


def prefix(python):
    return "Python" + python.replace(".", "")


def variables(python):
    home = "C:\\" + prefix(python)
    return {"SystemDrive": "C:", "SystemRoot": "C:\\Windows", "windir": "C:\\Windows",
            "ProgramFiles": "C:\\Program Files", "ProgramData": "C:\\ProgramData", "PATHEXT": ".COM;.EXE;.BAT;.CMD",
            "PATH": f"{home}\\Scripts;{home};C:\\Windows\\system32;C:\\Windows"}


def imported(root):
    """For each DLL, in lower case, the functions that files below root import from it by name."""
    wanted = {}
    for folder, _, names in os.walk(root):
        for name in names:
            if not name.lower().endswith((".pyd", ".dll", ".exe")):
                continue
            with open(os.path.join(folder, name), "rb") as file:
                data = file.read()
            try:
                tables = pe_tables.PeFile(data)
            except pe_tables.NotUnderstood:
                continue
            for dll, functions, _ in tables.imports + tables.delay_imports:
                wanted.setdefault(dll.lower(), set()).update(functions)
    return wanted


def add_python(root, python):
    """python.exe and its dependencies, next to what is already installed."""
    home, number = root / prefix(python), python.replace(".", "")
    wanted = imported(root)
    texts = {"CompanyName": "Python Software Foundation", "FileDescription": "Python", "ProductName": "Python",
             "FileVersion": f"{python}.9", "ProductVersion": f"{python}.9"}
    version = {"file": f"{python}.9150.1013", "strings": texts}
    for name, functions in RUNTIME.items():
        real = home / "Scripts" / name
        if real.exists():
            os.link(real, home / name)
        else:
            pe_writer.write(home / name, {"exports": sorted(wanted.get(name, set()).union(functions)), "version": {
                "file": RUNTIME_VERSION, "strings": {"FileVersion": RUNTIME_VERSION}}})
    for name in (f"python{number}.dll", "python3.dll"):
        pe_writer.write(home / name, {"exports": sorted(wanted.get(name, set()) | {"Py_Main"}), "version": version,
                                      "imports": [["VCRUNTIME140.dll", ["memcpy"], []],
                                                  ["KERNEL32.dll", ["Sleep"], []]]})
    for name in ("python.exe", "pythonw.exe"):
        pe_writer.write(home / name, {"program": True, "version": version,
                                      "imports": [[f"python{number}.dll", ["Py_Main"], []],
                                                  ["VCRUNTIME140.dll", ["memset"], []]]})
    (home / "Lib" / "os.py").write_text("# A mark of Python's own library.\n")
