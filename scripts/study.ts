/**
 * Fills the figures of docs/reference/study.md, between its marks, from recordings that its user has:
 * `npx tsx scripts/study.ts --work FOLDER REC/cli=entireio/cli@394f81fab87f …`. Numbers of what was run stay in the working
 * folder, and the same command goes on where it ended. What is asked stands in `study/study.json`.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Estimate } from '../src/simulator/metrics/statistics/interval.ts';
import { ratioOfTotals } from '../src/simulator/metrics/statistics/mean-difference.ts';
import { formatCount, formatPercent, UNKNOWN, withEnds } from '../src/simulator/report/numbers.ts';
import { replaceBlock } from './page-blocks.ts';
import { leftRows, readCompactions, summaryRows } from './study/compactions.ts';
import { createGatherer, digestOf, type Swept } from './study/gather.ts';
import study from './study/study.json' with { type: 'json' };
import { claimRow, costRows, type Group, showTwo } from './study/tables.ts';
import { markdownTable } from '../src/simulator/report/document.ts';

type Rows = readonly (readonly string[])[];

/** A sweep of the first folders with sessions of a format, all where no number says how many. */
interface Asked {
  readonly format: string;
  readonly folders?: number;
  readonly options: readonly string[];
}

interface Block {
  /** With `{row.column}`, `{rows}`, and `{a verdict}` for how many rows end in it. */
  readonly answer: string;
  readonly titles: readonly string[];
  readonly repeat: readonly string[];
}

const PAGE = resolve(import.meta.dirname, '../docs/reference/study.md');
const WINDOW = 200_000;
const COPY = /^a (?:shorter )?copy of /;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    work: { type: 'string', default: 'reports/study' },
    page: { type: 'string', default: PAGE },
    sweeps: { type: 'string', default: Object.keys(study.sweeps).join(',') },
  },
});
const recordings = positionals.map((one) => {
  const [path = '', source = ''] = one.split('=');
  return { path: resolve(path), source };
});
const paths = recordings.map(({ path }) => path);
const { keep, validate, sweep } = createGatherer(paths, values.work);
const { command, sessions, rereads } = validate();
const swept = new Map<string, Swept>();
for (const [name, { format, folders: most, options }] of Object.entries<Asked>(study.sweeps)) {
  const folders = foldersOf(format).slice(0, most);
  // Without any, the program would take those of the machine.
  const isAsked = values.sweeps.split(',').includes(name) && folders.length > 0;
  if (isAsked) swept.set(name, sweep(name, options, folders));
}
const whole = sessions.filter(({ reason = '' }) => !COPY.test(reason));
const compacted = whole.filter(({ decisions }) =>
  decisions.some((one) => one.kind !== 'clearing' && one.recordedAfterStep !== null),
);
const figures = await keep('compactions.json', () =>
  readCompactions(compacted.map(({ file }) => file)),
);
const rowsOf: Readonly<Record<string, Rows>> = {
  recordings: recordingRows(),
  ...Object.fromEntries(Object.entries<Group[]>(study.groups).map(costsOf)),
  reread: rereadRows(),
  left: leftRows(figures),
  summaries: summaryRows(figures),
  claims: claimRows(),
};
const page = Object.entries<Block>(study.blocks).reduce(
  (text, [name, block]) =>
    replaceBlock(text, name, `${textsOf(block, rowsOf[name] ?? []).join('\n\n')}\n`),
  readFileSync(values.page, 'utf8'),
);
writeFileSync(values.page, page);

/** Folders with a session of a format. */
function foldersOf(format: string): readonly string[] {
  const files = sessions.filter((one) => one.format === format).map(({ file }) => file);
  return paths.filter((path) => files.some((file) => file.startsWith(`${path}/`)));
}

function recordingRows(): Rows {
  return recordings.map(({ path, source }) => {
    const { files, sha256 } = digestOf(path);
    const counts = [whole, compacted].map(
      (some) => some.filter(({ file }) => file.startsWith(`${path}/`)).length,
    );
    return [source, ...[files, ...counts].map(formatCount), `\`${sha256}\``];
  });
}

function costsOf([name, groups]: readonly [string, readonly Group[]]): readonly [string, Rows] {
  return [name, groups.flatMap((group) => costRows(swept.get(group.sweep), group))];
}

function rereadRows(): Rows {
  return rereads.map(({ calls, after, elsewhere, observed, predicted }) => [
    formatCount(calls),
    ...[after, elsewhere].map((one) => (one === null ? UNKNOWN : showTwo(one))),
    after && elsewhere ? formatPercent(elsewhere / after) : UNKNOWN,
    ...[observed, predicted].flatMap(({ value, interval, compactions }) => [
      value === null ? UNKNOWN : withEnds(showTwo(value), interval, showTwo),
      formatCount(compactions),
    ]),
  ]);
}

function claimRows(): Rows {
  const edges = figures.filter(({ isAutomatic, before }) => isAutomatic && before < WINDOW);
  const shares = edges.map(({ before, session }) => ({ a: WINDOW, b: before, cluster: session }));
  const observed = rereads[0]?.observed;
  const known = {
    edges: ratioOfTotals(shares, { seed: 1 }),
    rereads: observed?.value == null ? undefined : (observed as Estimate),
  };
  return study.claims.map((claim) => claimRow(claim, (name) => swept.get(name), known));
}

/** An answer, its table, and the commands that repeat both. */
function textsOf({ answer, titles, repeat }: Block, rows: Rows): readonly string[] {
  if (rows.length === 0) return ['Not measured on these recordings.'];
  const filled = answer
    .replaceAll(/\{(\d+)\.(\d+)\}/g, (_, row, column) => rows[row]?.[column] ?? UNKNOWN)
    .replaceAll(/\{(\w+)\}/g, (_, verdict) =>
      String(rows.filter((row) => verdict === 'rows' || row.at(-1) === verdict).length),
    );
  const table = markdownTable(
    titles,
    rows,
    titles.map((_, index) => index > 0),
  ).join('\n');
  const repeated = repeat
    .flatMap((name) => (name === 'validate' ? command : (swept.get(name)?.command ?? [])))
    .map((one) => `- \`${one}\``);
  return [
    filled,
    table,
    repeated.length === 0 ? '' : `Repeated by:\n\n${repeated.join('\n')}`,
  ].filter((text) => text !== '');
}
