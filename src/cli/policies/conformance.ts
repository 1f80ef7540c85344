import { tableSections } from '../../simulator/report/fit-columns.ts';
import { jsonText } from '../../simulator/report/json-text.ts';
import { formatCount } from '../../simulator/report/numbers.ts';
import type { Terminal } from '../../simulator/report/report.ts';
import { joinSections, listSection } from '../../simulator/report/sections.ts';
import { shownText } from '../../simulator/report/shown-text.ts';
import type { Column, TextTable } from '../../simulator/report/text-table.ts';
import { fitProse } from '../../simulator/report/wrap-prose.ts';
import type { VectorResult } from '../../simulator/scenario/conformance/vector.ts';
import { describeOrigin, type Origin } from '../../simulator/report/origin.ts';
import { ownOrigin } from '../run/origin.ts';
import { groupBy } from '../../simulator/group-by.ts';

/** A file whose vectors were not run. */
export interface UnreadFile {
  readonly file: string;
  readonly reason: string;
}

/** How many vectors came out how, and each of them. */
export interface ConformanceReport extends Counts {
  /** Of the program whose engine was checked. */
  readonly origin: Origin;
  readonly unread: readonly UnreadFile[];
  readonly results: readonly VectorResult[];
}

/** Results by state. */
type Counts = Readonly<Record<VectorResult['state'], number>>;

const COLUMNS: readonly Column[] = [
  { title: 'Kind' },
  { title: 'Profile', holds: 'names' },
  { title: 'Passed', rank: 1 },
  { title: 'Failed' },
  { title: 'Not applicable', rank: 2 },
];

/** How a report can be printed, by name. */
export const renderers = {
  table: renderTable,
  json: (report) => jsonText(report),
} satisfies Record<string, (report: ConformanceReport, terminal: Terminal) => string>;

/** The report of some results. */
export function toReport(
  results: readonly VectorResult[],
  unread: readonly UnreadFile[],
): ConformanceReport {
  return { origin: ownOrigin(), ...countStates(results), unread, results };
}

function renderTable(report: ConformanceReport, terminal: Terminal): string {
  const lists = [
    listSection('Failed:', report.results.filter(({ state }) => state === 'failed').map(toFailure)),
    listSection('Not applicable:', skipReasons(report.results)),
    listSection(
      'Unread:',
      report.unread.map(({ reason }) => reason),
    ),
  ];
  return joinSections([
    ...tableSections(toTable(report), terminal, 'json'),
    ...lists.map((list) => fitProse(list, terminal)),
    describeOrigin(report.origin),
  ]);
}

function toTable(report: ConformanceReport): TextTable {
  const groups = groupBy(report.results, ({ kind, profile }) => JSON.stringify([kind, profile]));
  const rows = [...groups.values()].map((results) => {
    const [{ kind, profile } = { kind: '', profile: '' }] = results;
    return [shownText(kind), shownText(profile), ...toCells(countStates(results))];
  });
  return { columns: COLUMNS, rows: [...rows, ['Total', '', ...toCells(report)]] };
}

function toCells({ passed, failed, skipped }: Counts): readonly string[] {
  return [passed, failed, skipped].map(formatCount);
}

function countStates(results: readonly VectorResult[]): Counts {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const { state } of results) counts[state] += 1;
  return counts;
}

function toFailure({ id, kind, profile, expected, got, reason }: VectorResult): string {
  const values = `expected ${JSON.stringify(expected)}, got ${JSON.stringify(got)}`;
  return `${id} (${kind}, ${profile}): ${values}${reason === undefined ? '' : `. ${reason}`}`;
}

/** Each reason once, with how many it holds for and the first of them. */
function skipReasons(results: readonly VectorResult[]): readonly string[] {
  const skipped = results.filter(({ state }) => state === 'skipped');
  const groups = groupBy(skipped, ({ kind, reason = '' }) => `${kind}: ${reason}`);
  return [...groups].map(([text, group]) => `${group.length} × ${text} First: ${group[0]?.id}.`);
}
