#!/bin/bash
# Puts the branch that is checked out in this clone, written with the old words, on top of the renaming commit.
#
#   /tmp/words/port.sh [NEW [OLD]]
#
# NEW is the renaming commit (by default the newest of origin/main whose subject is below), OLD the commit of main that it
# renamed (by default NEW's parent). The branch must be clean. Commits that have OLD behind them are carried over one by one
# with their messages; those before OLD was merged become one commit. The old tip stays as the branch <name>-old-words.
set -euo pipefail
rename=${RENAME:-/tmp/words/rename.py}
subject='Rename to the words of the glossary'
cd "$(git rev-parse --show-toplevel)"
branch=$(git symbolic-ref --short HEAD)
[ -z "$(git status --porcelain --untracked-files=no)" ] || { echo "commit your changes first"; exit 1; }
git fetch -q origin
new=${1:-$(git log -1 --format=%H --grep="^$subject" origin/main)}
[ -n "$new" ] || { echo "origin/main has no commit '$subject'; name it as the first argument"; exit 1; }
git cat-file -e "$new" 2>/dev/null || git fetch -q /tmp/words/main words
new=$(git rev-parse "$new^{commit}")
old=$(git rev-parse "${2:-$new^}^{commit}")
if git merge-base --is-ancestor "$new" HEAD; then echo "$branch is on top of the renaming already"; exit 0; fi
if ! git merge-base --is-ancestor "$old" HEAD; then
  echo "merging $old (main before the renaming) into $branch first"
  git merge --no-edit "$old" || { echo "resolve these conflicts (still in the old words), commit, run port.sh again"; exit 1; }
fi
tip=$(git rev-parse HEAD)
if [ "$tip" = "$old" ]; then git reset -q --hard "$new"; echo "nothing to carry over; $branch is at $new"; exit 0; fi
work=$(mktemp -d /tmp/words-port.XXXXXX)
trap 'git worktree remove --force "$work/tree" 2>/dev/null || true; rm -rf "$work"' EXIT
git worktree add -q --detach "$work/tree" "$old"
at=$new
waiting=()
for commit in $(git rev-list --reverse --first-parent "$old..$tip"); do
  # A commit without OLD behind it has another tree below its changes: it goes with the merge that follows.
  if ! git merge-base --is-ancestor "$old" "$commit"; then waiting+=("$commit"); continue; fi
  git -C "$work/tree" checkout -q --detach --force "$commit"
  python3 "$rename" "$work/tree" > "$work/log" 2>&1 || { cat "$work/log"; exit 1; }
  tree=$(git -C "$work/tree" write-tree)
  git -C "$work/tree" reset -q --hard
  [ "$tree" != "$(git rev-parse "$at^{tree}")" ] || continue
  {
    [ ${#waiting[@]} -gt 0 ] && [ "$(git rev-list --no-walk --count --merges "$commit")" = 1 ] || git log -1 --format=%B "$commit"
    for one in ${waiting[@]+"${waiting[@]}"}; do git log -1 --format=%B "$one"; done
  } > "$work/message"
  at=$(GIT_AUTHOR_NAME="$(git log -1 --format=%an "$commit")" GIT_AUTHOR_EMAIL="$(git log -1 --format=%ae "$commit")" \
       GIT_AUTHOR_DATE="$(git log -1 --format=%aI "$commit")" git commit-tree "$tree" -p "$at" -F "$work/message")
  waiting=()
done
git branch -f "$branch-old-words" "$tip"
git reset -q --hard "$at"
echo "$branch: $(git rev-list --count "$new..$at") commits on top of $new; the old tip is $branch-old-words"
echo "left of the old words in what you changed:"
git diff --name-only "$new" "$at" | xargs -r -d '\n' grep -nIiE 'picture|\bsounds?\b|[a-z_]sound|Sound[A-Z]' 2>/dev/null | head -20 || true
