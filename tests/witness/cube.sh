# Whether a picture shows vkcube's cube: sourced by the scripts that take pictures of its window, which have `folder` and `fail`.

share() { # share PICTURE OPERATION...: percent of the pixels that the operations leave white
    shot=$1
    shift
    convert "$shot" "$@" -format '%[fx:round(100*mean)]' info:
}

# What vkcube draws: on a grey of a fifth (51), a cube whose faces are textures: grey, with a panel
# from teal to black
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

# That a cube is seen means something only where none is noticed: neither on the bare ground nor as
# a grey square.
convert -size 500x500 'xc:rgb(51,51,51)' "$folder/none.png"
convert "$folder/none.png" -fill 'rgb(90,90,90)' -draw 'rectangle 110,100 390,390' "$folder/square.png"
for wrong in none square; do
    shows_cube "$folder/$wrong.png" && fail "a picture without a cube ($wrong) is taken for one: $seen"
done
