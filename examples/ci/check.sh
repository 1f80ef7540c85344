#!/usr/bin/env bash
# Checks once and writes the outcome for each of its readers, on GitHub or elsewhere.
# Needs COMMAND and FOLDER; FILES, BASELINE, ADAPTER, CONFIG_FILE and TIER may be empty.
set -uo pipefail
mkdir -p "$FOLDER"
# What another check has left there is not the outcome of this one.
rm -f "$FOLDER"/check.*
read -r -d '' -a command <<< "$COMMAND"
read -r -d '' -a files <<< "${FILES:-}"
options=(--out "$FOLDER/check.json")
if [ -n "${BASELINE:-}" ]; then options+=(--baseline "$BASELINE"); fi
if [ -n "${ADAPTER:-}" ]; then options+=(--adapter "$ADAPTER"); fi
if [ -n "${CONFIG_FILE:-}" ]; then options+=(--config "$CONFIG_FILE"); fi
if [ -n "${TIER:-}" ]; then options+=(--tier "$TIER"); fi

"${command[@]}" --quiet check ${files[@]+"${files[@]}"} "${options[@]}"
code=$?
if [ -n "${GITHUB_ACTIONS:-}" ]; then formats=(table markdown annotations); else formats=(table junit); fi
if [ -f "$FOLDER/check.json" ]; then
  for format in "${formats[@]}"; do
    "${command[@]}" --quiet report "$FOLDER/check.json" --format "$format" --out "$FOLDER/check.$format"
  done
  cat "$FOLDER/check.table"
elif [ -n "${GITHUB_ACTIONS:-}" ]; then
  # An older comment would tell what holds no more.
  {
    printf '%s\n' '<!-- compaction-bench -->' '## ❌ Compaction' ''
    echo "The check could not run: it ended with exit code $code. The log of the action says why."
  } > "$FOLDER/check.markdown"
  echo "::error title=compaction-bench::The check could not run" > "$FOLDER/check.annotations"
fi
if [ -n "${GITHUB_ACTIONS:-}" ]; then
  cat "$FOLDER/check.annotations"
  cat "$FOLDER/check.markdown" >> "$GITHUB_STEP_SUMMARY"
fi
if [ -n "${GITHUB_OUTPUT:-}" ]; then echo "code=$code" >> "$GITHUB_OUTPUT"; else exit "$code"; fi
