#!/bin/sh
# vkcube through the Vulkan loader and a window of an X server without a screen, on the simulated GPU in strict mode:
# pictures of the window, taken while it turns, must show the cube.
#
# In:  the folder with `ingot` and the libraries, a driver as `ingot sim --driver` names it, how many frames;
#      optionally a file for the last picture, as PNG.
# Out: the number of pictures looked at, and what the last shows; exit status 1 if one does not show the cube, if it
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

# A server that resets when its last client leaves, as those who look for the window do, drops who comes meanwhile.
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

share() { # share PICTURE OPERATION...: percent of the pixels that the operations leave white
    shot=$1
    shift
    convert "$shot" "$@" -format '%[fx:round(100*mean)]' info:
}

# What vkcube draws: on a grey of a fifth (51), a cube whose faces are textures: grey, with a panel from teal to black
# and LunarG's name in white, darker by the angle to the light.
shows_cube() { # shows_cube PICTURE: says what is wrong with it
    corners=$(convert "$1" \( -clone 0 -crop 30x30+0+0 \) \( -clone 0 -crop 30x30+470+0 \) \
        \( -clone 0 -crop 30x30+0+470 \) \( -clone 0 -crop 30x30+470+470 \) -delete 0 +repage +append \
        -unique-colors txt:- | sed 1d)
    colours=$(convert "$1" -format %k info:)
    ground=$(share "$1" -fill black +opaque 'rgb(51,51,51)' -fill white -opaque 'rgb(51,51,51)' -colorspace gray)
    # Blue well above red: the panels.
    teal=$(share "$1" -channel RB -separate +channel -compose minus_src -reverse -composite -threshold 7%)
    box=$(convert "$1" -bordercolor 'rgb(51,51,51)' -border 1 -trim -format '%w %h' info: 2>/dev/null)
    wide=${box% *} high=${box#* }
    seen="$colours colours, ground $ground %, panels $teal %, ${wide}x$high"
    case $corners in
    *'
'*) return 1 ;;
    *'(51,51,51'*) ;;
    *) return 1 ;;
    esac
    [ "$colours" -ge 300 ] &&
        [ "$ground" -ge 60 ] && [ "$ground" -le 85 ] && [ "$teal" -ge 3 ] && [ "$teal" -le 15 ] &&
        [ "$wide" -ge 200 ] && [ "$wide" -le 400 ] && [ "$high" -ge 200 ] && [ "$high" -le 400 ]
}

# That a cube is seen means something only where none is noticed: neither on the bare ground nor as a grey square.
convert -size 500x500 'xc:rgb(51,51,51)' "$folder/none.png"
convert "$folder/none.png" -fill 'rgb(90,90,90)' -draw 'rectangle 110,100 390,390' "$folder/square.png"
for wrong in none square; do
    shows_cube "$folder/$wrong.png" && fail "a picture without a cube ($wrong) is taken for one: $seen"
done

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
