/** Holds every number that judges against its labelled cases; exit code 1 where one agrees too seldom. */

import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { agreementPage, agreementTable } from './agreement/page.ts';
import { factRows, readCases } from './agreement/facts.ts';
import { isAsWanted } from './agreement/row.ts';

const ROOT = resolve(import.meta.dirname, '..');
const PAGE = resolve(ROOT, 'docs/agreement.md');

const cases = readCases(['panel', 'own'].map((name) => resolve(ROOT, 'agreement', name)));
const rows = factRows(cases);
console.log(agreementTable(rows));

const page = agreementPage(rows, cases);
if (process.argv.includes('--write')) writeFileSync(PAGE, page);
else if (readFileSync(PAGE, 'utf8') !== page) {
  console.error(
    'Expected docs/agreement.md to have these figures: run npm run agreement -- --write.',
  );
  process.exitCode = 1;
}
for (const { number } of rows.filter((row) => !isAsWanted(row))) {
  console.error(`Expected more agreement: ${number}.`);
  process.exitCode = 1;
}
