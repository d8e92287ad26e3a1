#!/usr/bin/env python3
"""culprit fix --apply and --undo, with the program itself on real trees: what was broken works, and after --undo
everything is as before, byte for byte. If it is killed with SIGKILL before any system call that changes something,
every file is either the old or the new one, and --undo restores everything.

  apply_test.py CULPRIT [NAME]     NAME: only the cases whose name contains it
"""
import importlib.util
import json
import os
import pty
import shutil
import subprocess
import sys
import threading
import traceback

sys.dont_write_bytecode = True
from trees import TRIPLET, differences, library, small_machine, state_of
from worlds import CULPRIT, Skip, broken_link_and_path, case, pinned, stale_cache

# Every system call with which culprit changes a file, or waits for a program that does.
CALLS = ("write", "fsync", "fdatasync", "syncfs", "renameat", "renameat2", "linkat", "symlinkat", "unlinkat", "mkdirat",
         "fchmod", "fchown", "utimensat", "ppoll,poll")


def content(path):
    if path.is_symlink():
        return os.readlink(path)
    return path.read_bytes() if path.exists() else None


def as_bytes(text):
    return text.encode() if isinstance(text, str) else text


def expect_same(before, world, when):
    lines = differences(before, state_of(world.tree))
    assert not lines, when + ":\n  " + "\n  ".join(lines)


def there_and_back(world):
    """Shown without changing anything; applied, and the finding is gone; undone, and as before; nothing more to undo."""
    before = state_of(world.tree)
    shown = world.ask(*world.words, expect=1)
    assert {fix["proof"]["outcome"] for fix in shown["fixes"]} == {"shown"}, json.dumps(shown["fixes"], indent=1)
    assert all(action["automatic"] for fix in shown["fixes"] for action in fix["actions"]), shown["fixes"]
    expect_same(before, world, "only shown")
    applied = world.apply()
    codes = {word for word in world.words if word.startswith("CUL")}
    assert applied["applied"] and {step["state"] for step in applied["steps"]} == {"done"}, applied["steps"]
    assert not codes & {finding["code"] for finding in applied["left"]}, applied["left"]
    assert world.ask(*world.words, expect=0)["fixes"] == []
    for path, (old, new) in world.watched.items():
        now = content(path)
        assert as_bytes(now) != as_bytes(old) and (new is None or as_bytes(now) == as_bytes(new)), (path, now)
    undone = world.undo()
    assert undone["undone"], undone
    expect_same(before, world, "undone")
    again = world.run(*world.undo_words(), expect=0)
    assert "nothing to undo" in again.stderr, again.stderr
    return before


def need_strace():
    if shutil.which("strace") is None or subprocess.run(
            ["strace", "-qq", "-o", "/dev/null", "true"], capture_output=True).returncode != 0:
        raise Skip("strace may not trace here")


def strace(*injections):
    """The one thread that changes files; its children and the collector threads are not traced."""
    calls = ",".join(injection.split(":")[0] for injection in injections)
    return ["strace", "-qq", "-o", "/dev/null", "-e", f"trace={calls}",
            *(word for injection in injections for word in ("-e", f"inject={injection}"))]


def step_of(stride, call):
    return 1 if os.environ.get("CULPRIT_KILL") == "every" else (stride or {}).get(call, 1)


def killed_everywhere(world, calls, stride=None):
    """Before the first call of each kind, before the second ... until the run gets through. `stride`: of a call that
    only fills a directory nobody looks at yet, each so-manieth is enough; CULPRIT_KILL=every leaves none out."""
    need_strace()
    before, kills = state_of(world.tree), 0
    for call in calls:
        for number in range(1, 400, step_of(stride, call)):
            done = world.run(*world.words, "--apply", "--yes", before=strace(f"{call}:signal=KILL:when={number}"))
            where = f"killed before {call} number {number}"
            for path, (old, new) in world.watched.items():
                now = as_bytes(content(path))
                fresh = world.fresh[path]
                assert now in (as_bytes(old), fresh), f"{where}: {path} is neither old nor new: {now!r}"
            if done.returncode >= 0 and done.returncode != 137:
                assert done.returncode == 0, f"{where}: {done.returncode}\n{done.stdout}{done.stderr}"
                world.undo()
                expect_same(before, world, f"undone after {where}, which did not happen")
                break
            kills += 1
            world.undo()
            expect_same(before, world, f"undone after being {where}")
    assert kills > 10, f"only {kills} kills"
    return kills


def undo_killed_everywhere(world, calls, stride=None):
    need_strace()
    before, kills = state_of(world.tree), 0
    for call in calls:
        for number in range(1, 400, step_of(stride, call)):
            world.apply()
            done = world.run(*world.undo_words(), before=strace(f"{call}:signal=KILL:when={number}"))
            killed = done.returncode < 0
            if killed:
                kills += 1
                world.undo()
            expect_same(before, world, f"undone again after it was killed before {call} number {number}")
            if not killed:
                break
    assert kills > 5, f"only {kills} kills"


def learn_fresh(world):
    """The watched files after the fix is applied."""
    world.apply()
    world.fresh = {path: as_bytes(content(path)) for path in world.watched}
    world.undo()


def test_broken_link_and_wrong_path_in_an_environment_file():
    with case(broken_link_and_path) as world:
        there_and_back(world)


def test_broken_link_killed_everywhere():
    with case(broken_link_and_path) as world:
        learn_fresh(world)
        killed_everywhere(world, CALLS[:-1])


def test_undo_of_a_broken_link_killed_everywhere():
    with case(broken_link_and_path) as world:
        undo_killed_everywhere(world, ("write", "fdatasync", "renameat", "symlinkat", "utimensat"))


def test_undo_of_a_pin_killed_everywhere():
    with case(pinned) as world:
        undo_killed_everywhere(world, ("renameat2", "fdatasync", "unlinkat"), {"unlinkat": 6})


def test_where_a_file_can_have_one_name_only():
    """The journal is on another file system: copies instead of hard links."""
    need_strace()
    with case(broken_link_and_path) as world:
        world.under = strace("linkat:error=EXDEV")
        there_and_back(world)


def test_where_directories_cannot_be_exchanged():
    need_strace()
    with case(pinned) as world:
        world.under = strace("renameat2:error=EINVAL", "linkat:error=EXDEV")
        before = there_and_back(world)
        for number in (3, 4, 5):  # the first two unpack the package
            world.run(*world.words, "--apply", "--yes",
                      before=strace("renameat2:error=EINVAL", f"renameat:signal=KILL:when={number}"))
            world.undo()
            expect_same(before, world, f"undone after being killed before rename {number}")


def test_stale_cache():
    with case(stale_cache) as world:
        there_and_back(world)


def test_stale_cache_killed_everywhere():
    with case(stale_cache) as world:
        learn_fresh(world)
        killed_everywhere(world, ("write", "fdatasync", "linkat", "unlinkat", "ppoll,poll"))


def test_pin_with_real_pip():
    def make(world):
        found = importlib.util.find_spec("pip")
        world.real_pip = os.path.dirname(found.origin) if found else None
        pinned(world)

    with case(make) as world:
        there_and_back(world)


def test_pip_is_that_of_the_environment():
    """Not one of the directory in which the user happens to be, nor of PYTHONPATH."""
    with case(pinned) as world:
        for folder in (world.top, world.top / "modules"):
            (folder / "pip").mkdir(parents=True)
            (folder / "pip/__init__.py").touch()
            (folder / "pip/__main__.py").write_text(f"open({str(world.top / 'executed')!r}, 'w')\n")
        world.environment["PYTHONPATH"] = str(world.top / "modules")
        there_and_back(world)
        assert not (world.top / "executed").exists(), "a foreign pip was run"


def test_settings_of_pip_are_named_before_they_are_followed():
    with case(pinned) as world:
        config = world.prefix / "pip.conf"
        config.write_text("[global]\n")
        settings = [set(action["settings"]) for fix in world.ask(*world.words)["fixes"] for action in fix["actions"]
                    if action["commands"]]
        assert settings, "no action runs pip"
        for named in settings:
            assert {str(config), "PIP_NO_INDEX", "PIP_FIND_LINKS"} <= named, named
        assert str(config) in world.run(*world.words).stdout
        told = world.run(*world.words, "--apply", "--yes", expect=0).stderr
        assert str(config) in told, told


def test_pin_killed_everywhere():
    with case(pinned) as world:
        learn_fresh(world)
        killed_everywhere(world, ("write", "fdatasync", "syncfs", "renameat2", "renameat", "linkat", "unlinkat", "mkdirat"),
                          {"linkat": 6, "unlinkat": 6, "mkdirat": 6})


def test_the_file_that_a_shell_reads():
    def make(world):
        home = world.tree / "home"
        home.mkdir()
        (home / ".bashrc").write_text("if true; then\n  export LD_LIBRARY_PATH=/gone/lib:$LD_LIBRARY_PATH\nfi\n")
        (home / ".profile").write_text("export LD_LIBRARY_PATH=/app:/gone/lib/\n")
        small_machine(world.top / "machine")
        world.environment.update(HOME=str(home), LD_LIBRARY_PATH="/gone/lib:/app")
        world.words = ["CUL5013", str(world.top / "machine/app/train")]
        world.watched = {
            home / ".bashrc": (None, "if true; then\n  : # removed by culprit: "
                               "export LD_LIBRARY_PATH=/gone/lib:$LD_LIBRARY_PATH\nfi\n"),
            home / ".profile": (None, "export LD_LIBRARY_PATH=/app\n")}

    with case(make) as world:
        before = state_of(world.tree)
        fixes = world.ask(*world.words, expect=1)["fixes"]
        gone = [fix for fix in fixes if "/gone/lib" in fix["summary"]]
        assert len(gone) == 1 and gone[0]["actions"][0]["automatic"], fixes
        applied = world.apply(expect=None)
        for path, (_, new) in world.watched.items():
            assert path.read_text() == new, path.read_text()
        assert "new" in json.dumps(applied["steps"]) or "from now on" in json.dumps(applied["steps"]), applied["steps"]
        assert not [one for one in applied["left"] if "/gone/lib" in one["summary"]], applied["left"]
        world.undo()
        expect_same(before, world, "undone")


def test_what_a_shell_works_out_is_left_to_the_user():
    def make(world):
        home = world.tree / "home"
        home.mkdir()
        (home / ".bashrc").write_text("export LD_LIBRARY_PATH=$(echo /gone/lib)\n")
        small_machine(world.top / "machine")
        world.environment.update(HOME=str(home), LD_LIBRARY_PATH="/gone/lib")
        world.words = ["CUL5013", str(world.top / "machine/app/train")]

    with case(make) as world:
        before = state_of(world.tree)
        action = world.ask(*world.words, expect=1)["fixes"][0]["actions"][0]
        assert not action["automatic"] and ".bashrc: line 1" in action["why_not"], action
        applied = world.apply(expect=1)
        assert [step["state"] for step in applied["steps"]] == ["skipped"], applied["steps"]
        expect_same(before, world, "left alone")


def test_a_file_that_somebody_else_changed_is_not_undone():
    with case(broken_link_and_path) as world:
        world.apply()
        world.file.write_text("mine now\n")
        refused = world.run(*world.undo_words(), expect=2)
        assert str(world.file) in refused.stderr and "something else" in refused.stderr, refused.stderr
        assert world.file.read_text() == "mine now\n" and os.readlink(world.link) == "libgreet.so.1.1"
        world.undo("--force")
        assert world.file.read_text().startswith("# of the image"), world.file.read_text()
        assert os.readlink(world.link) == "libgreet.so.1.0"
        assert "mine now\n" in [path.read_text() for path in world.top.glob("state/**/old/*-changed")]


def test_packages_installed_since_are_not_lost():
    with case(pinned) as world:
        world.apply()
        (world.site / "later").mkdir()
        (world.site / "later/__init__.py").write_text("")
        assert "something else" in world.run(*world.undo_words(), expect=2).stderr
        assert (world.site / "later/__init__.py").exists()


def test_a_killed_run_is_told_and_blocks_the_next():
    need_strace()
    with case(broken_link_and_path) as world:
        world.run(*world.words, "--apply", "--yes", before=strace("symlinkat:signal=KILL"))
        told = world.ask(*world.words, expect=1)
        assert told["killed_run"], told
        assert "killed before it finished" in world.run(*world.words, "--apply", "--yes", expect=2).stderr
        assert world.undo()["undone"]
        assert not world.ask(*world.words, expect=1)["killed_run"]


def test_it_asks_on_a_terminal_and_nowhere_else():
    with case(broken_link_and_path) as world:
        before = state_of(world.tree)
        assert "no terminal" in world.run(*world.words, "--apply", expect=64).stderr
        expect_same(before, world, "not asked")
        for answers, link, status in ((b"n\ny\n", "libgreet.so.1.0", 1), (b"q\n", "libgreet.so.1.0", 1),
                                      (b"a\n", "libgreet.so.1.1", 0)):
            master, slave = pty.openpty()
            os.write(master, answers)
            done = subprocess.run([CULPRIT, "fix", *world.words, "--apply"], env=world.environment, stdin=slave,
                                  capture_output=True, text=True, cwd=world.top, timeout=60)
            os.close(master), os.close(slave)
            assert "apply these changes?" in done.stderr and done.returncode == status, (answers, done)
            assert os.readlink(world.link) == link, answers
            world.undo()
            expect_same(before, world, f"undone after {answers}")


def test_never_through_a_link_and_never_out_of_the_tree():
    def make(world):
        broken_link_and_path(world)
        outside = world.top / "outside"
        shutil.copytree(world.tree / "usr/lib", outside / "lib", symlinks=True)
        shutil.rmtree(world.tree / "usr/lib")
        (world.tree / "usr/lib").symlink_to(outside / "lib")  # dangling inside the tree
        real = world.top / "real.env"
        os.rename(world.file, real)
        world.file.symlink_to(real)

    with case(make) as world:
        before = state_of(world.top)
        world.run(*world.words, "--apply", "--yes")
        after = {path: what for path, what in state_of(world.top).items() if not path.startswith("state")}
        lines = [line for line in differences(before, after) if not line.startswith((".:", "state"))]
        assert not lines, lines


def test_what_needs_root_is_named_before_anything_is_done():
    with case(broken_link_and_path) as world:
        if os.geteuid() == 0 and shutil.which("setpriv") is None:
            raise Skip("there is no setpriv to give up root's rights with")
        nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.geteuid() == 0 else []
        world.top.chmod(0o755)
        world.environment["CULPRIT_STATE"] = str(world.top / "his")
        (world.top / "his").mkdir(mode=0o700)
        if nobody:
            os.chown(world.top / "his", 65534, 65534)
            world.file.chmod(0o644)
        world.link.parent.chmod(0o555)
        before = state_of(world.tree)
        refused = world.run(*world.words, "--apply", "--yes", before=nobody, expect=2)
        assert "sudo culprit fix CUL5001" in refused.stderr and str(world.link.relative_to(world.tree)) in refused.stderr, \
            refused.stderr
        expect_same(before, world, "refused")


def test_usage():
    with case(lambda world: None) as world:
        for words, why in ((["CUL0000"], "unknown rule CUL0000"), (["--apply", "--undo"], "not both"), (["--yes"], "--apply"),
                           (["--force"], "--undo"), (["--host", "gpu=Voodoo2"], "gpu")):
            assert why in world.run(*words, expect=64).stderr, words


def main():
    wanted = sys.argv[2] if len(sys.argv) > 2 else ""
    tests = [(name, test) for name, test in globals().items() if name.startswith("test_") and wanted in name]
    results, lock = [], threading.Lock()

    def work():
        while True:
            with lock:
                if not tests:
                    return
                name, test = tests.pop(0)
            try:
                test()
                result = "passed"
            except Skip as why:
                result = "skipped"
                print(f"skipped: {name}: {why}", flush=True)
            except Exception:  # whatever it is, it is reported
                result = "failed"
                print(f"FAILED {name}\n{traceback.format_exc()}", flush=True)
            results.append(result)

    # The long ones first, two at a time.
    tests.sort(key=lambda each: "killed" not in each[0])
    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(", ".join(f"{results.count(kind)} {kind}" for kind in ("passed", "failed", "skipped")))
    return 1 if "failed" in results else 0


if __name__ == "__main__":
    sys.exit(main())
