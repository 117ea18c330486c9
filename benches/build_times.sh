#!/usr/bin/env bash
# Times the builds of a new contributor: `cargo run --release` to the first response, and `cargo test`, each on a fresh clone.
set -euo pipefail
root=$(git -C "$(dirname "$0")" rev-parse --show-toplevel)
clone=$root/target/build-times
listen=127.0.0.1:50951
admin=127.0.0.1:50952

fresh_clone() {
    cd "$root"
    rm -rf "$clone"
    git clone --quiet "$root" "$clone"
    cd "$clone"
    unset CARGO_TARGET_DIR
    cargo fetch --locked --quiet
}

fresh_clone
start=$(date +%s%N)
cargo run --release --locked --quiet -- --listen $listen --admin-listen $admin --log off > /dev/null &
server=$!
trap 'kill $server 2> /dev/null || true; rm -rf "$clone"' EXIT
until curl --silent --fail --output /dev/null --header 'content-type: application/json' --data '{"connect_four": {}}' \
    "http://$listen/arbiter.v1.RulesService/NewGame"; do
    kill -0 $server || exit 1
    sleep 0.1
done
printf 'cargo run --release, to the first response: %d s\n' $((($(date +%s%N) - start) / 1000000000))
kill $server
wait $server || true

fresh_clone
start=$(date +%s%N)
cargo test --locked --quiet > /dev/null
printf 'cargo test: %d s\n' $((($(date +%s%N) - start) / 1000000000))
