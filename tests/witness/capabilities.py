#!/usr/bin/env python3
"""Holds what our driver offers beside what Mesa's ANV offers on the same simulated GPU, as vulkaninfo asks for it.

In:  the folder with `ingot`; a file of what is known to be less (capabilities.toml beside this one).
Out: each capability of ANV's that ours lacks and the file does not name, each line of the file that no longer holds, and a
     count; exit status 1 if there is one.

More than ANV offers is never wrong here: the conformance tests, the scripts and the validation layer judge that.
"""

import argparse
import fnmatch
import json
import pathlib
import subprocess
import sys
import tempfile
import tomllib

# Who the driver is, and figures that are ids, not capabilities.
IDENTITY = {
    "conformanceVersion", "deviceName", "deviceUUID", "driverID", "driverInfo", "driverName", "driverUUID", "driverVersion",
    "pipelineCacheUUID", "shaderModuleIdentifierAlgorithmUUID",
}
# Members of limits of which less is more.
LESS_IS_MORE = ("Alignment", "Granularity", "lineWidthGranularity", "pointSizeGranularity")


def profile(binaries, driver):
    """What the device can do: vulkaninfo writes a profile into the folder where it runs."""
    with tempfile.TemporaryDirectory() as folder:
        command = [binaries / "ingot", "sim", "--gpu", "skl", "--driver", driver, "--", "vulkaninfo", "--json"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        written = list(pathlib.Path(folder).glob("VP_VULKANINFO_*.json"))
        if len(written) != 1:
            sys.exit(f"vulkaninfo on {driver}: no profile\n{done.stderr}")
        return json.loads(written[0].read_text())["capabilities"]["device"]


def leaves(value, path=()):
    """Every value that is not a structure, by its path. A list of names is one value for each; a list of numbers is numbered."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, path + (key,))
    elif isinstance(value, list) and all(isinstance(inner, str) for inner in value):
        for inner in value:
            yield path + (inner,), True
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from leaves(inner, path + (str(number),))
    else:
        yield path, value


def enough(name, index, theirs, ours):
    """Whether a value is at least as good as ANV's."""
    if ours is None:
        return theirs in (False, 0)
    if isinstance(theirs, bool) or isinstance(theirs, str):
        return ours == theirs or theirs is False
    # Ranges: the first figure is the least, the second the most. Offsets go below 0.
    if name.endswith("Range") or name.startswith("min") and theirs < 0:
        return ours <= theirs if index == "0" or theirs < 0 else ours >= theirs
    if name.startswith("min") or name.endswith(LESS_IS_MORE):
        return ours <= theirs
    return ours >= theirs


def lacking(theirs, ours):
    """Paths of what is less than ANV's, with both values."""
    ours = dict(leaves(ours))
    for path, value in leaves(theirs):
        names = [part for part in path if not part.isdigit()]
        name = path[-2] if path[-1].isdigit() else path[-1]
        if IDENTITY.intersection(path) or not names:
            continue
        if not enough(name, path[-1], value, ours.get(path)):
            yield ".".join(path), value, ours.get(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binaries", type=pathlib.Path)
    parser.add_argument("--known", type=pathlib.Path, default=pathlib.Path(__file__).with_name("capabilities.toml"))
    args = parser.parse_args()
    binaries = args.binaries.resolve()
    theirs, ours = profile(binaries, "anv"), profile(binaries, "ingot")
    known = tomllib.loads(args.known.read_text())
    bad, met = 0, set()
    seen = 0
    for chapter in ("features", "properties", "formats", "extensions", "queueFamiliesProperties"):
        there = theirs[chapter]
        here = ours[chapter]
        if chapter == "extensions":
            # Names alone: the versions of specifications say nothing of what is there.
            there, here = list(there), list(here)
        seen += sum(1 for _ in leaves(there))
        reasons = known.get(chapter, {})
        for path, wanted, got in lacking(there, here):
            # A reason may be given for several: `*` stands for anything.
            name = next((k for k in reasons if fnmatch.fnmatchcase(path, k)), None)
            if name is None:
                bad += 1
                print(f"{chapter} {path}: ANV {wanted}, ours {got}")
            else:
                met.add((chapter, name))
    for chapter, reasons in known.items():
        for name in reasons:
            if (chapter, name) not in met:
                bad += 1
                print(f"{chapter} {name}: no longer less than ANV's, and still listed")
    print(f"{seen} capabilities of ANV's: {bad} differ from what is known, {len(met)} lines are known to be less")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
