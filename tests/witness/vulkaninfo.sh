#!/bin/sh
# vulkaninfo through the Vulkan loader on the simulated GPU: it must ask everything, end well, and
# show
# the device.
#
# In:  the folder with `ingot` and the libraries, a driver as `ingot sim --driver` names it, the
# device's name.
# Out: the device and the number of lines; exit status 1 if something is missing.
set -u
binaries=$1 driver=$2 device=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() {
    echo "vulkaninfo on $driver: $1"
    head -n 20 "$folder/errors"
    exit 1
}

for form in --text --summary --show-formats; do
    "$binaries/ingot" sim --gpu skl --driver "$driver" -- vulkaninfo "$form" \
        >"$folder/output" 2>"$folder/errors" || fail "$form: exit status $?"
    grep -qF "= $device" "$folder/output" || fail "$form: $device is not shown"
    [ "$form" = --text ] && cp "$folder/output" "$folder/text"
done
grep -q 'deviceType *= PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU' "$folder/text" || fail 'not an integrated GPU'
# One heading per chapter of the output: all of them were reached.
for chapter in VkPhysicalDeviceProperties VkPhysicalDeviceLimits 'Device Extensions' VkQueueFamilyProperties \
    VkPhysicalDeviceMemoryProperties VkPhysicalDeviceFeatures; do
    grep -q "^$chapter" "$folder/text" || fail "no chapter $chapter"
done
echo "$driver: $device, $(wc -l <"$folder/text") lines"
