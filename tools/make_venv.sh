#!/usr/bin/env bash
# Makes .venv with the pinned Python tools of a task: tools/make_venv.sh demo|test
# Does nothing when the last run for the same task, Python and pins went through.
set -euo pipefail
cd "$(dirname "$0")/.."
task=${1:?usage: tools/make_venv.sh demo|test}
requirements=tools/requirements-$task.txt
frameworks=tools/requirements-frameworks.txt
stamp=.venv/installed-$task

wanted=$(python3 --version; cat tools/requirements-demo.txt "$requirements"; [ "$task" != test ] || cat "$frameworks")
if [ -x .venv/bin/python ] && [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ]; then exit 0; fi

echo "Setting up .venv for make $task (Python packages from $requirements)"
[ -x .venv/bin/python ] || python3 -m venv .venv
pip() { .venv/bin/python -m pip --disable-pip-version-check --quiet "$@"; }

# PyPI's torch brings gigabytes of CUDA libraries that neither the demo nor the tests use. A wheel that pip is already
# told about (find-links) comes first, then PyTorch's own index of CPU builds; where that index cannot be reached, PyPI.
torch=$(grep '^torch==' tools/requirements-demo.txt)
cpu_index=https://download.pytorch.org/whl/cpu
if ! .venv/bin/python -c "import sys; from importlib.metadata import version; sys.exit(version('torch').split('+')[0] != '${torch#torch==}')" 2>/dev/null; then
  if pip install --no-index --no-deps "$torch" 2>/dev/null; then
    pip install "$torch"
  elif .venv/bin/python -c "import urllib.request; urllib.request.urlopen('$cpu_index/torch/', timeout=10)" 2>/dev/null; then
    pip install --extra-index-url "$cpu_index" "$torch"
  else
    echo "$cpu_index cannot be reached; taking torch from the default index, which may be the large CUDA build"
    pip install "$torch"
  fi
fi
pip install -r "$requirements"
if [ "$task" = test ]; then
  pip install --no-deps -r "$frameworks"
  # PyPI has torchvision for CUDA alone. Beside a torch for the CPU its operators for detection are not there, and what
  # it registers about them at import fails; transforms need neither.
  site=$(.venv/bin/python -c "import sysconfig; print(sysconfig.get_path('purelib'))")
  name=torchvision._meta_registrations
  echo "import sys, types; sys.modules.setdefault('$name', types.ModuleType('$name'))" > "$site/torchvision_without_cuda.pth"
fi
printf '%s\n' "$wanted" > "$stamp"
