import { groupBy } from '../../simulator/lib/collections.ts';
import { HarnessError, unlessWrongInput } from '../../simulator/lib/errors.ts';
import { formatCount } from '../../simulator/report/numbers.ts';
import { describeOrigin, type Origin } from '../../simulator/report/origin.ts';
import { fitProse } from '../../simulator/report/prose.ts';
import type { Terminal } from '../../simulator/report/report.ts';
import { type Column, tableSections, type TextTable } from '../../simulator/report/text-table.ts';
import { readVectors, runVectors } from '../../simulator/scenario/conformance/run-vectors.ts';
import type { VectorResult } from '../../simulator/scenario/conformance/vector.ts';
import { nothingRead } from '../inputs.ts';
import { EXIT } from '../process/io.ts';
import { defineCommand, formatOption } from '../command.ts';
import { listSection, joinSections, shownText, jsonText } from '../../simulator/report/markup.ts';
import { ownOrigin } from '../origin.ts';

/** A file whose vectors were not run. */
interface UnreadFile {
  readonly file: string;
  readonly reason: string;
}

/** How many vectors came out how, and each of them. */
interface ConformanceReport extends Counts {
  /** Of the program whose engine was checked. */
  readonly origin: Origin;
  readonly unread: readonly UnreadFile[];
  readonly results: readonly VectorResult[];
}

/** Results by state. */
type Counts = Readonly<Record<VectorResult['state'], number>>;

const EXAMPLES = `
Examples:
  $ compaction-bench check conformance test/fixtures/conformance/opencode-vectors.json
  $ compaction-bench check conformance vectors/*.json --format json

Exit codes: 3 where no vector applies to the engine, 1 where one does not hold or a file could not be read, 0 otherwise.`;

const COLUMNS: readonly Column[] = [
  { title: 'Kind' },
  { title: 'Profile', holds: 'names' },
  { title: 'Passed', rank: 1 },
  { title: 'Failed' },
  { title: 'Not applicable', rank: 2 },
];

/** How a report can be printed, by name. */
const renderers = {
  table: renderTable,
  json: (report) => jsonText(report),
} satisfies Record<string, (report: ConformanceReport, terminal: Terminal) => string>;

/** Proves the engine against facts about released versions. */
export const conformanceCommand = defineCommand({
  name: 'conformance',
  describe: 'Check the engine against vectors of what released versions did.',
  arguments: { '<files...>': 'JSON files with vectors' },
  options: formatOption(renderers),
  examples: EXAMPLES,
  run: ({ files }, _, { openReport }) => {
    const out = openReport(renderers, 'conformance format');
    const report = checkFiles(files);
    return out.finish(out.format(report, out.terminal), exitCodeOf(report));
  },
});

/** Files that cannot be read are reported, unless that is all of them. */
function checkFiles(files: readonly string[]): ConformanceReport {
  const unread: UnreadFile[] = [];
  const vectors = files.flatMap((file) => {
    const read = unlessWrongInput(() => readVectors(file));
    if (!(read instanceof HarnessError)) return read;
    unread.push({ file, reason: read.message });
    return [];
  });
  if (unread.length === files.length) throw nothingRead(unread);
  return toReport(runVectors(vectors), unread);
}

function toReport(
  results: readonly VectorResult[],
  unread: readonly UnreadFile[],
): ConformanceReport {
  return { origin: ownOrigin(), ...countStates(results), unread, results };
}

function countStates(results: readonly VectorResult[]): Counts {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const { state } of results) counts[state] += 1;
  return counts;
}

/** Where no vector applies, nothing was proved. */
function exitCodeOf({ passed, failed, unread }: ConformanceReport): number {
  if (passed + failed === 0) return EXIT.inconclusive;
  return failed > 0 || unread.length > 0 ? EXIT.failed : EXIT.done;
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
