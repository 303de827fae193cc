#!/usr/bin/env python3
"""OpenGL tests of piglit on the simulated GPU in strict mode, beside llvmpipe: the same verdicts.

In:  the folder with `ingot`; who draws: `iris`, Mesa's driver, or `zink`, OpenGL by way of Vulkan, on Ingot; gl_tests.txt beside
     this file (piglit's command lines); gl_known_WHO.txt (those whose verdicts differ, as `verdict, llvmpipe's verdict: test:
     reason`). A test during which the simulator stops a batch is `stopped`, whatever it says itself.
Out: each difference that is not known, each known one that is none any more; a count. Exit status 1 if there is any, or fewer
     than 200 tests pass.
Ref: piglit, framework/test/piglit_test.py (a test ends with a line `PIGLIT: {"result": ...}`).
"""

import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess
import sys

PIGLIT = pathlib.Path("/usr/lib/x86_64-linux-gnu/piglit")
HERE = pathlib.Path(__file__).parent
# Two at a time: a test of few pixels uses one core.
WORKERS = 2
# Far above what any of them takes, on a busy machine.
TIMEOUT_S = 120
# Tests that have to pass.
LEAST = 200
# Who draws: the driver that the simulator's program loads, and what Mesa is told.
DRAWN_BY = {
    "iris": ("iris", {}),
    "zink": ("ingot", {"MESA_LOADER_DRIVER_OVERRIDE": "zink", "GALLIUM_DRIVER": "zink"}),
}


def lines(name):
    text = (HERE / name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def verdict(prefix, environment, test):
    """What a test says, with the subtests that fail; and why the simulator stopped batches."""
    command = shlex.split(test)
    command[0] = str(PIGLIT / "bin" / command[0])
    try:
        done = subprocess.run(
            prefix + command,
            cwd=PIGLIT,
            env=dict(os.environ, PIGLIT_PLATFORM="surfaceless_egl", **environment),
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "timeout", ""
    except FileNotFoundError:
        return "absent", ""
    found = {}
    for line in done.stdout.splitlines():
        if line.startswith("PIGLIT: "):
            said = json.loads(line.removeprefix("PIGLIT: "))
            found.update(said.get("subtest", {}))
            found["result"] = said.get("result", found.get("result"))
    result = found.pop("result", None) or "crash"
    failed = sorted(name for name, said in found.items() if said == "fail")
    hung = [line for line in done.stderr.splitlines() if "hung:" in line]
    return "stopped" if hung else " ".join([result] + failed), "\n".join(hung)


def verdicts(prefix, environment, tests):
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        return list(pool.map(lambda test: verdict(prefix, environment, test), tests))


def main():
    binaries, who = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    driver, environment = DRAWN_BY[who]
    tests = lines("gl_tests.txt")
    known = {}
    for line in lines(f"gl_known_{who}.txt"):
        both, test, _reason = line.split(": ", 2)
        known[test] = tuple(both.split(", "))
    simulator = [str(binaries / "ingot"), "sim", "--gpu", "skl", "--strict", "--driver", driver, "--"]
    drawn = verdicts(simulator, environment, tests)
    llvmpipe = verdicts([], {"LIBGL_ALWAYS_SOFTWARE": "1", "GALLIUM_DRIVER": "llvmpipe"}, tests)
    wrong = 0
    for test, (ours, hung), (theirs, _) in zip(tests, drawn, llvmpipe):
        expected = known.pop(test, (theirs, theirs))
        if (ours, theirs) != expected:
            wrong += 1
            print(f"{test}: {ours} by {who}, {theirs} by llvmpipe; expected {' and '.join(expected)}\n{hung}")
    for test in known:
        wrong += 1
        print(f"{test}: known, but not run")
    passed = sum(ours.startswith("pass") for ours, _ in drawn)
    print(f"{passed} of {len(tests)} OpenGL tests pass by {who}; {wrong} not as llvmpipe says or as is known")
    return 1 if wrong or passed < LEAST else 0


if __name__ == "__main__":
    sys.exit(main())
