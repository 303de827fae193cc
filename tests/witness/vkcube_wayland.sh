#!/bin/sh
# vkcube through the Vulkan loader and a Wayland compositor without a screen (weston), on the
# simulated GPU in strict mode:
# pictures of the screen, taken while it turns, must show the cube.
#
# In:  the folder with `ingot` and the libraries, a driver as `ingot sim --driver` names it, how
# many frames; `iris` for a compositor that
#      draws on the simulated GPU, too: pictures come to it as they are.
# Out: as vkcube.sh.
set -u
binaries=$(cd "$1" && pwd) driver=$2 frames=$3 drawn_by=${4:-}
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
. "$here/servers.sh"
cube=''
stop() {
    # Only what was started here.
    [ -z "$cube" ] || kill "$cube" 2>/dev/null
    stop_servers
    rm -rf "$folder"
}
trap stop EXIT

fail() {
    echo "vkcube on Wayland on $driver: $1"
    tail -n 20 "$folder/output" "$folder/server" 2>/dev/null
    exit 1
}

cd "$folder" || exit 1
# This compositor lets what is behind a window shine through by the alpha even of opaque ones.
start_weston "$drawn_by"

INGOT_DEBUG=perf "$binaries/ingot" sim --gpu skl --strict --driver "$driver" -- \
    vkcube-wayland --c "$frames" --width 500 --height 500 >"$folder/output" 2>&1 &
cube=$!
. "$here/cube.sh"

shown=0
while kill -0 "$cube" 2>/dev/null; do
    sleep 0.5
    weston-screenshooter >/dev/null 2>&1 || continue
    shot=$(ls "$folder"/wayland-screenshot-*.png 2>/dev/null | tail -n 1)
    [ -n "$shot" ] || continue
    convert "$shot" -bordercolor 'rgb(0,0,0)' -border 1 -trim +repage "$folder/window.png" 2>/dev/null
    size=$(convert "$folder/window.png" -format '%w %h %k' info:)
    case $size in
    # Until the first frame is shown there is no window, or one without a cube.
    '500 500 1') ;;
    '500 500 '*)
        if kill -0 "$cube" 2>/dev/null; then
            shows_cube "$folder/window.png" || fail "a picture does not show the cube: $seen"
            shown=$((shown + 1))
            last=$seen
            convert "$folder/window.png" -format '%#\n' info: >>"$folder/turns"
        fi
        ;;
    esac
    rm -f "$folder"/wayland-screenshot-*.png
done
wait "$cube"
status=$?
cube=''
grep -q 'hung:' "$folder/output" && fail 'strict mode has findings'
servers_are_well || fail 'strict mode has findings in the compositor'
if [ "$driver" = ingot ]; then
    how=copies
    [ "$drawn_by" = iris ] && how=images
    grep -q "^window .*: shows $how of" "$folder/output" || fail "the compositor does not get $how"
fi
[ "$status" -eq 0 ] || fail "exit status $status"
[ "$shown" -ge 2 ] || fail "$shown pictures were taken"
[ "$(sort -u "$folder/turns" | wc -l)" -ge 2 ] || fail 'it does not turn'
echo "$driver on Wayland: the cube in $shown pictures; the last has $last"
