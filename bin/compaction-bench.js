#!/usr/bin/env node

/** Starts the program, or says what to run where it is not built yet. */

import { existsSync } from 'node:fs';

const built = new URL('../dist/cli/main.js', import.meta.url);

if (existsSync(built)) {
  const { runProcess } = await import(built.href);
  await runProcess();
} else {
  process.stderr.write("Nothing is built yet: 'npm ci && npm run build' in this clone does it.\n");
  process.exitCode = 2;
}
