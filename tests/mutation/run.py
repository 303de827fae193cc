#!/usr/bin/env python3
"""Puts deliberate faults into the simulator, one at a time, and tells which of them the tests notice.

In:  `faults.txt`; the scripts and tests of this checkout; Mesa's ANV. Optionally parts of names of faults, to run only
     those.
Out: a line per fault, then how many were noticed; exit status 1 if more than one was not.

Works in a checkout of its own under target/mutation, so nothing here changes. Takes about half a minute per fault.
"""

import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TREE = ROOT / "target" / "mutation" / "tree"
# A test that a fault sends round in circles has noticed it.
LIMIT = 600

SCRIPTS = ["./target/debug/ingot", "sim", "--strict", "--driver", "anv", "--",
           "./target/debug/ingot", "run", "--icd", "loader", "vkrunner-scripts"]
TESTS = ["cargo", "test", "-q", "-p", "ingot-eu", "-p", "ingot-gpu"]
ALL_TESTS = ["cargo", "test", "-q", "--workspace"]
# What notices: a name, what is built before, and what fails.
QUICK = [
    ("scripts on ANV", [["cargo", "build", "-q", "-p", "ingot", "-p", "ingot-shim"]], SCRIPTS),
    ("simulator's tests", [TESTS + ["--no-run"]], TESTS),
]
SLOW = [("all tests", [ALL_TESTS + ["--no-run"]], ALL_TESTS)]


def faults():
    """Name, file, old text and new text of each."""
    for block in (HERE / "faults.txt").read_text().split("\n\n"):
        lines = [line for line in block.splitlines() if line and not line.startswith("#")]
        if lines:
            name, file, old, new = lines
            yield name, file, old.removeprefix("- "), new.removeprefix("+ ")


def passes(command, limit=None):
    try:
        return subprocess.run(command, cwd=TREE, timeout=limit, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def notices(suite):
    """Which part of the suite fails first; nothing if none does."""
    for name, build, check in suite:
        for command in build:
            if not passes(command):
                sys.exit("it does not compile: see faults.txt")
        if not passes(check, LIMIT):
            return name
    return None


def main():
    wanted = sys.argv[1:]
    if any(word.startswith("-") for word in wanted):
        sys.exit(__doc__.strip())
    if not TREE.exists():
        subprocess.run(["git", "worktree", "prune"], cwd=ROOT, check=True)
        subprocess.run(["git", "worktree", "add", "-q", "--detach", TREE], cwd=ROOT, check=True)
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, check=True, capture_output=True, text=True)
    subprocess.run(["git", "checkout", "-q", "--force", "--detach", head.stdout.strip()], cwd=TREE, check=True)
    print("without a fault …", flush=True)
    if (failing := notices(QUICK)) is not None:
        sys.exit(f"{failing}: fails already")
    slow = None
    noticed = missed = 0
    for name, file, old, new in faults():
        if wanted and not any(part in name for part in wanted):
            continue
        path = TREE / file
        text = path.read_text()
        if text.count(old) != 1:
            sys.exit(f"{name}: {file} has {text.count(old)} times: {old}")
        start = time.monotonic()
        path.write_text(text.replace(old, new))
        by = notices(QUICK)
        if by is None:
            # The rest of the tests are many: they are looked at where the others do not notice.
            path.write_text(text)
            slow = slow or notices(SLOW) or "sound"
            path.write_text(text.replace(old, new))
            by = notices(SLOW) if slow == "sound" else None
        path.write_text(text)
        noticed, missed = noticed + (by is not None), missed + (by is None)
        print(f"{'noticed by ' + by if by else 'MISSED':28} {time.monotonic() - start:4.0f} s  {name}", flush=True)
    print(f"{noticed} of {noticed + missed} noticed")
    sys.exit(missed > 1)


if __name__ == "__main__":
    main()
