#!/bin/sh
# The wgpu client's scenes on an Intel driver on the simulated GPU, in strict mode, beside those of
# lavapipe: the
# same pictures, within what Vulkan lets two drivers differ by.
#
# In:  the folder with `ingot` and the libraries, the folder with the client, lavapipe's manifest,
# the Intel driver as
#      `ingot sim --driver` names it.
# Out: a line per scene with both times, then a count; exit status 1 if a picture differs, a finding
# is reported or
#      another device drew.
set -u
binaries=$1 client=$2/ingot-client-scenes lavapipe=$3 driver=$4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() {
    echo "scenes: $1"
    cat "$folder/output" "$folder/errors" 2>/dev/null | tail -n 40
    exit 1
}

on_lavapipe() { # on_lavapipe ARGUMENTS...: lavapipe without its fast path, whose linear rasteriser rounds on its own
    VK_ICD_FILENAMES=$lavapipe VK_DRIVER_FILES=$lavapipe LP_PERF=no_rast_linear \
        "$client" "$@" >"$folder/output" 2>"$folder/errors"
}

on_lavapipe "$folder/lavapipe" || fail 'lavapipe cannot draw them'
grep -q '^device: llvmpipe' "$folder/output" || fail 'not drawn by lavapipe'
cp "$folder/output" "$folder/reference"

# Agreement means something only where a difference is noticed.
cp -r "$folder/lavapipe" "$folder/wrong"
cp "$folder/wrong/cubes.png" "$folder/wrong/triangle.png"
on_lavapipe "$folder/again" --compare "$folder/wrong" && fail 'a wrong picture is not noticed'
[ "$(grep -c DIFFERS "$folder/output")" -eq 1 ] || fail 'one wrong picture is not one difference'

"$binaries/ingot" sim --gpu skl --strict --driver "$driver" -- \
    "$client" "$folder/simulated" --compare "$folder/lavapipe" >"$folder/output" 2>"$folder/errors"
status=$?
# The simulator says on standard error what ended a submission.
grep -q 'hung:' "$folder/errors" && fail 'strict mode has findings'
[ "$status" -eq 0 ] || fail "exit status $status"
grep -qF '(SKL GT2)' "$folder/output" || fail 'not drawn on the simulated GPU'

scenes=$(grep -c ' ms ' "$folder/reference")
same=$(grep -c ' ok: ' "$folder/output")
[ "$same" -eq "$scenes" ] || fail "$same of $scenes scenes are the same"
grep ' ms ' "$folder/reference" | while read -r name ms _; do
    printf '%-12s lavapipe %8s ms, simulated %s\n' "$name" "$ms" "$(sed -n "s/^$name  *//p" "$folder/output")"
done
echo "$same scenes as lavapipe draws them, no findings"
