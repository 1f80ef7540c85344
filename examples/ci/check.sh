#!/usr/bin/env bash
# Checks once and writes the outcome for each of its readers. Needs COMMAND, BASELINE, FOLDER; FILES may be empty.
set -uo pipefail
mkdir -p "$FOLDER"
read -r -a command <<< "$COMMAND"
read -r -a files <<< "${FILES:-}"

"${command[@]}" check "${files[@]}" --baseline "$BASELINE" --out "$FOLDER/check.json"
code=$?
if [ -f "$FOLDER/check.json" ]; then
  for format in table markdown annotations junit; do
    "${command[@]}" report "$FOLDER/check.json" --format "$format" --out "$FOLDER/check.$format" 2> /dev/null
  done
  cat "$FOLDER/check.table"
  cat "$FOLDER/check.annotations"
  if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then cat "$FOLDER/check.markdown" >> "$GITHUB_STEP_SUMMARY"; fi
fi
if [ -n "${GITHUB_OUTPUT:-}" ]; then echo "code=$code" >> "$GITHUB_OUTPUT"; else exit "$code"; fi
