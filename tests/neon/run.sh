#!/bin/bash
# Compiles the kernel tests for aarch64 and runs them under qemu-user: run.sh [build folder].
# Exit 0: passed. 1: failed. 77: could not be tried; the reason is on the last line.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=${1:-$here/../../build/neon}

cannot() {
  echo "NEON kernels were NOT tested: $1"
  exit 77
}

command -v aarch64-linux-gnu-g++ >/dev/null || cannot "install g++-aarch64-linux-gnu"
qemu=$(command -v qemu-aarch64-static || command -v qemu-aarch64) || cannot "install qemu-user-static"
[ -f /usr/src/googletest/googletest/CMakeLists.txt ] || cannot "install googletest"
[ -f /usr/include/hwy/highway.h ] || cannot "install libhwy-dev"

mkdir -p "$build" || exit 1
cmake -S "$here" -B "$build" -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 \
  -DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++ -DCMAKE_C_COMPILER=aarch64-linux-gnu-gcc -DCMAKE_BUILD_TYPE=Release >"$build/configure.log" 2>&1 ||
  { cat "$build/configure.log"; exit 1; }
cmake --build "$build" --target neon_tests -j"$(nproc)" >"$build/build.log" 2>&1 || { tail -50 "$build/build.log"; exit 1; }

output=$("$qemu" "$build/neon_tests" --gtest_brief=1 2>&1)
status=$?
echo "$output"
[ $status -eq 0 ] || exit 1
# A run that lacked the target would have said so.
if grep -q "cannot run neon" <<<"$output"; then
  echo "the emulated CPU did not offer NEON"
  exit 1
fi
echo "NEON kernels: equal to the scalar reference under $(basename "$qemu")"
