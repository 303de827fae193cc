#!/usr/bin/env bash
# A short run of the mutation witness: programs are recorded on Mesa's drivers and on ours, single
# fields of their batches are
# changed, and flags of their PIPE_CONTROLs left out, and the simulator has to notice. mutation.sh
# [CHANGES] [SEED] [OPTIONS of mutate-fields]; recordings are kept in target/mutation.
#
# In:  a finished release build. Without INGOT_REQUIRE_TOOLS, what is not installed is skipped and
# said to be.
set -u
cd "$(dirname "$0")/.."
changes=${1:-300} seed=${2:-1}
# Of the changes that count, so many percent are noticed.
least=97
anv=/usr/share/vulkan/icd.d/intel_icd.x86_64.json
piglit=/usr/lib/x86_64-linux-gnu/piglit/bin
for tool in "$anv" "$piglit"; do
    if [ ! -e "$tool" ] && [ -z "${INGOT_REQUIRE_TOOLS:-}" ]; then
        echo "skipped mutation: $tool is not installed"
        exit 0
    fi
done
scripts="arithmetic/float-add arithmetic/float-mul
    draw/blending/factor-constant draw/blending/float-target draw/blending/separate-alpha draw/blending/logic-2
    draw/blending/write-mask-green draw/buffers/atomics-return draw/buffers/atomics-vertex draw/buffers/ssbo-geometry
    draw/buffers/ubo-four-and-push-constants draw/buffers/ubo-fragment draw/buffers/ubo-geometry draw/builtins/base-vertex draw/builtins/infinity-in-every-stage
    draw/builtins/primitive-id
    draw/clipping/cull-distance draw/clipping/depth-clamp draw/clipping/distance draw/clipping/line draw/clipping/near-far
    draw/clipping/point-at-edge draw/depth/bias-slope draw/depth/bias-written draw/depth/early-tests
    draw/depth/intersect-d24-unorm-s8-uint draw/geometry/end-primitive draw/geometry/lines-adjacency draw/geometry/primitive-id
    draw/geometry/strip-order draw/geometry/triangles-adjacency draw/indexed/instanced draw/indexed/no-restart draw/indexed/restart
    draw/indexed/vertex-offset draw/interpolation/many-varyings draw/interpolation/noperspective draw/interpolation/struct
    draw/interpolation/varyings-28 draw/interpolation/varyings-apart draw/multisample/alpha-to-coverage-edge
    draw/multisample/centroid draw/multisample/clear-depth draw/multisample/edge-2 draw/multisample/edge-16
    draw/multisample/edge-8 draw/multisample/frag-coord-depth draw/multisample/line draw/multisample/sample-position-16 draw/multisample/sample-position-2 draw/multisample/sample-position-4
    draw/multisample/sample-position-8 draw/multisample/sample-shading draw/multisample/stencil draw/rasterisation/point-at-corner draw/rasterisation/point-coord
    draw/rasterisation/polygon-line draw/rasterisation/polygon-point draw/sequence/compute-then-draw draw/stencil/each-bit
    draw/stencil/depth-fail-op-sides draw/stencil/front-back draw/stencil/op-increment-and-wrap draw/stencil/discard draw/stencil/only
    draw/tessellation/isolines draw/tessellation/isolines-pieces-fractional-even draw/tessellation/point-mode
    draw/tessellation/polygon-line draw/tessellation/quads-fractional-odd draw/tessellation/triangles-pieces-fractional-odd
    draw/tessellation/vertices-16 draw/tessellation/vertices-8 draw/topology/line-strip draw/topology/triangle-fan
    draw/vertex-formats/r16g16-snorm draw/vertex-formats/r16g16-uint draw/vertex-formats/r32-sfloat
    draw/vertex-formats/r32g32b32-sint draw/vertex-formats/r8g8b8a8-uscaled pressure/scratch-array pressure/scratch-in-every-stage"
# OpenGL on Mesa's Vulkan driver: textures, mipmaps, layers, indirect draws and dispatches,
# transform feedback.
programs="arb_draw_indirect-draw-elements-base-instance
arb_compute_shader-indirect-compute
arb_clear_texture-stencil
arb_framebuffer_no_attachments-atomic
arb_gpu_shader5-xfb-streams
arb_occlusion_query2-render
arb_pipeline_statistics_query-clip
arb_pipeline_statistics_query-frag
arb_pipeline_statistics_query-geom
arb_pipeline_statistics_query-vert_adj
arb_transform_feedback2-change-objects-while-paused
arb_transform_feedback2-draw-auto
depth-clamp-range
depthstencil-render-miplevels 64 d=z24
ext_transform_feedback-buffer-usage
ext_transform_feedback-immediate-reuse
ext_transform_feedback-tessellation quads smooth
fbo-3d
fbo-blending-snorm
fragment-and-vertex-texturing
shader_runner $PWD/tests/mutation/programs/textures_in_every_stage.shader_test
shader_runner $piglit/../tests/spec/arb_texture_query_lod/execution/fs-textureQueryLOD-linear.shader_test
tex-border-1
texwrap 2D GL_RGBA8 bordercolor
vertex-fallbacks"
# OpenGL on Mesa's own driver for it, which has other states than the other.
iris_programs="arb_clip_control-viewport
shader_runner $PWD/tests/mutation/programs/reciprocal_of_zero.shader_test
shader_runner $PWD/tests/mutation/programs/textures_in_every_stage.shader_test
linestipple
ext_transform_feedback-tessellation triangle_strip flat_first
arb_pipeline_statistics_query-clip
arb_point_sprite-checkerboard
arb_seamless_cubemap
arb_viewport_array-render-viewport
ext_polygon_offset_clamp-draw
ext_transform_feedback-immediate-reuse
ext_transform_feedback-separate
fbo-generatemipmap-filtering
gl-1.0-polygon-line-aa
gl-2.0-large-point-fs
line-aa-width
lineloop
nv_conditional_render-vertex_array
polygon-mode
polygon-offset
shader_runner $piglit/../tests/spec/arb_vertex_program/divide_by_zero.shader_test
texwrap 2D GL_RGBA32F bordercolor
texwrap 3D GL_RGBA8
arb_color_buffer_float-clear GL_RGBA16F
arb_instanced_arrays-instanced_arrays
arb_texture_multisample-sample-mask-execution
fbo-alphatest-formats
fbo-alphatest-nocolor
fbo-alphatest-nocolor-ff
fbo-depth clear GL_DEPTH_COMPONENT32F
fbo-depth clear GL_DEPTH_COMPONENT16
gl-3.2-layered-rendering-clear-depth
gl-3.2-layered-rendering-gl-layer
glsl-1.50-geometry-tri-strip-ordering-with-prim-restart GL_TRIANGLE_STRIP ffs
glsl-1.50-gs-max-output-components"
# Scenes of tests/pictures, by our driver and by Mesa's.
scenes="alpha_decides_on_samples_at_its_ends array_layers_are_rounded_and_clamped blend_alpha_saturated blend_greatest blend_least
    blend_by_a_second_colour blend_by_target blend_constants blend_float_is_not_clamped border_opaque_white
    clear_r16g16b16a16_sfloat clear_r8g8b8a8_srgb clipped_by_distances compared_by_every_operation counted_draws_under_conditions
    cube_linear_across_edges depth_16_bits depth_bias depth_by_the_shader depth_clamped depth_sampled_afterwards dispatches_under_conditions
    draw_r32g32_sfloat drawn_to_a_level_and_a_layer draws_counted_in_memory draws_under_conditions each_sample_shaded gathered_with_offset
    geometry_shader_makes_squares indirect_indexed interpolated_flat_and_without_perspective large_points
    level_between_two level_biased level_by_gradient level_clamped level_trilinear levels_made_by_blits outside_is_clipped_and_counted
    loaded_and_stored_again magnified_and_minified_filters_differ outlines_of_triangles parts_cleared_while_drawing results_not_there_leave_memory
    projected sample_mask sampled_in_compute samples_counted samples_fetched samples_resolved_by_a_command several_targets_blend_apart
    stencil_counts_and_wraps stencil_equal stippled_lines stencil_masks stencil_sides_differ tessellated_quad texel_buffers
    texture_linear_bordered texture_linear_repeat texture_nearest_mirrored triangle_fan
    two_subpasses_and_an_input vertices_computed_again_between_draws view_swizzled viewport_upside_down
    volume_bordered volume_clamped volume_linear volume_mirrored volume_nearest volume_repeat"
# Scripts by our driver.
own_scripts="draw/depth/bias-clamp draw/depth/rounding-d16-unorm draw/multisample/frag-coord
    draw/multisample/kept-after-resolve draw/multisample/sample-id draw/rasterisation/narrow
    draw/rasterisation/point-size-each draw/stencil/compare-mask draw/stencil/depth-fail-op draw/stencil/fail-op
    draw/stencil/op-invert draw/stencil/write-mask memory/push-small shared/reduction workgroups/zero"
# Recordings of which single flags of PIPE_CONTROLs are left out, too.
flushes="anv-scene-levels_made_by_blits arb_clear_texture-stencil draw-clipping-distance draw-multisample-stencil
    draw-sequence-compute-then-draw draw-tessellation-isolines ingot-scene-samples_resolved_by_a_command
    iris-fbo-generatemipmap-filtering"
folder=target/mutation
mkdir -p "$folder"
files=

record() { # record NAME DRIVER COMMAND...: under this name, unless that is there and newer than the simulator
    local file=$folder/$1.rec driver=$2
    files="$files $file"
    shift 2
    [ -s "$file" ] && [ "$file" -nt target/release/libingot_sim.so ] && return
    target/release/ingot sim --driver "$driver" --record "$file" -- "$@" >"$folder/log" 2>&1 && [ -s "$file" ] && return
    echo "FAILED recording $*"
    tail -n 20 "$folder/log"
    rm -f "$file"
    exit 1
}

named() { # named WORDS...: a file's name
    echo "${*##*/}" | tr -c 'A-Za-z0-9_.\n' -
}

for script in $scripts; do
    record "$(echo "$script" | tr / -)" anv target/release/ingot run --icd loader "vkrunner-scripts/$script.shader_test"
done
for script in $own_scripts; do
    record "ingot-$(echo "$script" | tr / -)" ingot target/release/ingot run --icd loader "vkrunner-scripts/$script.shader_test"
done
pictures=$(cargo test -q -p ingot-tests --test pictures --no-run --message-format=json |
    sed -n 's/.*"executable":"\([^"]*\/pictures-[^"]*\)".*/\1/p')
for scene in $scenes; do
    for driver in ingot anv; do
        record "$driver-scene-$scene" "$driver" env INGOT_PICTURES=loader "$pictures" "$scene" --exact
    done
done
while read -r program arguments; do
    # shellcheck disable=SC2086
    record "$(named "$program${arguments:+ $arguments}")" anv env MESA_LOADER_DRIVER_OVERRIDE=zink GALLIUM_DRIVER=zink \
        PIGLIT_PLATFORM=surfaceless_egl "$piglit/$program" $arguments -auto -fbo
done <<<"$programs"
while read -r program arguments; do
    # shellcheck disable=SC2086
    record "iris-$(named "$program${arguments:+ $arguments}")" iris env PIGLIT_PLATFORM=surfaceless_egl "$piglit/$program" $arguments -auto -fbo
done <<<"$iris_programs"
status=0
# shellcheck disable=SC2086
cargo run -q --release -p ingot-kmd --example mutate-fields -- \
    --draw "$changes" --seed "$seed" --least "$least" "${@:3}" $files || status=1
# Of a few, each PIPE_CONTROL and each of its flags is left out: somebody notices, or there is a
# reason why nobody has to.
flushed=
for name in $flushes; do
    flushed="$flushed $folder/$name.rec"
done
# shellcheck disable=SC2086
cargo run -q --release -p ingot-tests --example mutate-flushes -- $flushed || status=1
exit $status
