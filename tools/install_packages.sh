#!/usr/bin/env bash
# Installs the Debian or Ubuntu packages that a task needs and that are missing.
#
#   tools/install_packages.sh demo|test|bench
#
# A need is probed by what it provides (a pkg-config module, a program), so machines that have it from elsewhere are
# left alone. Root runs apt-get directly, others through sudo. Where neither works it says what to install and fails.
set -euo pipefail

has_program() { command -v "$1" >/dev/null 2>&1; }
has_module() { has_program pkg-config && pkg-config --exists "$@"; }
has_any_program() {
  local program
  for program in "$@"; do has_program "$program" && return 0; done
  return 1
}
# clang's fuzzer runtime is a file of its own; only a link shows that it is there.
has_fuzzer() {
  local compiler
  for compiler in clang++-14 clang++-19 clang++-18 clang++-17 clang++-16 clang++-15 clang++; do
    if has_program "$compiler"; then
      echo 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }' |
        "$compiler" -x c++ - -fsanitize=fuzzer -o /dev/null >/dev/null 2>&1 && return 0
    fi
  done
  return 1
}
# A cross compiler without its C library compiles nothing useful.
has_aarch64_compiler() {
  has_program aarch64-linux-gnu-g++ &&
    echo '#include <cstdio>
int main() { return std::puts(""); }' | aarch64-linux-gnu-g++ -x c++ - -o /dev/null >/dev/null 2>&1
}
has_python_headers() {
  python3 -c 'import pathlib, sys, sysconfig; sys.exit(not (pathlib.Path(sysconfig.get_paths()["include"]) / "Python.h").exists())' 2>/dev/null
}

# need <probe> -- <package> [<alternative> ...]: the first alternative that apt knows is installed when the probe fails.
# An alternative may be several packages: a,b.
missing=()
need() {
  local probe=()
  while [ "$1" != -- ]; do probe+=("$1"); shift; done
  shift
  "${probe[@]}" || missing+=("$*")
}

needs_of_demo() {
  need has_any_program g++ clang++ -- g++
  need has_program python3 -- python3
  need python3 -c 'import ensurepip, venv' -- python3-venv
  need has_python_headers -- python3-dev
  need has_program pkg-config -- pkg-config
  need has_module libjpeg -- libjpeg-dev
  need has_module spng -- libspng-dev
  need has_module libwebp -- libwebp-dev
  need has_module libzstd -- libzstd-dev
  need has_module libhwy -- libhwy-dev
  need has_module fmt -- libfmt-dev
  need has_module CLI11 -- libcli11-dev
}
needs_of_audio() {
  need has_module sndfile -- libsndfile1-dev
  need has_module soxr -- libsoxr-dev
  need has_module hdf5 -- libhdf5-dev
}
needs_of_test() {
  needs_of_demo
  needs_of_audio
  need has_module gtest -- libgtest-dev
  need has_module gmock -- libgmock-dev
  need has_module benchmark -- libbenchmark-dev
  need has_program ccache -- ccache
  need has_program valgrind -- valgrind
  need has_program cjpeg -- libjpeg-turbo-progs
  need has_program bsdtar -- libarchive-tools
  need has_fuzzer -- clang-14,libclang-rt-14-dev clang-18,libclang-rt-18-dev clang-19,libclang-rt-19-dev
  need has_any_program qemu-aarch64-static qemu-aarch64 -- qemu-user-static qemu-user
  need has_aarch64_compiler -- g++-aarch64-linux-gnu,libc6-dev-arm64-cross
}
needs_of_bench() {
  needs_of_demo
  needs_of_audio
  need has_module benchmark -- libbenchmark-dev
}

collect() {
  missing=()
  "needs_of_$task" 2>/dev/null
}

task=${1:-}
case "$task" in
  demo | test | bench) ;;
  *) echo "usage: $0 demo|test|bench" >&2; exit 2 ;;
esac

collect
[ ${#missing[@]} -eq 0 ] && exit 0

names=$(for entry in "${missing[@]}"; do echo "${entry%% *}"; done | tr ',\n' '  ')
if ! has_program apt-get; then
  echo "make $task needs these packages (Debian names), and there is no apt-get here to install them with: $names" >&2
  echo "Install them with this system's package manager (docs/install.md has their names elsewhere), then run make $task again." >&2
  exit 1
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! has_program sudo; then
    echo "make $task needs packages that only root can install, and there is no sudo here. As root, run:" >&2
    echo "  apt-get update && apt-get install -y $names" >&2
    exit 1
  fi
  as_root=(sudo)
fi

run_as_root() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive "$@"; }
cannot_install() {
  echo "Could not install the missing packages. Install them by hand, then run make $task again:" >&2
  echo "  ${as_root[*]:+${as_root[*]} }apt-get update && ${as_root[*]:+${as_root[*]} }apt-get install -y $names" >&2
  exit 1
}

echo "make $task needs packages that are missing here: $names"
echo "Installing them with ${as_root[*]:+${as_root[*]} }apt-get."
run_as_root apt-get update -qq || cannot_install
chosen=()
for entry in "${missing[@]}"; do
  pick=${entry%% *}
  for alternative in $entry; do
    if apt-cache show "${alternative%%,*}" >/dev/null 2>&1; then pick=$alternative; break; fi
  done
  IFS=, read -ra packages <<<"$pick"
  chosen+=("${packages[@]}")
done
run_as_root apt-get install -y -qq --no-install-recommends "${chosen[@]}" >/dev/null || cannot_install

collect
if [ ${#missing[@]} -ne 0 ]; then
  echo "Still missing after apt-get install: $(printf '%s; ' "${missing[@]}")" >&2
  exit 1
fi
echo "Installed: ${chosen[*]}"
