#!/bin/sh
# Generates the .spvasm files here and in ../run from the .comp files; needs glslangValidator and
# spirv-tools.
# Optimised modules have phis, merged blocks and selections without a merge instruction, which the
# plain ones do not.
set -e
cd "$(dirname "$0")"
t=$(mktemp -d)
for f in *.comp ../run/*.comp; do
    b=$(basename "${f%.comp}")
    glslangValidator -V --target-env vulkan1.1 "$f" -o "$t/$b.spv" >/dev/null
    # The leading comments of a run case have its directives.
    sed -n 's,^// ,; ,p;/^#version/q' "$f" >"${f%.comp}.spvasm"
    spirv-dis --no-header --no-indent "$t/$b.spv" >>"${f%.comp}.spvasm"
done
for b in control_flow layouts; do
    spirv-opt --target-env=vulkan1.1 -O "$t/$b.spv" -o "$t/o.spv" 2>/dev/null
    spirv-dis --no-header --no-indent "$t/o.spv" -o "${b}_optimised.spvasm"
done
rm -r "$t"
