import { policies } from '../engine/index.ts';
import { badOption, HarnessError, unlessWrongInput } from '../simulator/lib/errors.ts';
import { HEADER_FILE, readNamedFile, statOf, hasHeader, hasRows } from '../simulator/lib/files.ts';
import { quoted, quotedLong } from '../simulator/lib/names.ts';
import type { RunRecord } from '../simulator/metrics/record.ts';
import { ADAPTER_NAME } from '../simulator/replay/foreign/compactor.ts';
import { RECORDED } from '../simulator/replay/recorded.ts';
import type { CheckFormat } from '../simulator/report/check-report.ts';
import { checkFormats } from '../simulator/report/check.ts';
import { type Comparison, comparisonFormats } from '../simulator/report/comparison.ts';
import type { Format, UnreadInput } from '../simulator/report/report.ts';
import { formats } from '../simulator/report/runs.ts';
import { readSaved, type Saved } from '../simulator/report/saved/documents.ts';
import { mergeRuns, type SavedEvents } from '../simulator/report/saved/events-file.ts';
import type { RunView } from '../simulator/report/plots.ts';
import { summarizersFormats } from '../simulator/report/summarizers.ts';
import {
  type SweepFormat,
  sweepFormats,
  type SweepReport,
  type SweepRow,
  WHOLE,
} from '../simulator/report/sweep.ts';
import { tuneFormats } from '../simulator/report/tune.ts';
import { whatIfFormats } from '../simulator/report/whatif.ts';
import { readHeader, refused } from '../simulator/sweep/store/header.ts';
import { readRows, type SweepFolder, type Whole } from '../simulator/sweep/store/read-rows.ts';
import { summariseSweep } from '../simulator/sweep/summarise.ts';
import { noInput } from './inputs.ts';
import { type CliIo, EXIT, printNote, writePieces } from './process/io.ts';
import { type Anonymiser, chooseFormat } from './command.ts';
import { describeUnnamed, LONGEST_NAME } from './plan/options.ts';
import type { Terminal } from '../simulator/report/layout.ts';

interface TextOptions {
  readonly hasTexts?: ((session: string) => boolean) | undefined;
}

export function renderSaved(
  saved: Saved,
  options: TextOptions & {
    format?: string | undefined;
    out?: string | undefined;
    terminal: Terminal;
  },
): string {
  const { terminal } = options;
  type Renders<Document> = Readonly<
    Record<string, (report: Document, terminal: Terminal) => string>
  >;
  const render = <Document>(table: Renders<Document>, what: string, report: Document) =>
    chooseFormat(table, what, options)(report, terminal);
  switch (saved.kind) {
    case 'runs': {
      const format = chooseFormat<Format>(formats, 'format', options);
      return format.render(saved.report, { ...terminal, ...picturesOf(saved, options) });
    }
    case 'check': {
      const format = chooseFormat<CheckFormat>(checkFormats, 'check format', options);
      return format.render(saved.report, terminal);
    }
    case 'summarizers':
      return render(summarizersFormats, 'format of summarizers', saved.report);
    case 'compare':
      return render(comparisonFormats, 'comparison format', saved.report);
    case 'tune':
      return render(tuneFormats, 'tune format', saved.report);
    case 'whatif':
      return render(whatIfFormats, 'what-if format', saved.report);
    case 'sweep': {
      const format = chooseFormat<SweepFormat>(sweepFormats, 'sweep format', options);
      const pictures = picturesOf(saved, options);
      return [...format(saved.report, saved.rows, { ...terminal, ...pictures })].join('');
    }
  }
}

export function renderPage(saved: Saved, options: TextOptions = {}) {
  return renderSaved(saved, { ...options, format: 'html', terminal: { colors: false } });
}

export function readReportInputs(files: readonly string[]) {
  const found: Saved[] = [];
  const unread: UnreadInput[] = [];
  for (const file of files) {
    const saved = unlessWrongInput(() =>
      statOf(file)?.isDirectory() ? readFolder(file) : readSaved(file, readNamedFile(file)),
    );
    // One bad file among several does not stop the others.
    if (saved instanceof HarnessError) unread.push({ file, reason: saved.message });
    else found.push(saved);
  }
  const [first] = found;
  if (first === undefined) throw noInput(unread);
  if (found.length === 1) return { state: 'found' as const, saved: first, unread };
  const runs = found.flatMap((one): readonly SavedEvents[] => (one.kind === 'runs' ? [one] : []));
  if (runs.length < found.length)
    return refused("only events and reports of 'run' can be put together; of others name one");
  const merged = mergeRuns(runs);
  if (merged?.state !== 'merged') return refused(merged?.reason ?? 'none');
  const saved: Saved = { kind: 'runs', ...merged.saved };
  return { state: 'found' as const, saved, unread };
}

export async function printSweep(
  swept: SweepFolder,
  {
    format,
    names,
    terminal,
  }: {
    format: SweepFormat;
    names: Anonymiser;
    terminal: Terminal;
  },
  io: CliIo,
): Promise<SweepReport | undefined> {
  const report = summariseSweep(swept.header, readRows(swept));
  const rows = copyEach(readRows(swept), names);
  const pieces = format(names.copy(report), rows, terminal);
  return (await writePieces(io, pieces)) ? report : undefined;
}

export function copyComparison(comparison: Comparison, names: Anonymiser): Comparison {
  const labelOf = (side: string) =>
    side === RECORDED || side === ADAPTER_NAME || Object.hasOwn(policies, side)
      ? side
      : names.label(side);
  const { verdict } = comparison;
  return {
    ...names.copy(comparison),
    a: labelOf(comparison.a),
    b: labelOf(comparison.b),
    ...(verdict && {
      verdict: verdict.map((one) => ({
        ...one,
        change: labelOf(one.change),
        baseline: labelOf(one.baseline),
      })),
    }),
  };
}

export function exitCodeOf(report: SweepReport | undefined): number {
  if (report === undefined) return EXIT.interrupted;
  const { unread, cells } = report;
  const hasFailed = cells.some(({ failedRuns }) => failedRuns > 0);
  return unread.length > 0 || hasFailed ? EXIT.failed : EXIT.done;
}

export function noteLack(
  { from, rows, whole }: { from: string; rows: number; whole?: Whole | undefined },
  io: CliIo,
): void {
  const { total, shard } = whole ?? { total: rows, shard: WHOLE };
  if (shard !== WHOLE) printNote(io, `Note: ${quoted(from)} is shard ${shard} of its sweep.`);
  if (rows < total) {
    printNote(io, `Note: ${quoted(from)} has ${rows} of ${total} rows; its sweep is not finished.`);
  } else if (rows === 0) printNote(io, `Note: ${quoted(from)} has no row.`);
}

export function checkTexts(names: readonly string[] = [], saved: Saved): void {
  const views = saved.kind === 'runs' || saved.kind === 'sweep' ? [...saved.views] : [];
  const runs = saved.kind === 'runs' ? saved.report.runs : saved.kind === 'sweep' ? saved.rows : [];
  const sessions = new Set(runs.map(({ session }) => session));
  const known = new Set(views.flatMap(([run, { texts }]) => (texts ? [run.session] : [])));
  const missing = names
    .filter((name) => sessions.has(name) && !known.has(name))
    .map((name) => {
      const shown = quoted(name, LONGEST_NAME);
      return `Expected texts of ${shown}, but none were kept (run --with-text ${shown} --events FILE).`;
    });
  const problems = [...describeUnnamed(names, runs), ...missing];
  if (problems.length > 0) throw badOption(problems.join('\n'));
}

function* copyEach(rows: Iterable<SweepRow>, names: Anonymiser): Generator<SweepRow, void, void> {
  for (const row of rows) yield names.copy(row);
}

/** Only named sessions show their texts. */
function picturesOf(
  { events, views }: Pick<SavedEvents, 'events' | 'views'>,
  { hasTexts = () => false }: TextOptions,
) {
  const viewOf = (run: RunRecord): RunView | undefined => {
    const view = views.get(run);
    if (view === undefined || hasTexts(run.session)) return view;
    const { texts: _, ...sizes } = view;
    return sizes;
  };
  return { eventsOf: (run: RunRecord) => events.get(run), viewOf };
}

function readFolder(folder: string): Saved {
  if (!hasHeader(folder)) {
    throw new HarnessError(
      'BAD_RESULTS',
      `Expected ${quotedLong(folder)} to be a file that a command has saved or a folder that 'sweep --out' wrote, got a folder without ${HEADER_FILE}; 'run' reports on recorded sessions.`,
    );
  }
  const header = readHeader(folder);
  const rows = hasRows(folder) ? [...readRows({ folder, header })] : [];
  const report = summariseSweep(header, rows);
  return { kind: 'sweep', report, rows, events: new Map(), views: new Map() };
}
