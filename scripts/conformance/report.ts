import { groupBy } from '../../src/simulator/lib/collections.ts';
import { HarnessError, unlessWrongInput } from '../../src/simulator/lib/errors.ts';
import {
  jsonText,
  joinSections,
  listSection,
  shownText,
} from '../../src/simulator/report/markup.ts';
import { tableSections } from '../../src/simulator/report/layout.ts';
import { readVectors, runVectors } from '../../test/support/conformance/run-vectors.ts';
import type { VectorResult } from '../../test/support/conformance/vector.ts';

type State = VectorResult['state'];

/** The result of a check of vectors: its exit code, and what it prints. */
export interface Checked {
  /** 3 where no vector applies, 2 for wrong use, 1 where one fails or a file cannot be read, 0 otherwise. */
  readonly code: 0 | 1 | 2 | 3;
  readonly text: string;
}

const JSON_OPTION = '--json';
const USAGE = `Expected files with vectors: npm run conformance -- FILES [${JSON_OPTION}]`;
const COLUMNS = [
  { title: 'Kind' },
  { title: 'Profile', holds: 'names' },
  { title: 'Passed' },
  { title: 'Failed' },
  { title: 'Not applicable' },
] as const;

/** Holds the engine against the vectors of some files. */
export function checkVectors(args: readonly string[]): Checked {
  const files = args.filter((arg) => arg !== JSON_OPTION);
  if (files.length === 0 || files.some((file) => file.startsWith('-')))
    return { code: 2, text: `${USAGE}\n` };
  const read = files.map((file) => unlessWrongInput(() => readVectors(file)));
  const unread = read.flatMap((one) => (one instanceof HarnessError ? [one.message] : []));
  if (unread.length === files.length) return { code: 2, text: `${unread.join('\n')}\n` };
  const results = runVectors(read.flatMap((one) => (one instanceof HarnessError ? [] : one)));
  const text = args.includes(JSON_OPTION)
    ? jsonText({ ...countStates(results), unread, results })
    : renderTable(results, unread);
  return { code: codeOf(countStates(results), unread), text };
}

function countStates(results: readonly VectorResult[]): Record<State, number> {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const { state } of results) counts[state] += 1;
  return counts;
}

/** Where no vector applies, nothing was proved. */
function codeOf({ passed, failed }: Record<State, number>, unread: readonly string[]) {
  if (passed + failed === 0) return 3;
  return failed > 0 || unread.length > 0 ? 1 : 0;
}

function renderTable(results: readonly VectorResult[], unread: readonly string[]): string {
  const groups = groupBy(results, ({ kind, profile }) => JSON.stringify([kind, profile]));
  const rows = [...groups.values()].map((group) => {
    const [{ kind, profile }] = group;
    return [shownText(kind), shownText(profile), ...toCells(group)];
  });
  const table = { columns: COLUMNS, rows: [...rows, ['Total', '', ...toCells(results)]] };
  const failed = results.filter(({ state }) => state === 'failed').map(describeFailure);
  return joinSections([
    ...tableSections(table, { colors: false }, 'json'),
    listSection('Failed:', failed),
    listSection('Not applicable:', skipReasons(results)),
    listSection('Unread:', unread),
  ]);
}

function toCells(results: readonly VectorResult[]): readonly string[] {
  return Object.values(countStates(results)).map(String);
}

function describeFailure({ id, kind, profile, expected, got, reason }: VectorResult): string {
  const values = `expected ${JSON.stringify(expected)}, got ${JSON.stringify(got)}`;
  return `${id} (${kind}, ${profile}): ${values}${reason === undefined ? '' : `. ${reason}`}`;
}

/** Each reason once, with how many it holds for and the first of them. */
function skipReasons(results: readonly VectorResult[]): readonly string[] {
  const skipped = results.filter(({ state }) => state === 'skipped');
  const groups = groupBy(skipped, ({ kind, reason = '' }) => `${kind}: ${reason}`);
  return [...groups].map(([text, group]) => `${group.length} × ${text} First: ${group[0]?.id}.`);
}
