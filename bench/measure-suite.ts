/** Measures one suite in this process, which tells its parent what it found out: `BUILT-FOLDER SUITE`. */

import { register } from 'node:module';

const [built, id] = process.argv.slice(2);
register('./support/built-sources.ts', import.meta.url, { data: built });
// Only what is imported from here on is the built one.
const { suites } = await import('./suites.ts');
// As the program itself runs.
const { setMemoryFlags } = await import('../src/cli/process/io.ts');
setMemoryFlags();
process.send?.(await suites.find((suite) => suite.id === id)?.run());
process.disconnect();
