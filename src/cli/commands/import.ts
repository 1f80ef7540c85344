import { randomBytes } from 'node:crypto';
import { sum } from '../../simulator/lib/collections.ts';
import { badOption, HarnessError } from '../../simulator/lib/errors.ts';
import { unknownName } from '../../simulator/lib/names.ts';
import { readCatalog } from '../../simulator/provider/catalog.ts';
import { joinSections, jsonText, listSection, shownText } from '../../simulator/report/markup.ts';
import { describeOrigin, namePaths, type Origin } from '../../simulator/report/origin.ts';
import {
  type Column,
  fitProse,
  tableSections,
  type Terminal,
} from '../../simulator/report/layout.ts';
import { type FormatName, sessionFormats } from '../../simulator/session/formats.ts';
import { writeSession } from '../../simulator/session/formats/canonical-lines.ts';
import {
  addCounts,
  countSession,
  NO_COUNTS,
  type SessionCounts,
  toNeutralPath,
  toSessionPath,
} from '../../simulator/session/import.ts';
import { loadSessions } from '../../simulator/session/load.ts';
import { createKeyedHash, stretchSalt } from '../../simulator/session/redact/cipher.ts';
import { createRedactor, type Redactor } from '../../simulator/session/redact/redactor.ts';
import { loadVocabulary } from '../../simulator/session/redact/vocabulary.ts';
import { findInputs, noInput, type RunInputs } from '../inputs.ts';
import { type CliIo, EXIT, isStopped, printDone } from '../process/io.ts';
import { inTurn } from '../process/progress.ts';
import { createSessionStore, type SessionStore } from '../session-store.ts';
import { defineCommand, option, flag, formatOption } from '../command.ts';
import { ownOrigin } from '../package.ts';

export interface ImportedFile extends SessionCounts {
  readonly file: string;
  /** `null` where none claimed it. */
  readonly format: FormatName | null;
  readonly state: 'read' | 'refused';
  readonly reason?: string;
  readonly written: readonly string[];
}

interface ImportPlan {
  readonly given: readonly string[];
  readonly inputs: RunInputs;
  readonly store: SessionStore | undefined;
  readonly from: FormatName | undefined;
  readonly column: string | undefined;
  /** Called for each file; absent if sessions stay as they are. */
  readonly createRedactor: (() => Redactor) | undefined;
}

interface ImportReport {
  readonly origin: Origin;
  readonly files: readonly ImportedFile[];
  readonly isExplained: boolean;
}

const EXAMPLES = `
Examples:
  $ compaction-bench sessions import ~/.claude/projects --out sessions/
  $ compaction-bench sessions import --explain 'logs/**/*.jsonl'
  $ compaction-bench sessions import sessions/ --redact --out shared/
  $ compaction-bench sessions import chat.json --from openai-chat --out sessions/ --format json`;

const SALT_BYTES = 32;
const MAX_FILE_CHARS = 60;
const MAX_FILE_SHARE = 0.5;
const COLUMNS: readonly Column[] = [
  { title: 'File' },
  { title: 'Format', holds: 'names' },
  { title: 'Sessions', rank: 4 },
  { title: 'Messages' },
  { title: 'Tool outputs', rank: 5 },
  { title: 'Compactions', rank: 3 },
  { title: 'Output clearings', rank: 6 },
  { title: 'Dropped', rank: 1 },
  { title: 'Repaired', rank: 2 },
];

const importRenderers = {
  table: renderTable,
  json: ({ origin, files }: ImportReport) => jsonText({ origin, files }),
} satisfies Record<string, (report: ImportReport, terminal: Terminal) => string>;

export const importCommand = defineCommand({
  name: 'import',
  describe: 'Convert recorded sessions into one format, a file each, and say what they contain.',
  arguments: { '<inputs...>': 'files, folders or patterns' },
  options: {
    folder: option(
      '--out <folder>',
      'where the sessions go; no file there is overwritten (with --explain it may be left out)',
    ),
    from: option(
      '--from <format>',
      'read all files as this format of `list session-formats` (default: detect each)',
    ),
    column: option('--column <name>', 'the column of Parquet tables that holds the conversation'),
    explain: flag(
      '--explain',
      'say what was dropped and repaired in each file; without --out, write nothing',
    ),
    redact: flag('--redact', 'replace all texts by filler of the same shape and size'),
    salt: option(
      '--salt <text>',
      'with --redact: makes the filler repeatable (default: random, thrown away)',
    ),
    ...formatOption(importRenderers),
  },
  examples: EXAMPLES,
  run: async ({ inputs: given }, options, { io, openReport }) => {
    const out = openReport(importRenderers, 'import format');
    const from = options.from === undefined ? undefined : toFormatName(options.from);
    if (options.salt !== undefined && options.redact !== true)
      throw badOption("Expected '--salt' to come with '--redact', got it alone.");
    // A variable that is not set would be a salt that everybody knows.
    if (options.salt === '') throw badOption("Expected '--salt' to be a text, got nothing.");
    if (options.folder === undefined && options.explain !== true)
      throw badOption("Expected '--out' to name a folder, or '--explain' to write nothing.");
    const store = options.folder === undefined ? undefined : createSessionStore(options.folder);
    const inputs = findInputs(given);
    const createRedactor = options.redact ? await loadRedactors(options.salt) : undefined;
    const plan = { given, inputs, store, from, column: options.column, createRedactor };
    const files = inputs.unread.map(({ file, reason }) => toRefused(file, reason));
    const places = inputs.files.map((file, index) => ({ file, index }));
    for (const place of inTurn(places, ({ file }) => inputs.nameOf(file), io)) {
      const imported = await importFile(place, plan, io);
      if (imported === undefined) return undefined;
      files.push(imported);
    }
    const hasRead = files.some(({ sessions }) => sessions > 0);
    if (!hasRead && options.format !== 'json') throw noInput(files);

    const report = { origin: ownOrigin(), files, isExplained: options.explain === true };
    const shown = out.format(report, out.terminal);
    if (!hasRead) return out.finish(shown, EXIT.wrongUse);
    const isWhole = files.every(({ state }) => state === 'read');
    const code = out.finish(shown, isWhole ? EXIT.done : EXIT.failed);
    if (options.folder !== undefined) printDone(io, `Sessions: ${shownText(options.folder)}`);
    return code;
  },
});

function toFormatName(name: string): FormatName {
  if (Object.hasOwn(sessionFormats, name)) return name as FormatName;
  const { message } = unknownName('session format', sessionFormats, name);
  throw new HarnessError('UNKNOWN_NAME', `${message} 'list session-formats' names them.`);
}

async function loadRedactors(salt: string = randomBytes(SALT_BYTES).toString('hex')) {
  const vocabulary = await loadVocabulary();
  const { models } = readCatalog();
  const hash = createKeyedHash(stretchSalt(salt));
  return () => createRedactor({ vocabulary, hash, isKnownModel: (model) => models.has(model) });
}

function toRefused(file: string, reason: string): ImportedFile {
  return { file, format: null, state: 'refused', reason, ...NO_COUNTS, written: [] };
}

async function importFile(
  { file, index }: { file: string; index: number },
  { given, inputs, store, from, column, createRedactor: redactorOf }: ImportPlan,
  io: CliIo,
): Promise<ImportedFile | undefined> {
  const shown = inputs.nameOf(file);
  let format: FormatName | null = null;
  let counts = NO_COUNTS;
  const written: string[] = [];
  const redactor = redactorOf?.();
  for (const loaded of loadSessions([file], { from, column })) {
    if (loaded.state === 'unread')
      return { ...toRefused(shown, loaded.reason), format, ...counts, written };
    if (await isStopped(io)) return undefined;
    const place = { file, name: loaded.session.name };
    const path = redactor ? toNeutralPath(place, index) : toSessionPath(place, given);
    const session = redactor?.redact(loaded.session) ?? loaded.session;
    if (store) written.push(store.write(path, writeSession(session)).path);
    ({ format } = loaded);
    counts = addCounts(counts, countSession(session));
  }
  return { file: shown, format, state: 'read', ...counts, written };
}

function renderTable({ origin, files, isExplained }: ImportReport, terminal: Terminal) {
  const refused = files.flatMap(({ reason }) => (reason === undefined ? [] : [reason]));
  const counted = files.filter(({ sessions }) => sessions > 0);
  const lists = [...(isExplained ? files.map(explain) : []), listSection('Unread:', refused)];
  return joinSections([
    ...renderCounts(counted, terminal),
    ...lists.map((list) => fitProse(list, terminal)),
    fitProse(describeOrigin(origin), terminal),
  ]);
}

function explain({ file, dropped, repaired }: ImportedFile): string {
  return listSection(`${shownText(file)}:`, [
    ...Object.entries(dropped).map(([reason, count]) => `dropped ${count} × ${reason}`),
    ...Object.entries(repaired).map(([reason, count]) => `repaired ${count} × ${reason}`),
  ]);
}

function renderCounts(files: readonly ImportedFile[], terminal: Terminal) {
  const { terminalColumns = Infinity } = terminal;
  const names = namePaths(
    files.map(({ file }) => file),
    Math.min(MAX_FILE_CHARS, Math.floor(terminalColumns * MAX_FILE_SHARE)),
  );
  const rows = files.map((one) => [names.get(one.file) ?? '', ...toRow(one)]);
  return tableSections({ columns: COLUMNS, rows }, terminal, 'json');
}

function toRow({ format, ...counts }: ImportedFile) {
  const { sessions, messages, toolOutputs, compactions, dropped, repaired } = counts;
  const numbers = [sessions, messages, toolOutputs, compactions.full, compactions.micro];
  return [
    format ?? '',
    ...[...numbers, sum(Object.values(dropped)), sum(Object.values(repaired))].map(String),
  ];
}
