#!/bin/sh
# Windows by tests/windows, through the Vulkan loader, on the simulated GPU in strict mode: of an X
# server without a GPU, which gets copies
# of pictures, and of servers that draw by Mesa's iris on the same GPU, which show what was drawn as
# it is, or copies where they are forced.
#
# In:  the folder with `ingot`, the libraries and examples/windows.
# Out: a line for each server; exit status 1 if a window does not show what was presented, is not
# told of its size, gets its pictures in
#      another way, or if a finding is reported.
set -u
binaries=$(cd "$1" && pwd)
folder=$(mktemp -d)
. "$(dirname "$0")/servers.sh"
stop() {
    stop_servers
    rm -rf "$folder"
}
trap stop EXIT

fail() {
    echo "windows: $1"
    tail -n 20 "$folder/output" "$folder/server" "$folder/xserver" 2>/dev/null
    exit 1
}

window() { # window SERVER x11|wayland images|copies [FLAG]: the window of a server, how its pictures have to reach it, of INGOT_DEBUG
    INGOT_DEBUG=perf,${4:-} timeout 300 "$binaries/ingot" sim --gpu skl --strict --driver ingot -- \
        "$binaries/examples/windows" "$2" >"$folder/output" 2>&1 || fail "$1: exit status $?"
    grep -q 'hung:' "$folder/output" && fail "$1: strict mode has findings"
    servers_are_well || fail "$1: strict mode has findings in the server"
    how=$(sed -n 's/^window .*: shows \(copies\|images\) of.*/\1/p' "$folder/output" | sort -u)
    [ "$how" = "$3" ] || fail "$1: shows $how, not $3"
    echo "$1, $3: $(tail -n 1 "$folder/output")"
}

Xvfb -displayfd 3 -noreset -screen 0 640x640x24 -nolisten tcp 3>"$folder/display" >"$folder/xserver" 2>&1 &
servers="$! $servers"
wait_for 20 test -s "$folder/display" || fail 'no X server'
DISPLAY=:$(cat "$folder/display")
export DISPLAY
window Xvfb x11 copies
stop_servers
start_weston iris
window weston wayland images
window weston wayland copies shm
start_xwayland
window Xwayland x11 images
window Xwayland x11 copies shm
