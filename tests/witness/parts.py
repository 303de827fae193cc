#!/usr/bin/env python3
"""Compares what Mesa's ANV programs on one simulated part of each silicon of gen9 with our table.

In:  the folder with `ingot`; the scripts to run, in strict mode.
Out: each part on which a script fails, and each figure of the table (`ingot devices --silicon`)
     that ANV's own table of devices contradicts; exit status 1 if there is one. The last line
     counts.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

GEOMETRY_STAGES = ("3DSTATE_VS", "3DSTATE_HS", "3DSTATE_DS", "3DSTATE_GS")


def parts(ingot):
    """The rows of the table: a dictionary by column for each silicon."""
    table = subprocess.run([ingot, "devices", "--silicon"], capture_output=True, text=True, check=True).stdout.splitlines()
    columns = table[0].split()
    for line in table[1:]:
        cells = line.split()
        yield dict(zip(columns, [cells[0], *map(int, cells[1:])], strict=True))


def recorded(ingot, part, scripts, folder):
    """Verdicts of the scripts on ANV, and the text of the batches that it submitted."""
    recording = folder / f"{part}.rec"
    run = [ingot, "run", "--icd", "loader", *scripts]
    done = subprocess.run([ingot, "sim", "--gpu", part, "--strict", "--driver", "anv", "--record", recording, "--", *run],
                          capture_output=True, text=True)
    batches = subprocess.run([ingot, "batch", recording], capture_output=True, text=True, check=True).stdout
    return done, batches


def threads(batches, packet):
    """The values of Maximum Number of Threads, plus one, in the commands with this name that give one."""
    found = set()
    for command in re.split(r"\n(?=0x[0-9a-f]+: )", batches):
        name = command.split("\n", 1)[0].split(": ", 1)[-1]
        value = re.search(r"^    Maximum Number of Threads: (\d+)$", command, re.M)
        if name == packet and value:
            found.add(int(value[1]) + 1)
    return found


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("binaries", type=pathlib.Path)
    arguments.add_argument("scripts", nargs="+", type=pathlib.Path)
    given = arguments.parse_args()
    ingot = given.binaries / "ingot"
    wrong, count = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for part in parts(ingot):
            name = part["NAME"]
            done, batches = recorded(ingot, name, given.scripts, pathlib.Path(folder))
            if done.returncode != 0:
                wrong.append(f"{name}: ANV in strict mode:\n{done.stdout}{done.stderr}")
            expected = dict.fromkeys(GEOMETRY_STAGES, part["STAGE-THREADS"])
            expected["MEDIA_VFE_STATE"] = part["SLICES"] * part["SUBSLICES"] * part["MAX-EUS"] * part["THREADS"]
            for packet, most in expected.items():
                count += 1
                found = threads(batches, packet)
                if found != {most}:
                    wrong.append(f"{name}: {packet} with {sorted(found)} threads by ANV, {most} by our table")
    print("\n".join(wrong), file=sys.stderr)
    print(f"{count} figures of ANV's, {len(wrong)} differences")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
