#!/usr/bin/env bash
# Hashes what a build of Ingot compiles and submits: for changes that must not change a byte.
#
#     tests/byte_hashes.sh [--shaders DIR]... [--scripts DIR] BUILD > hashes.txt
#
# In:  the folder of a finished build (target/release, or a copy of it), folders of shaders (GLSL or
# SPIR-V), and a folder of
#      scripts.
# Out: a line for each shader and SIMD width (the hash of its machine code, or the exit status of a
# compiler that refuses it),
#      and a line for each script (the hash of all its submissions, recorded on the simulator), sorted by name.
#
# Compare two builds with diff. A script that races with the GPU (it polls, or waits with a timeout)
# submits different batches
# each time: hash the old build twice, and leave out what differs between those two.
set -u
cd "$(dirname "$0")/.." || exit 2
shaders=()
scripts=
while [ $# -gt 1 ]; do
    case $1 in
    --shaders) shaders+=("$(realpath "$2")") ;;
    --scripts) scripts=$(realpath "$2") ;;
    *) break ;;
    esac
    shift 2
done
[ $# -eq 1 ] || { sed -n 's/^#     //p' "$0" | head -n 1 >&2; exit 2; }
build=$(realpath "$1")
export build
export work
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset INGOT_SIM INGOT_DEBUG INGOT_GPU
printf '{"file_format_version": "1.0.0", "ICD": {"library_path": "%s", "api_version": "1.3.0"}}\n' \
    "$build/libvulkan_ingot.so" >"$work/driver.json"

machine_code() { # machine_code SHADER
    local simd status file
    file=$(mktemp -p "$work")
    for simd in 8 16 32; do
        : >"$file"
        timeout 60 "$build/ingot" compile --simd "$simd" -o "$file" "$1" >/dev/null 2>&1
        status=$?
        if [ "$status" -eq 0 ]; then
            echo "$1 SIMD$simd $(sha256sum <"$file" | cut -c 1-16)"
        else
            echo "$1 SIMD$simd refused ($status)"
        fi
    done
    rm "$file"
}
submissions() { # submissions SCRIPT
    local file
    file=$(mktemp -p "$work")
    timeout 120 "$build/ingot" sim --gpu skl --driver "$work/driver.json" --record "$file" -- \
        "$build/ingot" run --icd loader "$1" >/dev/null 2>&1
    echo "$1 $(sha256sum <"$file" | cut -c 1-16)"
    rm "$file"
}
export -f machine_code submissions

{
    [ ${#shaders[@]} -eq 0 ] || find "${shaders[@]}" -type f \( -name '*.comp' -o -name '*.vert' -o -name '*.tesc' \
        -o -name '*.tese' -o -name '*.geom' -o -name '*.frag' -o -name '*.spv' \) -print0 |
        xargs -0 -n 1 -P "$(nproc)" bash -c 'machine_code "$1"' -
    [ -z "$scripts" ] || find "$scripts" -type f \( -name '*.shader_test' -o -name '*.vk_shader_test' \) -print0 |
        xargs -0 -n 1 -P "$(nproc)" bash -c 'submissions "$1"' -
} | LC_ALL=C sort
