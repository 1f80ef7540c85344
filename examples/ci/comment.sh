#!/usr/bin/env bash
# Writes the outcome as a comment of a pull request, over the one that was written before under the same name.
# Needs FOLDER, NUMBER and `gh`; NAME may be empty.
set -euo pipefail
[ -f "$FOLDER/check.markdown" ] || exit 0
marker='<!-- compaction-bench -->'
title=''
if [ -n "${NAME:-}" ]; then
  # Nothing is left that would end the marker, or be obeyed where it is looked for.
  name=${NAME//[^A-Za-z0-9._\/ -]/_}
  marker="<!-- compaction-bench: $name -->"
  title=" (\`$name\`)"
fi
sed "1s|.*|$marker|; 2s|\$|$title|" "$FOLDER/check.markdown" > "$FOLDER/check.comment"
comments="repos/$GITHUB_REPOSITORY/issues/$NUMBER/comments"
own=".[] | select((.body // \"\") | startswith(\"$marker\")) | .id"
known=$(gh api --paginate "$comments" --jq "$own" | sed -n 1p)
if [ -n "$known" ]; then
  gh api --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$known" -F "body=@$FOLDER/check.comment" > /dev/null
else
  gh api --method POST "$comments" -F "body=@$FOLDER/check.comment" > /dev/null
fi
