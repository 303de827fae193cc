#!/bin/sh
# The Vulkan loader with the manifests of Ingot and of ANV, in every order, on the simulated GPU:
# which driver has the GPU does not depend on the order.
#
# In:  the folder with `ingot` and the libraries, ANV's manifest. Out: the number of cases; exit
# status 1 if a driver is listed that must not be, or one is missing.
set -u
binaries=$1 anv=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cases=0
unset VK_DRIVER_FILES VK_ICD_FILENAMES VK_ADD_DRIVER_FILES INGOT_ENABLE

install_ingot() { # install_ingot MANIFEST
    mkdir -p "$(dirname "$1")"
    printf '{"file_format_version": "1.0.0", "ICD": {"library_path": "%s", "api_version": "1.4.366"}}\n' \
        "$binaries/libvulkan_ingot.so" >"$1"
}
install_anv() { # install_anv MANIFEST
    mkdir -p "$(dirname "$1")"
    cp "$anv" "$1"
}
# expect DRIVERS DATA_DIRS [VARIABLE=VALUE]...: the drivers that the loader lists, by name
expect() {
    local_expected=$1 local_dirs=$2
    shift 2
    cases=$((cases + 1))
    found=$(env HOME="$folder/home" XDG_CONFIG_DIRS="$folder/none" XDG_DATA_DIRS="$local_dirs" "$@" \
        "$binaries/ingot" sim --gpu skl -- vulkaninfo --summary 2>"$folder/errors" |
        sed -n 's/^[[:space:]]*deviceName *= //p' | sed 's/.*\[Ingot\].*/ingot/; s/^Intel.*/anv/' | sort | tr '\n' ' ')
    [ "$found" = "$local_expected" ] && return
    echo "case $cases ($local_dirs $*): found '$found', expected '$local_expected'"
    head -n 20 "$folder/errors"
    exit 1
}

# Each driver in a folder of its own, and both in one, where the loader sees them in the order of
# the file system.
install_ingot "$folder/i/vulkan/icd.d/ingot_icd.x86_64.json"
install_anv "$folder/a/vulkan/icd.d/intel_icd.x86_64.json"
for name in 0_ingot z_ingot; do
    install_ingot "$folder/$name/vulkan/icd.d/$name.json"
    install_anv "$folder/$name/vulkan/icd.d/intel_icd.x86_64.json"
done
for dirs in "$folder/i:$folder/a" "$folder/a:$folder/i" "$folder/0_ingot" "$folder/z_ingot"; do
    expect 'anv ' "$dirs"
    expect 'anv ingot ' "$dirs" INGOT_ENABLE=1
    expect 'ingot ' "$dirs" VK_DRIVER_FILES="$folder/i/vulkan/icd.d/ingot_icd.x86_64.json"
    expect 'ingot ' "$dirs" VK_ICD_FILENAMES="$folder/i/vulkan/icd.d/ingot_icd.x86_64.json"
done
# No other driver for the GPU.
expect 'ingot ' "$folder/i"
echo "$cases cases"
