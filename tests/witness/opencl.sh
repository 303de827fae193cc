#!/bin/sh
# OpenCL kernels of ours by Intel's OpenCL driver, compiled by Intel's own compiler, on the
# simulated GPU in strict mode: what
# the host computes, the GPU computes.
#
# In:  the folder with `ingot` and the libraries.
# Out: what the client says; exit status 1 if a kernel fails or a finding is reported.
set -u
binaries=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cc -std=c11 -O1 -ffp-contract=off tests/clients/opencl/kernels.c -o "$folder/kernels" -lOpenCL -lm || exit 1
"$binaries/ingot" sim --gpu skl --strict --driver neo -- "$folder/kernels" 'HD Graphics 530' >"$folder/output" 2>"$folder/errors"
if grep 'hung:' "$folder/errors"; then
    echo 'strict mode has findings'
    exit 1
fi
cat "$folder/output"
if grep -q '^FAILED ' "$folder/output"; then
    echo 'not what the host computes'
    exit 1
fi
passed=$(grep -c '^ok ' "$folder/output")
echo "$passed kernels as the host computes them"
[ "$passed" -ge 26 ]
