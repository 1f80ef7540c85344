/**
 * Holds every number that judges against its labelled cases; exit code 1 where one agrees too seldom. With
 * `--losses FILE --cases FILE --recordings FOLDER,FOLDER` it only shows how losses agree with labels and cases of your own, and with
 * `--judge MODEL` how a model does; `--base-url`, `--api-key-env`, `--budget-usd`, `--cassette` and `--dry-run` are those of the program.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { agreementPage, agreementTable, withFigures } from './agreement/page.ts';
import { reportError } from '../src/cli/process/faults.ts';
import { type FactCase, factRows, naturalRows, readCases, unseenRows } from './agreement/facts.ts';
import { judgeSets } from './agreement/judge.ts';
import { agreementOfLosses, knownLosses, unseenLosses } from './agreement/losses.ts';
import { type AgreementRow, isAsWanted } from './agreement/row.ts';

const ROOT = resolve(import.meta.dirname, '..');
const LABELS = resolve(ROOT, 'agreement');
/** Folders of cases that are counted together. */
const SETS = [['panel', 'own'], ['unseen'], ['natural'], ['fresh']];
/** Recorded sessions do not ship with the project: their labels count where they are there. */
const RECORDINGS = resolve(ROOT, '../shared/sessions');

const { values } = parseArgs({
  options: {
    write: { type: 'boolean' },
    losses: { type: 'string' },
    cases: { type: 'string' },
    recordings: { type: 'string' },
    judge: { type: 'string' },
    'base-url': { type: 'string' },
    'api-key-env': { type: 'string' },
    'budget-usd': { type: 'string' },
    cassette: { type: 'string' },
    'dry-run': { type: 'boolean' },
  },
});
const recordings = (values.recordings ?? RECORDINGS).split(',');
const given = [values.losses, values.cases].filter((file) => file !== undefined);

if (given.length > 0) print(given.flatMap((file) => agreementOfLosses(file, file, recordings)));
else if (values.judge === undefined) holdAll();
else process.exitCode = await printJudged(values.judge);

/** Nothing is demanded of a model, and nothing written. */
async function printJudged(judge: string): Promise<number> {
  const options = {
    judge,
    baseUrl: values['base-url'],
    apiKeyEnv: values['api-key-env'],
    budgetUsd: values['budget-usd'],
    cassette: values.cassette,
    ...(values['dry-run'] && { dryRun: true as const }),
  };
  const { stdin, stdout, stderr, env } = process;
  const { signal } = new AbortController();
  const io = { stdin, stdout, stderr, env, signal, now: () => performance.now() };
  try {
    return await judgeSets(readSets(), { options, print: (sets) => print(rowsOf(sets)) }, io);
  } catch (error) {
    return reportError(error, io);
  }
}

function readSets(): readonly (readonly FactCase[])[] {
  return SETS.map((names) => readCases(names.map((name) => resolve(LABELS, name))));
}

function rowsOf(sets: ReturnType<typeof readSets>): readonly AgreementRow[] {
  const [cases = [], unseen = [], natural = [], fresh = []] = sets;
  return [
    ...factRows(cases),
    ...unseenRows(unseen),
    ...naturalRows('Natural', natural),
    ...naturalRows('Fresh', fresh),
  ];
}

function print(rows: readonly AgreementRow[]): void {
  console.log(agreementTable(rows));
}

function holdAll(): void {
  const sets = readSets();
  const [cases = []] = sets;
  const states = rowsOf(sets);
  const unseen = unseenLosses(LABELS);
  const losses = unseenLosses(LABELS, recordings);
  const rows = [...states, ...knownLosses(LABELS, recordings), ...losses];
  print(rows);
  hold('reference/agreement', () => agreementPage([...states, ...unseen], cases));
  // Of some of the recordings, the figures are others.
  if (values.recordings !== undefined)
    hold('reference/losses', (page) => withFigures(page, losses));
  for (const { number } of rows.filter((row) => !isAsWanted(row))) {
    console.error(`Expected more agreement: ${number}.`);
    process.exitCode = 1;
  }
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
