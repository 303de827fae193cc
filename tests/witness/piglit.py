#!/usr/bin/env python3
"""Runs a folder of VkRunner scripts through piglit, and compares its verdicts with `ingot run`'s.

In:  the folder with `ingot` and `ingot-vkrunner`; a folder of *.shader_test; options for `ingot run`
     do not exist: both sides run our driver in process, on the GPU that INGOT_GPU names.
Out: each difference and a count; exit status 1 if a script has another verdict in piglit, or none.
     piglit's own graphics scripts go along: they need no verdict of ours, but must end with one.
Ref: piglit, framework/profile.py (an installed profile is tests/NAME.xml.gz below PIGLIT_BUILD_DIR).
"""

import argparse
import gzip
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from xml.sax.saxutils import quoteattr

PIGLIT = pathlib.Path("/usr/lib/x86_64-linux-gnu/piglit")


def build_tree(root, scripts):
    """A piglit tree whose `vulkan` profile is our scripts and piglit's own; returns name -> is ours."""
    names = {}
    entries = []

    def add(source, relative, ours):
        target = (root / "tests" / "vulkan" / relative).with_suffix(".vk_shader_test")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.symlink_to(source)
        name = "@".join(("vulkan",) + relative.with_suffix("").parts)
        names[name] = ours
        value = quoteattr(repr(str(target.relative_to(root))))
        entries.append(
            f'<Test type="vkrunner" name={quoteattr(name)}><option name="filename" value={value} /></Test>'
        )

    for script in sorted(scripts.rglob("*.shader_test")):
        add(script.resolve(), pathlib.Path("ingot") / script.relative_to(scripts), True)
    own = PIGLIT / "tests" / "vulkan"
    for script in sorted(own.rglob("*.vk_shader_test")):
        add(script, script.relative_to(own), False)
    text = f'<PiglitTestList count="{len(entries)}" name="vulkan">{"".join(entries)}</PiglitTestList>'
    with gzip.open(root / "tests" / "vulkan.xml.gz", "wt", encoding="utf-8") as profile:
        profile.write(text)
    return names


def piglit_verdicts(root, runner):
    results = root / "results"
    environment = dict(
        os.environ,
        PIGLIT_BUILD_DIR=str(root),
        PIGLIT_VKRUNNER_BINARY=str(runner),
        PIGLIT_COMPRESSION="none",
    )
    command = ["piglit", "run", "-p", "surfaceless_egl", "--timeout", "120", "vulkan", str(results)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"piglit run: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    tests = json.loads((results / "results.json").read_text())["tests"]
    return {name: (test["result"], test["out"] + test["err"]) for name, test in tests.items()}


def ingot_verdicts(ingot, scripts):
    done = subprocess.run([str(ingot), "run", "--verbose", str(scripts)], capture_output=True, text=True)
    verdicts = {}
    for line in done.stdout.splitlines():
        match = re.fullmatch(r"(pass|fail|skip) +[0-9.]+ ms +(.+)", line)
        if match:
            relative = pathlib.Path(match[2]).relative_to(scripts).with_suffix("")
            verdicts["@".join(("vulkan", "ingot") + relative.parts)] = match[1]
    return verdicts


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binaries", type=pathlib.Path)
    parser.add_argument("scripts", type=pathlib.Path)
    arguments = parser.parse_args()
    binaries = arguments.binaries.resolve()
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        names = build_tree(root, arguments.scripts)
        found = piglit_verdicts(root, binaries / "ingot-vkrunner")
    expected = ingot_verdicts(binaries / "ingot", arguments.scripts)
    wrong = 0
    for name, ours in names.items():
        verdict, log = found.get(name, ("absent", ""))
        if ours:
            good = verdict == expected.get(name, "absent from ingot run")
        else:
            good = verdict in ("pass", "fail", "skip")
        if not good:
            wrong += 1
            print(f"{name}: {verdict} in piglit, {expected.get(name, 'any verdict')} expected\n{log}")
    counts = {}
    for verdict, _ in found.values():
        counts[verdict] = counts.get(verdict, 0) + 1
    total = ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items()))
    print(f"{len(names)} scripts in piglit: {total}; {wrong} unlike ingot run")
    return 1 if wrong or "pass" not in counts else 0


if __name__ == "__main__":
    sys.exit(main())
