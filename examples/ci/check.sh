#!/usr/bin/env bash
# Checks once and writes the outcome for each of its readers, on GitHub or elsewhere. Needs COMMAND, BASELINE, FOLDER; FILES and ADAPTER may be empty.
set -uo pipefail
mkdir -p "$FOLDER"
# What another check has left there is not the outcome of this one.
rm -f "$FOLDER"/check.*
read -r -d '' -a command <<< "$COMMAND"
read -r -d '' -a files <<< "${FILES:-}"
options=(--baseline "$BASELINE" --out "$FOLDER/check.json")
if [ -n "${ADAPTER:-}" ]; then options+=(--adapter "$ADAPTER"); fi

"${command[@]}" --quiet check ${files[@]+"${files[@]}"} "${options[@]}"
code=$?
if [ -f "$FOLDER/check.json" ]; then
  if [ -n "${GITHUB_ACTIONS:-}" ]; then formats=(table markdown annotations); else formats=(table junit); fi
  for format in "${formats[@]}"; do
    "${command[@]}" --quiet report "$FOLDER/check.json" --format "$format" --out "$FOLDER/check.$format"
  done
  cat "$FOLDER/check.table"
  if [ -n "${GITHUB_ACTIONS:-}" ]; then
    cat "$FOLDER/check.annotations"
    cat "$FOLDER/check.markdown" >> "$GITHUB_STEP_SUMMARY"
  fi
fi
if [ -n "${GITHUB_OUTPUT:-}" ]; then echo "code=$code" >> "$GITHUB_OUTPUT"; else exit "$code"; fi
