#!/usr/bin/env bash
# Other people's programs on our driver and on our simulator: clients (ncnn, wgpu, vulkaninfo,
# vkcube) and witnesses
# (the validation layer, piglit, Mesa's driver). A line `ok NAME` or `FAILED NAME` for each.
#
# In:  optionally the folder of a finished build (default: target/release, which is then built);
# without
#      INGOT_REQUIRE_TOOLS, what is not installed is skipped and said to be.
set -u
cd "$(dirname "$0")/.."
export CARGO_TERM_COLOR=never
log=$(mktemp)
trap 'rm -f "$log"' EXIT
failed=0

check() { # check NAME COMMAND...
    local name=$1 start=$SECONDS
    shift
    if "$@" >"$log" 2>&1; then
        printf 'ok %s (%d s): %s\n' "$name" $((SECONDS - start)) "$(tail -n 1 "$log")"
    else
        failed=$((failed + 1))
        printf 'FAILED %s (%d s)\n' "$name" $((SECONDS - start))
        tail -n 60 "$log"
    fi
}

have() { # have NAME TOOL...: whether all are there; in CI they must be
    local name=$1 tool
    shift
    for tool in "$@"; do
        if ! command -v "$tool" >/dev/null && [ ! -e "$tool" ]; then
            if [ -n "${INGOT_REQUIRE_TOOLS:-}" ]; then
                failed=$((failed + 1))
                printf 'FAILED %s: %s is not installed\n' "$name" "$tool"
            else
                printf 'skipped %s: %s is not installed\n' "$name" "$tool"
            fi
            return 1
        fi
    done
}

if [ $# -gt 0 ]; then
    binaries=$1
else
    binaries=target/release
    cargo build -q --release --workspace || { echo 'FAILED build'; exit 1; }
    cargo build -q --release -p ingot-tests --example random-calls --example random-copies --example windows || { echo 'FAILED build'; exit 1; }
fi
binaries=$(cd "$binaries" && pwd)
anv=/usr/share/vulkan/icd.d/intel_icd.x86_64.json
lavapipe=/usr/share/vulkan/icd.d/lvp_icd.x86_64.json
layer=/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json
device='Intel(R) HD Graphics 530 (SKL GT2)'

on_anv() { "$binaries/ingot" sim --gpu skl --strict --driver anv -- "$@"; }
on_ingot() { "$binaries/ingot" sim --gpu skl --strict --driver ingot -- "$@"; }
# ncnn once through the loader and once on the driver's library alone.
ncnn_through_loader() {
    on_ingot target/clients/venv/bin/python tests/clients/ncnn_networks.py --device '[Ingot]'
}
ncnn_alone() {
    on_ingot target/clients/venv/bin/python tests/clients/ncnn_networks.py --device '[Ingot]' \
        --icd "$binaries/libvulkan_ingot.so"
}
install_ncnn() {
    # Debian's own Python where there is one: it has wheels for certain.
    local python=/usr/bin/python3
    [ -x "$python" ] || python=python3
    [ -x target/clients/venv/bin/pip ] || "$python" -m venv target/clients/venv || return 1
    target/clients/venv/bin/pip install -q --disable-pip-version-check -r tests/clients/requirements.txt
}
build_wgpu() {
    cargo build -q --locked --manifest-path tests/clients/wgpu/Cargo.toml --target-dir target/clients/wgpu
}
# The same on Mesa's driver, where only the simulator is ours.
ncnn_on_anv() { on_anv target/clients/venv/bin/python tests/clients/ncnn_networks.py --device '(SKL GT2)'; }
wgpu_on_anv() { on_anv target/clients/wgpu/debug/ingot-client-wgpu '(SKL GT2)'; }
# The clients themselves, where no line of ours takes part.
ncnn_on_lavapipe() {
    VK_ICD_FILENAMES=$lavapipe target/clients/venv/bin/python tests/clients/ncnn_networks.py --device llvmpipe
}
wgpu_on_lavapipe() { VK_ICD_FILENAMES=$lavapipe target/clients/wgpu/debug/ingot-client-wgpu llvmpipe; }
wgpu_examples() { on_ingot target/clients/wgpu/debug/ingot-client-wgpu '[Ingot]'; }

if have vulkaninfo vulkaninfo; then
    check 'vulkaninfo on Ingot' tests/witness/vulkaninfo.sh "$binaries" ingot "$device [Ingot]"
    have 'vulkaninfo on ANV' "$anv" &&
        check 'vulkaninfo on ANV' tests/witness/vulkaninfo.sh "$binaries" anv "$device"
fi
have 'manifest order' vulkaninfo "$anv" &&
    check 'manifest order' tests/witness/manifest_order.sh "$binaries" "$anv"
have 'capabilities beside ANV' vulkaninfo "$anv" /usr/bin/python3 &&
    check 'capabilities beside ANV' /usr/bin/python3 tests/witness/capabilities.py "$binaries"
have 'drivers are loaded once' "$lavapipe" &&
    check 'drivers are loaded once' tests/witness/loaded_once.sh "$binaries" "$lavapipe" \
        vkrunner-scripts/arithmetic vkrunner-scripts/types
if have validation "$layer" python3; then
    check 'validation layer on Ingot' tests/witness/validation.sh "$binaries" ingot vkrunner-scripts samples
    have 'validation layer on ANV' "$anv" &&
        check 'validation layer on ANV' tests/witness/validation.sh "$binaries" anv vkrunner-scripts samples
fi
if have piglit piglit; then
    check 'piglit' /usr/bin/python3 tests/witness/piglit.py "$binaries" vkrunner-scripts
fi
if have ncnn python3; then
    check 'ncnn: install' install_ncnn
    check 'ncnn through the loader' ncnn_through_loader
    check 'ncnn without a loader' ncnn_alone
    have 'ncnn on ANV' "$anv" && check 'ncnn on ANV' ncnn_on_anv
    have 'ncnn on lavapipe' "$lavapipe" && check 'ncnn on lavapipe' ncnn_on_lavapipe
fi
check 'wgpu: build' build_wgpu
check 'wgpu examples' wgpu_examples
have 'wgpu on ANV' "$anv" && check 'wgpu examples on ANV' wgpu_on_anv
have 'wgpu on lavapipe' "$lavapipe" && check 'wgpu examples on lavapipe' wgpu_on_lavapipe
have 'scenes on ANV' "$anv" "$lavapipe" &&
    check 'scenes on ANV' tests/witness/scenes.sh "$binaries" target/clients/wgpu/debug "$lavapipe" anv
have 'scenes on Ingot' "$lavapipe" &&
    check 'scenes on Ingot' tests/witness/scenes.sh "$binaries" target/clients/wgpu/debug "$lavapipe" ingot
pictures_on_anv() { # the scenes of tests/pictures, judged by a driver that is known to work
    CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER="$binaries/ingot sim --gpu skl --strict --driver anv --" \
        INGOT_PICTURES=loader cargo test -q -p ingot-tests --test pictures
}
have 'pictures on ANV' "$anv" "$lavapipe" && check 'pictures on ANV' pictures_on_anv
have 'vkcube on ANV' "$anv" vkcube Xvfb xwd xwininfo convert &&
    check 'vkcube on ANV' tests/witness/vkcube.sh "$binaries" anv 60
have 'vkcube on Ingot' vkcube Xvfb xwd xwininfo convert &&
    check 'vkcube on Ingot' tests/witness/vkcube.sh "$binaries" ingot 30
have 'vkcube on Wayland' vkcube-wayland weston weston-screenshooter convert &&
    check 'vkcube on Ingot, Wayland' tests/witness/vkcube_wayland.sh "$binaries" ingot 200
iris=/usr/lib/x86_64-linux-gnu/dri/iris_dri.so
have 'vkcube on Wayland on iris' vkcube-wayland weston weston-screenshooter convert "$iris" &&
    check 'vkcube on Ingot, Wayland on iris' tests/witness/vkcube_wayland.sh "$binaries" ingot 60 iris
have 'windows' weston Xwayland Xvfb "$iris" &&
    check 'windows' tests/witness/windows.sh "$binaries"
have 'applications on Ingot' "$lavapipe" ffmpeg gst-launch-1.0 vkd3d-triangle glxgears glmark2 Xvfb xwd convert &&
    check 'applications on Ingot' /usr/bin/python3 tests/witness/applications.py "$binaries"
have 'OpenCL on the simulator' /etc/OpenCL/vendors/intel.icd /usr/include/CL/cl.h cc &&
    check 'OpenCL by Intel' tests/witness/opencl.sh "$binaries"
have 'OpenGL on iris' /usr/lib/x86_64-linux-gnu/dri/iris_dri.so /usr/lib/x86_64-linux-gnu/piglit/bin/shader_runner python3 &&
    check 'OpenGL on iris' /usr/bin/python3 tests/witness/gl.py "$binaries" iris
have 'OpenGL by zink' /usr/lib/x86_64-linux-gnu/dri/zink_dri.so /usr/lib/x86_64-linux-gnu/piglit/bin/shader_runner python3 &&
    check 'OpenGL by zink on Ingot' /usr/bin/python3 tests/witness/gl.py "$binaries" zink

exit $((failed > 0))
