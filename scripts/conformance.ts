/** Holds the engine against vectors of what released versions did: files as arguments, `--json` for JSON. */

import { checkVectors } from './conformance/report.ts';

const { code, text } = checkVectors(process.argv.slice(2));
(code === 2 ? process.stderr : process.stdout).write(text);
process.exitCode = code;
