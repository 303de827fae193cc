#!/bin/sh
# Makes the .spvasm files from the .comp files: glslangValidator and spirv-tools needed.
# The optimised forms have phis, merged blocks and selections without merge that the plain ones lack.
set -e
cd "$(dirname "$0")"
t=$(mktemp -d)
for f in *.comp; do
    b=${f%.comp}
    glslangValidator -V --target-env vulkan1.1 "$f" -o "$t/$b.spv" >/dev/null
    spirv-dis --no-header --no-indent "$t/$b.spv" -o "$b.spvasm"
done
for b in control_flow layouts; do
    spirv-opt --target-env=vulkan1.1 -O "$t/$b.spv" -o "$t/o.spv" 2>/dev/null
    spirv-dis --no-header --no-indent "$t/o.spv" -o "${b}_optimised.spvasm"
done
rm -r "$t"
