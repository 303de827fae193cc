#!/bin/sh
# Scripts of different requirements through the Vulkan loader: each needs an instance of its own,
# and the driver is loaded once all the same.
#
# In:  the folder with `ingot`, the manifest of a driver, folders of scripts. Out: the number of
# loads; exit status 1 unless it is one.
set -u
binaries=$1 manifest=$2
shift 2
loads=$(LD_DEBUG=files VK_DRIVER_FILES=$manifest VK_ICD_FILENAMES=$manifest \
    "$binaries/ingot" run --icd loader "$@" 2>&1 >/dev/null | grep -c 'calling init: .*libvulkan_lvp')
echo "$loads loads"
[ "$loads" -eq 1 ]
