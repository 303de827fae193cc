#!/bin/sh
# vkcube through the Vulkan loader and a window of an X server without a screen, on the simulated
# GPU in strict mode:
# pictures of the window, taken while it turns, must show the cube.
#
# In:  the folder with `ingot` and the libraries, a driver as `ingot sim --driver` names it, how
# many frames;
#      optionally a file for the last picture, as PNG.
# Out: the number of pictures looked at, and what the last shows; exit status 1 if one does not show
# the cube, if it
#      does not turn, or if a finding is reported.
set -u
binaries=$1 driver=$2 frames=$3 picture=${4:-}
folder=$(mktemp -d)
server='' cube=''
stop() {
    # Only what was started here.
    for process in $cube $server; do kill "$process" 2>/dev/null; done
    rm -rf "$folder"
}
trap stop EXIT

fail() {
    echo "vkcube on $driver: $1"
    tail -n 20 "$folder/output" "$folder/server" 2>/dev/null
    exit 1
}

wait_for() { # wait_for SECONDS COMMAND...: until the command succeeds
    tries=$(($1 * 10))
    shift
    until "$@"; do
        tries=$((tries - 1))
        [ "$tries" -gt 0 ] || return 1
        sleep 0.1
    done
}

# A server that resets when its last client leaves, as those who look for the window do, drops who
# comes meanwhile.
Xvfb -displayfd 3 -noreset -screen 0 640x640x24 -nolisten tcp 3>"$folder/display" >"$folder/server" 2>&1 &
server=$!
wait_for 20 test -s "$folder/display" || fail 'no X server'
DISPLAY=:$(cat "$folder/display")
export DISPLAY

"$binaries/ingot" sim --gpu skl --strict --driver "$driver" -- \
    vkcube --c "$frames" --width 500 --height 500 >"$folder/output" 2>&1 &
cube=$!
window() { # the only window of that size is vkcube's
    xwininfo -root -children 2>/dev/null | sed -n 's/^ *\(0x[0-9a-f]*\) .* 500x500+.*/\1/p' | head -n 1 >"$folder/window"
    [ -s "$folder/window" ]
}
wait_for 60 window || fail 'no window'

count=0
while xwd -silent -id "$(cat "$folder/window")" >"$folder/shot" 2>/dev/null; do
    count=$((count + 1))
    mv "$folder/shot" "$folder/$count.xwd"
    sleep 0.2
done
wait "$cube"
status=$?
cube=''
grep -q 'hung:' "$folder/output" && fail 'strict mode has findings'
[ "$status" -eq 0 ] || fail "exit status $status"
grep -qF '(SKL GT2)' "$folder/output" || fail 'not drawn on the simulated GPU'

. "$(dirname "$0")/cube.sh"

# About ten of them, from the whole time.
step=$((count / 10 + 1))
shown=0
number=0
while [ $((number + step)) -le "$count" ]; do
    number=$((number + step))
    convert "xwd:$folder/$number.xwd" "$folder/$number.png" || fail 'a picture cannot be read'
    # Until the first frame is shown the window has one colour.
    [ "$shown" -eq 0 ] && [ "$(convert "$folder/$number.png" -format %k info:)" -eq 1 ] && continue
    shows_cube "$folder/$number.png" || fail "picture $number does not show the cube: $seen"
    shown=$((shown + 1))
    last=$folder/$number.png
    convert "$last" -format '%#\n' info: >>"$folder/turns"
done
[ "$shown" -ge 2 ] || fail "$shown pictures were taken"
[ "$(sort -u "$folder/turns" | wc -l)" -ge 2 ] || fail 'it does not turn'
if [ -n "$picture" ]; then
    convert "$last" -strip -define png:compression-level=9 "$picture" || fail "$picture cannot be written"
fi
echo "$driver: the cube in $shown pictures; the last has $seen"

# A program that brings its own malloc.
cc -O1 -shared -fPIC -o "$folder/own_malloc.so" "$(dirname "$0")/own_malloc.c" || fail 'no C compiler'
"$binaries/ingot" sim --gpu skl --strict --driver "$driver" -- \
    sh -c "LD_PRELOAD=$folder/own_malloc.so:\$LD_PRELOAD exec vkcube --c 3" >"$folder/output" 2>&1 ||
    fail "with a malloc of the program's own: exit status $?"
