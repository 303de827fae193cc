#!/usr/bin/env bash
# A short run of the mutation witness: programs are recorded on Mesa's driver, single fields of their batches are changed, and
# the simulator has to notice. mutation.sh [CHANGES] [SEED] [OPTIONS of mutate-fields]; recordings are kept in target/mutation.
#
# In:  a finished release build. Without INGOT_REQUIRE_TOOLS, what is not installed is skipped and said to be.
set -u
cd "$(dirname "$0")/.."
changes=${1:-300} seed=${2:-1}
# Of the changes that count, so many percent are noticed.
least=75
anv=/usr/share/vulkan/icd.d/intel_icd.x86_64.json
piglit=/usr/lib/x86_64-linux-gnu/piglit/bin
for tool in "$anv" "$piglit"; do
    if [ ! -e "$tool" ] && [ -z "${INGOT_REQUIRE_TOOLS:-}" ]; then
        echo "skipped mutation: $tool is not installed"
        exit 0
    fi
done
scripts="blending/factor-constant blending/separate-alpha blending/logic-2 buffers/ubo-fragment clipping/distance
    depth/bias-slope depth/intersect-d24-unorm-s8-uint geometry/end-primitive indexed/restart indexed/instanced
    interpolation/many-varyings interpolation/noperspective multisample/alpha-to-coverage-edge multisample/edge-16 multisample/edge-8
    multisample/sample-position-4
    multisample/sample-shading rasterisation/point-coord rasterisation/polygon-line sequence/compute-then-draw
    stencil/front-back tessellation/quads-fractional-odd topology/line-strip vertex-formats/r16g16-snorm"
# OpenGL on Mesa's Vulkan driver: textures, mipmaps, layers, indirect draws and dispatches, transform feedback.
programs="arb_draw_indirect-draw-elements-base-instance
arb_compute_shader-indirect-compute
fbo-3d
ext_transform_feedback-tessellation quads smooth
depthstencil-render-miplevels 64 d=z24
tex-border-1
arb_occlusion_query2-render
arb_pipeline_statistics_query-frag"
folder=target/mutation
mkdir -p "$folder"
files=

record() { # record NAME COMMAND...: under this name, unless that is there and newer than the simulator
    local file=$folder/$1.rec
    files="$files $file"
    shift
    [ "$file" -nt target/release/libingot_sim.so ] && return
    target/release/ingot sim --driver anv --record "$file" -- "$@" >"$folder/log" 2>&1 ||
        { echo "FAILED recording $*"; tail -n 20 "$folder/log"; rm -f "$file"; exit 1; }
}

for script in $scripts; do
    record "$(echo "$script" | tr / -)" target/release/ingot run --icd loader "vkrunner-scripts/draw/$script.shader_test"
done
while read -r program arguments; do
    # shellcheck disable=SC2086
    record "$program" env MESA_LOADER_DRIVER_OVERRIDE=zink GALLIUM_DRIVER=zink PIGLIT_PLATFORM=surfaceless_egl \
        "$piglit/$program" $arguments -auto -fbo
done <<<"$programs"
# shellcheck disable=SC2086
cargo run -q --release -p ingot-kmd --example mutate-fields -- \
    --draw "$changes" --seed "$seed" --least "$least" "${@:3}" $files
