import type { RunEvent } from '../../simulator/events.ts';
import { badOption, HarnessError, messageOf } from '../../simulator/lib/errors.ts';
import { describeNearest, quoted } from '../../simulator/lib/names.ts';
import { listed } from '../../simulator/lib/text.ts';
import type { RunRecord } from '../../simulator/metrics/record.ts';
import { checkFormats } from '../../simulator/report/check.ts';
import { formats } from '../../simulator/report/runs.ts';
import { type Saved, SAVED_KINDS } from '../../simulator/report/saved/documents.ts';
import type { RunView } from '../../simulator/report/plots.ts';
import { countRows, type SweepFormat, sweepFormats } from '../../simulator/report/sweep.ts';
import { openNamed } from '../../simulator/session/load.ts';
import { meetSetup } from '../../simulator/sweep/run/meet-setup.ts';
import {
  loadCounts,
  type PreparedSession,
  prepareSession,
} from '../../simulator/sweep/run/prepare.ts';
import { type Repeated, repeatRow } from '../../simulator/sweep/run/run-task.ts';
import { hashSession } from '../../simulator/sweep/run/task.ts';
import { readHeader, type SweepHeader } from '../../simulator/sweep/store/header.ts';
import {
  readRows,
  type ResultRow,
  type SweepFolder,
} from '../../simulator/sweep/store/read-rows.ts';
import { type Counters, createCounters } from '../../simulator/tokens/tokenizer.ts';
import { pathInPackage } from '../package.ts';
import { checkNoTexts, chooseTexts, LONGEST_NAME, WITH_TEXT } from '../plan/options.ts';
import {
  checkNoInput,
  checkOutPath,
  type CliIo,
  EXIT,
  printNote,
  terminalOf,
  writeReport,
} from '../process/io.ts';
import {
  checkTexts,
  noteLack,
  readReportInputs,
  renderSaved,
  copyComparison,
} from '../saved-reports.ts';
import {
  anonymiserFor,
  anonymousOption,
  defineCommand,
  detailsOption,
  option,
  repeated,
  chooseFormat,
  formatNames,
  type FormatChoice,
  type Anonymiser,
} from '../command.ts';
import { hasHeader } from '../../simulator/lib/files.ts';

const ONLY_OF_CHECKS = Object.keys(checkFormats).filter((name) => !Object.hasOwn(formats, name));

const EXAMPLES = `
Examples:
  $ compaction-bench run sessions/ --events run.jsonl
  $ compaction-bench report run.jsonl --out report.html
  $ compaction-bench report monday.jsonl tuesday.jsonl --format markdown
  $ compaction-bench report run.jsonl --with-text session.json --out report.html
  $ compaction-bench report results/ --timeline session.json --out sweep.html
  $ compaction-bench report check.json --format junit --out junit.xml
  $ compaction-bench report results/ --out sweep.html`;

export const reportCommand = defineCommand({
  name: 'report',
  describe: 'Render saved events, or the JSON report of another command, in any format.',
  arguments: { '<files...>': SAVED_KINDS },
  options: {
    format: option(
      '--format <name>',
      `${formatNames(formats)}; of 'check' also ${listed(ONLY_OF_CHECKS, 'and')} (default: by --out, else table)`,
    ),
    out: option('--out <path>', 'write the report to a file'),
    ...detailsOption,
    ...anonymousOption,
    withText: repeated('--with-text <session>', WITH_TEXT.report),
    timeline: repeated(
      '--timeline <session>',
      "with a sweep's folder: replay this session for its pictures; can be repeated",
    ),
  },
  examples: EXAMPLES,
  run: async ({ files }, options, { io }) => {
    const { format, out, details, withText, timeline: names, anonymous } = options;
    checkOutPath(out);
    if (anonymous) checkNoTexts(withText);
    checkNoInput(out, files);
    const found = readReportInputs(files);
    if (found.state === 'refused') {
      printNote(io, `Expected files that fit in one report, but ${found.reason}.`);
      return EXIT.inconclusive;
    }
    for (const { reason } of found.unread) printNote(io, reason);
    const hasTexts = chooseTexts(withText, { isKept: true });
    const drawn = await addTimelines(found.saved, { files, names, hasTexts }, io);
    checkTexts(withText, drawn);
    const saved = anonymous ? copySaved(drawn, await anonymiserFor({ anonymous })) : drawn;
    const terminal = { ...terminalOf(io, out), details };
    const isWritten = writeReport(io, renderSaved(saved, { format, out, terminal, hasTexts }), out);
    const [from = ''] = files.filter(
      (file) => !found.unread.some((unread) => unread.file === file),
    );
    noteLackOfCsv({ saved, from }, { format, out }, io);
    return isWritten && found.unread.length === 0 ? EXIT.done : EXIT.failed;
  },
});

async function addTimelines(
  saved: Saved,
  {
    files,
    names,
    hasTexts,
  }: {
    files: readonly string[];
    names: readonly string[];
    hasTexts: (session: string) => boolean;
  },
  io: CliIo,
): Promise<Saved> {
  if (names.length === 0) return saved;
  const [folder = ''] = files;
  if (saved.kind !== 'sweep' || !hasHeader(folder)) {
    throw badOption(
      "Expected '--timeline' to come with the folder of a sweep, got something else.",
    );
  }
  const header = readHeader(folder);
  const counters = createCounters();
  const sessions = new Map<string, PreparedSession>();
  for (const name of names) sessions.set(name, await prepare(name, header, counters));
  const drawn = await drawRows({ folder, header }, sessions, hasTexts);
  for (const reason of drawn.reasons) printNote(io, reason);
  return { ...saved, ...drawn };
}

async function prepare(name: string, { sessions, cells }: SweepHeader, counters: Counters) {
  const known = sessions.find((session) => session.name === name);
  if (known === undefined) {
    const all = sessions.map((session) => session.name);
    const got = `${quoted(name, LONGEST_NAME)}${describeNearest(name, all)}`;
    throw badOption(`Expected '--timeline' to name a session, got ${got}.`);
  }
  const session = { ...loadShown(name), name };
  if (hashSession(session) !== known.hash) {
    const got = quoted(name, LONGEST_NAME);
    throw badOption(`Expected ${got} to be as the sweep read it, but it has changed since.`);
  }
  const modelIds = new Set(cells.map((cell) => meetSetup(cell, known.setup).model.id));
  return prepareSession(session, await loadCounts(counters, modelIds));
}

/** By the name that it was shown by: as given, or from the package on. */
function loadShown(name: string) {
  const given = openNamed(name);
  if (given.state === 'read') return given.session;
  const shipped = openNamed(pathInPackage(name));
  if (shipped.state === 'read') return shipped.session;
  throw new HarnessError('NO_INPUT', given.reason);
}

async function drawRows(
  swept: SweepFolder,
  sessions: ReadonlyMap<string, PreparedSession>,
  hasTexts: (session: string) => boolean,
) {
  const { header } = swept;
  const rows: ResultRow[] = [];
  const events = new Map<RunRecord, readonly RunEvent[]>();
  const views = new Map<RunRecord, RunView>();
  const reasons = new Set<string>();
  for (const row of readRows(swept)) {
    rows.push(row);
    const session = sessions.get(row.session);
    const cell = header.cells.find(({ id }) => id === row.cell);
    if (session === undefined || cell === undefined) continue;
    const setup = header.sessions.find(({ name }) => name === row.session)?.setup;
    const options = { cell: meetSetup(cell, setup), hasTexts: hasTexts(row.session) };
    // A run that breaks leaves the others their pictures.
    const found = await repeatRow(row, session, options).catch((error: unknown): Repeated => {
      return { state: 'other', reason: messageOf(error) };
    });
    if (found.state === 'same') {
      events.set(row, found.events);
      if (found.view) views.set(row, found.view);
    } else {
      const of = quoted(row.session, LONGEST_NAME);
      reasons.add(`Some runs of ${of} have no timeline: ${found.reason}.`);
    }
  }
  return { rows, events, views, reasons };
}

function noteLackOfCsv(
  { saved, from }: { saved: Saved; from: string },
  chosen: FormatChoice,
  io: CliIo,
): void {
  if (saved.kind !== 'sweep') return;
  if (chooseFormat<SweepFormat>(sweepFormats, 'sweep format', chosen) !== sweepFormats.csv) return;
  const { present, missing } = countRows(saved.report);
  const { shard } = saved.report.provenance;
  noteLack({ from, rows: present, whole: { total: present + missing, shard } }, io);
}

function copySaved(saved: Saved, names: Anonymiser): Saved {
  if (saved.kind === 'sweep') return names.copy({ ...saved, rows: [...saved.rows] });
  return saved.kind === 'compare'
    ? { ...saved, report: copyComparison(saved.report, names) }
    : names.copy(saved);
}
