#!/bin/bash
# land.sh [BASE]: the renaming, and what was done by hand on top, on BASE (default: /work/main's main).
# Prints the commit, which lies in /tmp/words/land (a clone of /work/main). Nothing is pushed.
set -euo pipefail
[ -d /tmp/words/land ] || git clone -q /work/main /tmp/words/land
cd /tmp/words/land
git fetch -q origin
git fetch -q /tmp/words/main words
tip=$(git rev-parse FETCH_HEAD)
base=$(git rev-parse "${1:-origin/main}")
subject='Rename to the words of the glossary'
renamed=$(git log -1 --format=%H --grep="^$subject" "$tip")
git checkout -q --detach "$base"
git reset -q --hard
if ! git log --format=%s "$base" | grep -q "^$subject"; then
  python3 /tmp/words/rename.py .
  git commit -q -m "$(git log -1 --format=%B "$renamed")"
fi
git cherry-pick "$renamed..$tip" >/dev/null
git log -1 --format=%H
