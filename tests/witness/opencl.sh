#!/bin/sh
# OpenCL kernels of ours by Intel's OpenCL driver, compiled by Intel's own compiler, on the simulated GPU in strict mode: what
# the host computes, the GPU computes.
#
# In:  the folder with `ingot` and the libraries.
# Out: what the client says; exit status 1 if a kernel that is not known to fail fails, if one that is does not, or if a
#      finding is reported.
set -u
binaries=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Intel's compiler adds to a scalar of two registers' destination: `add (16) r2:d r2<0;1,0>:d r1:uw`. Here the second half reads
# what the first has written (base/hw/ERRATA.md, "Halves of compressed instructions"), so it addresses other places.
known='private_array'

cc -std=c11 -O1 -ffp-contract=off tests/clients/opencl/kernels.c -o "$folder/kernels" -lOpenCL -lm || exit 1
"$binaries/ingot" sim --gpu skl --strict --driver neo -- "$folder/kernels" 'HD Graphics 530' >"$folder/output" 2>"$folder/errors"
if grep 'hung:' "$folder/errors"; then
    echo 'strict mode has findings'
    exit 1
fi
cat "$folder/output"
failed=$(sed -n 's/^FAILED \([a-z_]*\):.*/\1/p' "$folder/output" | tr '\n' ' ')
if [ "$failed" != "$known " ]; then
    echo "not as expected: ${failed:-none} failed instead of $known"
    exit 1
fi
passed=$(grep -c '^ok ' "$folder/output")
echo "$passed kernels as the host computes them, $known not, as expected"
[ "$passed" -ge 24 ]
