#!/bin/sh
# Makes seeds: corpus/spirv from the SPIR-V test modules and, where `ingot` is built (INGOT names
# it), corpus/batch from what the driver, and Mesa's where it is there, submit for some scripts.
# With glslangValidator, the .comp files named as arguments become seeds too.
set -e
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
mkdir -p "$here/corpus/spirv" "$here/corpus/batch" "$here/corpus/ioctls" "$here/corpus/isa_decode"
# By our own assembler: distributions have one that knows fewer instructions. It is built without
# the flags of the fuzz targets.
find "$here/../spirv" -name '*.spvasm' ! -name 'error_*' -exec env -u RUSTFLAGS -u CARGO_TARGET_DIR \
    cargo run -q --release --manifest-path "$root/Cargo.toml" -p ingot-spirv --example assemble -- \
    "$here/corpus/spirv" {} +
for f in "$@"; do
    glslangValidator -V --target-env vulkan1.1 "$f" -o "$here/corpus/spirv/$(basename "${f%.comp}").spv" >/dev/null
done
ingot=${INGOT:-$root/target/release/ingot}
if [ -x "$ingot" ]; then
    for f in "$root"/vkrunner-scripts/atomics "$root"/vkrunner-scripts/shared "$root"/vkrunner-scripts/workgroups; do
        INGOT_GPU=skl INGOT_SIM=strict,dump="$here/corpus/batch" "$ingot" run "$f" >/dev/null
    done
    # Draws are Mesa's: one of each kind.
    if [ -e /usr/share/vulkan/icd.d/intel_icd.x86_64.json ]; then
        for folder in "$root"/vkrunner-scripts/draw/*; do
            f=$(find "$folder" -name '*.shader_test' | sort | head -n 1)
            INGOT_SIM=strict,dump="$here/corpus/batch" "$ingot" sim --gpu skl --driver anv -- \
                "$ingot" run --icd loader "$f" >/dev/null
        done
    fi
    # The longest are slow to mutate.
    find "$here/corpus/batch" -name '*.batch' -size +96k -delete
fi
