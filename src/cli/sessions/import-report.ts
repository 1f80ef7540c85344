import { tableSections } from '../../simulator/report/fit-columns.ts';
import { describeOrigin, type Origin } from '../../simulator/report/origin.ts';
import { jsonText } from '../../simulator/report/json-text.ts';
import { namePaths } from '../../simulator/report/path-names.ts';
import type { Terminal } from '../../simulator/report/report.ts';
import { joinSections, listSection } from '../../simulator/report/sections.ts';
import { shownText } from '../../simulator/report/shown-text.ts';
import type { Column } from '../../simulator/report/text-table.ts';
import { fitProse } from '../../simulator/report/wrap-prose.ts';
import { sum } from '../../simulator/sum.ts';
import type { ImportedFile } from './import-sessions.ts';

/** What came of an import. */
export interface ImportReport {
  readonly origin: Origin;
  readonly files: readonly ImportedFile[];
}

/** How a report of an import is to be shown. */
export interface ImportReportOptions {
  /** Whether to tell what was dropped and repaired in each file. */
  readonly isExplained: boolean;
}

const MAX_FILE_CHARS = 60;
/** As much of a narrow terminal a path may take. */
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

/** How a report can be printed, by name. */
export const importRenderers = {
  table: renderTable,
  json: renderJson,
} satisfies Record<
  string,
  (report: ImportReport, options: ImportReportOptions, terminal: Terminal) => string
>;

function renderTable(
  { origin, files }: ImportReport,
  { isExplained }: ImportReportOptions,
  terminal: Terminal,
): string {
  const refused = files.flatMap(({ reason }) => (reason === undefined ? [] : [reason]));
  const counted = files.filter(({ sessions }) => sessions > 0);
  const lists = [...(isExplained ? files.map(explain) : []), listSection('Unread:', refused)];
  return joinSections([
    ...renderCounts(counted, terminal),
    ...lists.map((list) => fitProse(list, terminal)),
    fitProse(describeOrigin(origin), terminal),
  ]);
}

function renderJson(report: ImportReport): string {
  return jsonText(report);
}

function renderCounts(files: readonly ImportedFile[], terminal: Terminal): readonly string[] {
  const { terminalColumns = Infinity } = terminal;
  const names = namePaths(
    files.map(({ file }) => file),
    Math.min(MAX_FILE_CHARS, Math.floor(terminalColumns * MAX_FILE_SHARE)),
  );
  const rows = files.map((one) => [names.get(one.file) ?? '', ...toRow(one)]);
  return tableSections({ columns: COLUMNS, rows }, terminal, 'json');
}

function toRow({ format, ...counts }: ImportedFile): readonly string[] {
  const { sessions, messages, toolOutputs, compactions, dropped, repaired } = counts;
  const numbers = [sessions, messages, toolOutputs, compactions.full, compactions.micro];
  return [
    format ?? '',
    ...[...numbers, sum(Object.values(dropped)), sum(Object.values(repaired))].map(String),
  ];
}

/** What was dropped and repaired in a file; nothing where it is whole. */
function explain({ file, dropped, repaired }: ImportedFile): string {
  return listSection(`${shownText(file)}:`, [
    ...Object.entries(dropped).map(([reason, count]) => `dropped ${count} × ${reason}`),
    ...Object.entries(repaired).map(([reason, count]) => `repaired ${count} × ${reason}`),
  ]);
}
