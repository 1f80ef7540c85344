/**
 * Holds every number that judges against its labelled cases; exit code 1 where one agrees too seldom. With
 * `--losses FILE --cases FILE --recordings FOLDER,FOLDER` it only shows how losses agree with labels and cases of your own.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { agreementPage, agreementTable, withFigures } from './agreement/page.ts';
import { factRows, naturalRows, readCases, unseenRows } from './agreement/facts.ts';
import { agreementOfLosses, knownLosses, unseenLosses } from './agreement/losses.ts';
import { type AgreementRow, isAsWanted } from './agreement/row.ts';

const ROOT = resolve(import.meta.dirname, '..');
const LABELS = resolve(ROOT, 'agreement');
/** Recorded sessions do not ship with the project: their labels count where they are there. */
const RECORDINGS = resolve(ROOT, '../shared/sessions');

const { values } = parseArgs({
  options: {
    write: { type: 'boolean' },
    losses: { type: 'string' },
    cases: { type: 'string' },
    recordings: { type: 'string' },
  },
});
const recordings = (values.recordings ?? RECORDINGS).split(',');
const given = [values.losses, values.cases].filter((file) => file !== undefined);

if (given.length > 0)
  console.log(agreementTable(given.flatMap((file) => agreementOfLosses(file, file, recordings))));
else holdAll();

function holdAll(): void {
  const cases = readCases(['panel', 'own'].map((name) => resolve(LABELS, name)));
  const states = [
    ...factRows(cases),
    ...unseenRows(readCases([resolve(LABELS, 'unseen')])),
    ...naturalRows('Natural', readCases([resolve(LABELS, 'natural')])),
    ...naturalRows('Fresh', readCases([resolve(LABELS, 'fresh')])),
  ];
  const unseen = unseenLosses(LABELS);
  const losses = unseenLosses(LABELS, recordings);
  const rows = [...states, ...knownLosses(LABELS, recordings), ...losses];
  console.log(agreementTable(rows));
  hold('reference/agreement', () => agreementPage([...states, ...unseen], cases));
  hold('summarizers', (page) => withFigures(page, acceptedOf(states)));
  // Of some of the recordings, the figures are others.
  if (values.recordings !== undefined) hold('losses', (page) => withFigures(page, losses));
  for (const { number } of rows.filter((row) => !isAsWanted(row))) {
    console.error(`Expected more agreement: ${number}.`);
    process.exitCode = 1;
  }
}

function acceptedOf(rows: readonly AgreementRow[]): readonly AgreementRow[] {
  return rows.filter(({ wanted }) => wanted !== undefined);
}

function hold(name: string, pageOf: (before: string) => string): void {
  const path = resolve(ROOT, `docs/${name}.md`);
  const before = readFileSync(path, 'utf8');
  const after = pageOf(before);
  if (values.write === true) writeFileSync(path, after);
  else if (before !== after) {
    console.error(`Expected ${path} to have these figures: run npm run agreement -- --write.`);
    process.exitCode = 1;
  }
}
