#!/usr/bin/env sh
# Fails with 1 where compaction has changed, with 3 where nothing can be compared.
set -eu
npx compaction-bench check compaction/ --baseline reports/baseline
