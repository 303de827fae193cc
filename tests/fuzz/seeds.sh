#!/bin/sh
# Makes seeds from the SPIR-V test modules: corpus/spirv/*.spv. spirv-tools needed; with glslangValidator, the
# .comp files named as arguments become seeds too.
set -e
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$here/corpus/spirv"
for f in "$here"/../spirv/*/*.spvasm; do
    case $f in */error_*) continue ;; esac
    spirv-as --target-env spv1.3 "$f" -o "$here/corpus/spirv/$(basename "${f%.spvasm}").spv"
done
for f in "$@"; do
    glslangValidator -V --target-env vulkan1.1 "$f" -o "$here/corpus/spirv/$(basename "${f%.comp}").spv" >/dev/null
done
