#!/bin/sh
# Runs a folder of scripts through the Vulkan loader and the Khronos validation layer, on the simulated
# GPU: the layer must say nothing about how our runner uses Vulkan, nor may our driver make it.
#
# In:  the folder with `ingot` and the libraries, a driver as `ingot sim --driver` names it, the scripts; then `samples` if the
#      driver draws the samples' pictures too.
#      Where the examples `random-calls` and `random-copies` are built, they run on Ingot for half a minute each: where the layer is
#      silent, their calls are valid.
# Out: the layer's messages, with a count; exit status 1 if there is one or a script surprises.
set -u
here=$(cd "$(dirname "$0")" && pwd)
binaries=$1 driver=$2 scripts=$3 more=${4:-}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cat >"$folder/vk_layer_settings.txt" <<END
khronos_validation.debug_action = VK_DBG_LAYER_ACTION_LOG_MSG
khronos_validation.report_flags = error,warn,perf
khronos_validation.log_filename = $folder/messages
khronos_validation.enables = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT
khronos_validation.duplicate_message_limit = 3
END

validated() { # validated COMMAND...: on the simulated GPU, with the layer's messages in $folder/messages
    rm -f "$folder/messages"
    VK_LAYER_SETTINGS_PATH=$folder/vk_layer_settings.txt VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation \
        "$binaries/ingot" sim --gpu skl --strict --driver "$driver" -- "$@"
}

# Silence means something only where a mistake is reported.
validated python3 "$here/misuse.py"
if ! grep -q VUID-VkApplicationInfo-sType-sType "$folder/messages" 2>/dev/null; then
    echo "the validation layer did not report a mistake made on purpose"
    exit 1
fi

validated "$binaries/ingot" run --icd loader "$scripts" >"$folder/output" 2>&1
status=$?
if [ "$status" -eq 0 ] && [ "$more" = samples ]; then
    cp "$folder/messages" "$folder/of_scripts" 2>/dev/null
    validated "$binaries/ingot-samples" all --size 128x72 --out "$folder/pictures" >>"$folder/output" 2>&1
    status=$?
    [ ! -s "$folder/of_scripts" ] || cat "$folder/of_scripts" >>"$folder/messages"
fi
# Images stay in the layout GENERAL, of which the layer says that it is slow.
[ "$driver" = ingot ] && sed -i 's/,perf$//' "$folder/vk_layer_settings.txt"
for random in random-calls random-copies; do
    if [ "$status" -eq 0 ] && [ "$driver" = ingot ] && [ -x "$binaries/examples/$random" ]; then
        mv "$folder/messages" "$folder/before" 2>/dev/null
        validated "$binaries/examples/$random" --loader --seconds 30 >>"$folder/output" 2>&1
        status=$?
        [ ! -s "$folder/before" ] || cat "$folder/before" >>"$folder/messages"
        rm -f "$folder/before"
    fi
done
tail -n 2 "$folder/output"
messages=$(grep -c 'VUID\|UNASSIGNED\|SYNC-HAZARD\|Validation' "$folder/messages" 2>/dev/null)
echo "$driver: ${messages:-0} validation messages"
if [ "$status" -ne 0 ]; then
    head -n 40 "$folder/output"
    exit 1
fi
if [ -s "$folder/messages" ]; then
    cut -c 1-400 "$folder/messages" | head -n 40
    exit 1
fi
