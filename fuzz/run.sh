#!/usr/bin/env bash
# fuzz/run.sh [SECONDS] [TARGET ...]: builds the fuzz targets and runs each for SECONDS (20), as many at once as there are
# cores. Fails on a finding, whose input is left in build/fuzz/findings/<target>/.
set -euo pipefail
cd "$(dirname "$0")/.."
export seconds=${1:-20}
export build=${PENSTOCK_FUZZ_BUILD:-build/fuzz}
cmake --preset fuzz -B "$build" >/dev/null
cmake --build "$build" --target penstock_fuzz -j2
python3 fuzz/seeds.py "$build/seeds"
if [ $# -gt 1 ]; then targets=("${@:2}"); else targets=("$build"/fuzz/fuzz_*); fi

fuzz() {
  local name=${1##*/fuzz_}
  local corpus=$build/corpus/$name seeds=$build/seeds/$name findings=$build/findings/$name log=$build/$name.log
  mkdir -p "$corpus" "$seeds" "$findings"
  if "$build/fuzz/fuzz_$name" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=65536 -print_final_stats=1 \
      -verbosity=0 -artifact_prefix="$findings/" "$corpus" "$seeds" >"$log" 2>&1; then
    echo "fuzz_$name: $(awk '/number_of_executed_units/ {print $2}' "$log") executions in $seconds s, nothing found"
  else
    echo "fuzz_$name: FOUND SOMETHING, input in $findings:
$(tail -40 "$log")"
    return 1
  fi
}
export -f fuzz
printf '%s\n' "${targets[@]}" | xargs -P "$(nproc)" -I{} bash -c 'fuzz {}'
