#!/bin/sh
# Runs a folder of scripts through the Vulkan loader and the Khronos validation layer, on the
# simulated
# GPU: the layer must say nothing about how our runner uses Vulkan, nor may our driver make it.
#
# In:  the folder with `ingot` and the libraries, a driver as `ingot sim --driver` names it, the
# scripts; then `samples` if the
#      driver draws the samples' pictures too.
#      Where the examples `random-calls` and `random-copies` are built, they run on Ingot for half a minute each: where the layer is
#      silent, their calls are valid. Synchronization validation (1.3.239) miscounts the bytes of compressed images, and then finds
#      hazards across barriers: copies of them are checked without it.
# Out: the layer's messages but for those in validation_known.txt, with a count; exit status 1 if
# there is one, if a known one was not
#      said, or a script surprises.
set -u
here=$(cd "$(dirname "$0")" && pwd)
binaries=$1 driver=$2 scripts=$3 more=${4:-}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cat >"$folder/vk_layer_settings.txt" <<END
khronos_validation.debug_action = VK_DBG_LAYER_ACTION_LOG_MSG
khronos_validation.report_flags = error,warn,perf
khronos_validation.enables = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT
khronos_validation.duplicate_message_limit = 3
END

# validated COMMAND...: on the simulated GPU; what it prints and the layer's messages go to
# $folder/output, its exit status to $status.
# The layer has no file of its own for them: each new instance would empty it.
status=0
validated() {
    [ "$status" -eq 0 ] || return
    VK_LAYER_SETTINGS_PATH=$folder/vk_layer_settings.txt VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation \
        "$binaries/ingot" sim --gpu skl --strict --driver "$driver" -- "$@" >>"$folder/output" 2>&1
    status=$?
}
# messages: those so far, in $folder/messages.
messages() {
    grep -a 'VUID\|UNASSIGNED\|SYNC-HAZARD\|Validation' "$folder/output" >"$folder/messages"
}
# known: leaves out the messages that are known; those that were not said are told with the rest.
known() {
    sed -n 's/^\([^#]*\): .*/\1/p' "$here/validation_known.txt" >"$folder/known"
    while IFS= read -r text; do
        grep -qF "$text" "$folder/messages" || echo "known, but not said: $text"
    done <"$folder/known" >"$folder/unsaid"
    grep -vF -f "$folder/known" "$folder/messages" >"$folder/unknown"
    cat "$folder/unsaid" >>"$folder/unknown"
}

# Silence means something only where a mistake is reported.
validated python3 "$here/misuse.py"
messages
if ! grep -q VUID-VkApplicationInfo-sType-sType "$folder/messages" 2>/dev/null; then
    echo "the validation layer did not report a mistake made on purpose"
    exit 1
fi

# Extensions that are newer than some drivers are newer than Debian's layer, too: without their
# scripts.
cp -r "$scripts" "$folder/scripts"
expectations=$folder/scripts/expectations.toml
sed -n 's/^\[may_skip\."\(.*\)"\]$/\1/p' "$expectations" | while IFS= read -r script; do
    rm "$folder/scripts/$script"
    sed -i "\\#^\[may_fail\.\"$script\"\]\$#,/^\$/d" "$expectations"
done
sed -i '/^\[may_skip\./,/^$/d' "$expectations"

rm "$folder/output"
status=0
validated "$binaries/ingot" run --icd loader "$folder/scripts"
[ "$more" != samples ] ||
    validated "$binaries/ingot-samples" all --size 128x72 --out "$folder/pictures"
if [ "$driver" = ingot ] && [ -x "$binaries/examples/random-calls" ]; then
    # Images stay in the layout GENERAL, of which the layer says that it is slow.
    sed -i 's/,perf$//' "$folder/vk_layer_settings.txt"
    validated "$binaries/examples/random-calls" --loader --seconds 30
    validated "$binaries/examples/random-copies" --loader --seconds 15 --without _BLOCK,_KHR
    sed -i '/^khronos_validation.enables/d' "$folder/vk_layer_settings.txt"
    # The layer does not know the formats of VK_KHR_maintenance5.
    validated "$binaries/examples/random-copies" --loader --seconds 15 --without _KHR
fi
grep -a '^random ' "$folder/output"
messages
known
echo "$driver: $(wc -l <"$folder/unknown") unknown of $(wc -l <"$folder/messages") validation messages"
if [ "$status" -ne 0 ]; then
    tail -n 40 "$folder/output"
    exit 1
fi
if [ -s "$folder/unknown" ]; then
    cut -c 1-400 "$folder/unknown" | head -n 40
    exit 1
fi
