# Display servers, by Mesa's iris on the simulated GPU, so that they take what is drawn there as it is: sourced by scripts that have
# `binaries` and `folder`, a new one, and `fail`. They end by `stop_servers`.

servers=''
stop_servers() {
    # Only what was started here, the last first.
    for process in $servers; do kill "$process" 2>/dev/null; done
    servers=''
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

on_iris() { # on_iris LOG COMMAND...: in the background
    log=$1
    shift
    "$binaries/ingot" sim --gpu skl --strict --driver iris -- "$@" >"$log" 2>&1 &
    servers="$! $servers"
}

start_weston() { # start_weston [iris]: a Wayland compositor without a screen, as WAYLAND_DISPLAY; without a GPU, if none is named
    chmod 700 "$folder"
    export XDG_RUNTIME_DIR="$folder" WAYLAND_DISPLAY=ingot
    # The window stands anywhere, on black, and nothing fades in. Taking pictures of the screen is a
    # debugging aid.
    cat >"$folder/weston.ini" <<'END'
[shell]
panel-position=none
background-color=0xff000000
animation=none
startup-animation=none
close-animation=none
END
    weston="weston --config=$folder/weston.ini --backend=headless-backend.so --width=800 --height=700 --idle-time=0 --socket=ingot --debug"
    if [ "${1:-}" = iris ]; then
        on_iris "$folder/server" $weston --use-gl
    else
        $weston --use-pixman >"$folder/server" 2>&1 &
        servers="$! $servers"
    fi
    wait_for 60 test -S "$folder/ingot" || fail 'no compositor'
}

start_xwayland() { # an X server in a window of that compositor, as DISPLAY
    mkfifo "$folder/number"
    on_iris "$folder/xserver" sh -c 'exec Xwayland -displayfd 3 -noreset -nolisten tcp 3>"$0"' "$folder/number"
    DISPLAY=:$(timeout 60 head -n 1 "$folder/number") && export DISPLAY
    [ "$DISPLAY" != : ] || fail 'no X server'
}

servers_are_well() {
    ! grep -q 'hung:' "$folder/server" "$folder/xserver" 2>/dev/null
}
