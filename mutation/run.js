/** Mutates each room of rooms.js, or those that are named, and fails where one kills too few: `npm run mutation -- bill`. */

import { Stryker } from '@stryker-mutator/core';
import { rooms } from './rooms.js';

const JOBS = Number(process.env.MUTATION_JOBS ?? 2);

/** All mutators, and values that are made when a module loads as well. */
const optionsOf = (name, { mutate, least }) => ({
  testRunner: 'loads',
  plugins: ['./mutation/runner.js'],
  vitest: { configFile: 'mutation/vitest.config.ts' },
  tsconfigFile: 'not-rewritten.json',
  mutate,
  coverageAnalysis: 'perTest',
  ignoreStatic: false,
  concurrency: JOBS,
  reporters: ['clear-text', 'json'],
  clearTextReporter: { allowColor: false, reportTests: false },
  jsonReporter: { fileName: `reports/mutation/${name}.json` },
  thresholds: { high: 95, low: least, break: least },
  tempDirName: '.stryker-tmp',
  ignorePatterns: ['dist', 'reports'],
});

const isAsked = (name) => process.argv.slice(2).some((asked) => `${name}/`.startsWith(`${asked}/`));
const names = Object.keys(rooms).filter((name) => process.argv.length === 2 || isAsked(name));
if (names.length === 0)
  throw new Error(`Expected a room of ${Object.keys(rooms).join(', ')}, got another name.`);
for (const name of names) {
  const room = rooms[name];
  process.env.MUTATION_ROOM = name;
  console.log(`\n${name}: at least ${room.least} %`);
  await new Stryker(optionsOf(name, room)).runMutationTest();
}
