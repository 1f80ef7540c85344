/** Holds every number that judges against its labelled cases; exit code 1 where one agrees too seldom. */

import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { agreementPage, agreementTable, withFigures } from './agreement/page.ts';
import { factRows, readCases, unseenRows } from './agreement/facts.ts';
import { agreementOfLosses } from './agreement/losses.ts';
import { isAsWanted } from './agreement/row.ts';

const ROOT = resolve(import.meta.dirname, '..');
const PAGES = ['agreement', 'summarizers'].map((name) => resolve(ROOT, `docs/${name}.md`));

const LABELS = resolve(ROOT, 'agreement');
/** Recorded sessions that do not ship with the project; their lines are shown where they are there. */
const RECORDINGS = resolve(ROOT, '../shared/sessions');
const NOWHERE = resolve(LABELS, 'no-recordings');

const cases = readCases(['panel', 'own'].map((name) => resolve(LABELS, name)));
const states = [...factRows(cases), ...unseenRows(readCases([resolve(LABELS, 'unseen')]))];
const rows = [...states, ...(await agreementOfLosses(LABELS, NOWHERE))];
const shown = [...states, ...(await agreementOfLosses(LABELS, RECORDINGS))];
console.log(agreementTable(shown));

for (const [index, path] of PAGES.entries()) {
  const before = readFileSync(path, 'utf8');
  const after = index === 0 ? agreementPage(rows, cases) : withFigures(before, states);
  if (process.argv.includes('--write')) writeFileSync(path, after);
  else if (before !== after) {
    console.error(`Expected ${path} to have these figures: run npm run agreement -- --write.`);
    process.exitCode = 1;
  }
}
for (const { number } of shown.filter((row) => !isAsWanted(row))) {
  console.error(`Expected more agreement: ${number}.`);
  process.exitCode = 1;
}
