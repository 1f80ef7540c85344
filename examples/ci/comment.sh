#!/usr/bin/env bash
# Writes the outcome as a comment of a pull request, over the one that was written before. Needs FOLDER, NUMBER and `gh`.
set -euo pipefail
[ -f "$FOLDER/check.markdown" ] || exit 0
marker='<!-- compaction-bench -->'
comments="repos/$GITHUB_REPOSITORY/issues/$NUMBER/comments"
own=".[] | select((.body // \"\") | startswith(\"$marker\")) | .id"
known=$(gh api --paginate "$comments" --jq "$own" | sed -n 1p)
if [ -n "$known" ]; then
  gh api --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$known" -F "body=@$FOLDER/check.markdown" > /dev/null
else
  gh api --method POST "$comments" -F "body=@$FOLDER/check.markdown" > /dev/null
fi
