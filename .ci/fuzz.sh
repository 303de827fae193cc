#!/usr/bin/env bash
# A short run of each fuzz target: fuzz.sh [SECONDS] [TARGET...]. Prints `ok fuzz NAME`; a finding
# stays in tests/fuzz/artifacts, a seed of `calls` and `copies` is told.
# Coverage comes from LLVM's pass, by codegen options that stable Rust has; cargo-fuzz would want
# nightly for its sanitizers.
set -u
cd "$(dirname "$0")/.."
seconds=${1:-60}
shift $(($# > 0 ? 1 : 0))
targets=${*:-batch calls copies ioctls isa_decode spirv}
# Random valid calls of Vulkan, and copies that are compared with what they make of bytes on the
# host: programs of their own, as what is
# mutated are not bytes. New seeds each day. Of copies half the time is enough.
program() { # program NAME SECONDS
    cargo build -q --release -p ingot-tests --example "random-$1" || return 1
    "${CARGO_TARGET_DIR:-target}/release/examples/random-$1" --seconds "$2" --seed "$(date +%Y%m%d)00000"
}
for name in calls copies; do
    case " $targets " in
    *" $name "*)
        time=$seconds
        [ "$name" = copies ] && time=$((seconds / 2))
        if said=$(program "$name" "$time" 2>&1); then
            echo "ok fuzz $said"
        else
            echo "FAILED fuzz $name"
            echo "$said" | tail -n 30
            failed=1
        fi
        targets=$(echo " $targets " | sed "s/ $name / /")
        ;;
    esac
done
[ -n "${targets// /}" ] || exit "${failed:-0}"
triple=$(rustc -vV | sed -n 's/^host: //p')
# In a folder of its own: other flags would have everything built anew each time.
export CARGO_TARGET_DIR=$PWD/target/fuzz
export RUSTFLAGS="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table
    -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1 --cfg fuzzing"
RUSTFLAGS=$(echo $RUSTFLAGS)
# With a target named, build scripts are built without the flags.
cargo build -q --release --manifest-path tests/fuzz/Cargo.toml --target "$triple" || exit 1
sh tests/fuzz/seeds.sh || exit 1

failed=${failed:-0}
for target in $targets; do
    corpus=tests/fuzz/corpus/$target
    artifacts=tests/fuzz/artifacts/$target/
    mkdir -p "$corpus" "$artifacts"
    if "$CARGO_TARGET_DIR/$triple/release/$target" "$corpus" -max_total_time="$seconds" -timeout=20 \
        -rss_limit_mb=2000 -max_len=98304 -artifact_prefix="$artifacts" >"$artifacts/log" 2>&1; then
        echo "ok fuzz $target: $(grep -o '^Done.*' "$artifacts/log")"
    else
        echo "FAILED fuzz $target"
        tail -n 30 "$artifacts/log"
        failed=1
    fi
done
exit $failed
