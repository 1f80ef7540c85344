/** Says what to run where the packages that build the program are not installed yet. */

import { existsSync } from 'node:fs';

if (!existsSync(new URL('../node_modules/tsx', import.meta.url))) {
  process.stderr.write("Nothing is installed yet: 'npm ci && npm start' in this clone does it.\n");
  process.exitCode = 2;
}
