#!/usr/bin/env bash
# All scripts on Ingot in strict mode on one simulated part of each silicon of gen9, and ANV's
# figures for these parts. A line for each part.
#
# In:  optionally the folder of a finished build (default: target/release, which is then built).
set -u
cd "$(dirname "$0")/.."
if [ $# -gt 0 ]; then
    binaries=$1
else
    binaries=target/release
    cargo build -q --release --workspace || { echo 'FAILED build'; exit 1; }
fi
parts=$("$binaries/ingot" devices --silicon | awk 'NR > 1 { print $1 }')
failed=0
for part in $parts; do
    if output=$("$binaries/ingot" run --strict --gpu "$part" vkrunner-scripts 2>&1); then
        printf 'ok %s: %s\n' "$part" "$(tail -n 1 <<<"$output")"
    else
        failed=$((failed + 1))
        printf 'FAILED %s\n' "$part"
        tail -n 40 <<<"$output"
    fi
done
[ -n "$parts" ] || { echo 'FAILED: no parts'; exit 1; }
if figures=$(python3 tests/witness/parts.py "$binaries" vkrunner-scripts/draw/tessellation vkrunner-scripts/draw/geometry \
    vkrunner-scripts/shared/reduction.shader_test 2>&1); then
    printf 'ok ANV: %s\n' "$(tail -n 1 <<<"$figures")"
else
    failed=$((failed + 1))
    printf 'FAILED ANV\n%s\n' "$figures"
fi
[ "$failed" -eq 0 ]
