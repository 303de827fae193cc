#!/usr/bin/env bash
# Today's Mesa beside the system's own: the Vulkan driver of Debian's backports, unpacked into a
# folder. Nothing is installed.
#
# In:  the folder; the system's apt sources, whose mirror has the backports.
# Out: in the folder, intel_icd.json, a manifest, and lib, which LD_LIBRARY_PATH has to name.
set -eu
folder=$(mkdir -p "$1" && cd "$1" && pwd)
[ -e "$folder/intel_icd.json" ] && exit 0

release=$(. /etc/os-release && echo "$VERSION_CODENAME")
mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null |
    grep -oE 'https?://[^ ]+/debian/?( |$)' | head -n 1 | tr -d ' ')
[ -n "$mirror" ] || { echo "no mirror of Debian in the system's apt sources"; exit 1; }
mkdir -p "$folder/apt/lists/partial" "$folder/packages" "$folder/lib"
signed='[signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]'
printf 'deb %s %s %s main\n' "$signed" "$mirror" "$release-backports" \
    "$signed" "$mirror" "$release" >"$folder/apt/sources.list"

# The release file of a mirror that is a snapshot has expired.
apt() {
    apt-get -qq -o Acquire::Check-Valid-Until=false -o APT::Sandbox::User=root \
        -o "Dir::Etc::sourcelist=$folder/apt/sources.list" -o Dir::Etc::sourceparts=- \
        -o "Dir::State::Lists=$folder/apt/lists" -o APT::Get::List-Cleanup=0 "$@"
}
apt update
(
    cd "$folder/packages"
    apt download "mesa-vulkan-drivers/$release-backports" "libdrm2/$release-backports" \
        "libdrm-intel1/$release-backports" libxcb-keysyms1 libllvm19 libz3-4
    for package in ./*.deb; do dpkg -x "$package" "$folder/root"; done
)
find "$folder/root" -name '*.so*' -exec cp -P -t "$folder/lib" {} +
library=$folder/lib/libvulkan_intel.so
missing=$(LD_LIBRARY_PATH=$folder/lib ldd "$library" | grep 'not found') &&
    { echo "$library lacks: $missing"; exit 1; }
printf '{"file_format_version": "1.0.0", "ICD": {"library_path": "%s", "api_version": "1.4.0"}}\n' \
    "$library" >"$folder/intel_icd.json"
