import { alignRows } from '../../simulator/report/align-rows.ts';
import { jsonText } from '../../simulator/report/json-text.ts';
import { namePaths } from '../../simulator/report/path-names.ts';
import { joinSections, listSection } from '../../simulator/report/sections.ts';
import { shownText } from '../../simulator/report/shown-text.ts';
import { sum } from '../../simulator/sum.ts';
import type { ImportedFile } from './import-sessions.ts';

/** How a report of an import is to be shown. */
export interface ImportReportOptions {
  /** Whether to tell what was dropped and repaired in each file. */
  readonly isExplained: boolean;
}

const MAX_FILE_CHARS = 60;
const TITLES = [
  'File',
  'Format',
  'Sessions',
  'Messages',
  'Tool outputs',
  'Compactions',
  'Micro',
  'Dropped',
  'Repaired',
];
/** Columns before those with numbers. */
const NAME_COLUMNS = 2;

/** How a report can be printed, by name. */
export const importRenderers = {
  table: renderTable,
  json: renderJson,
} satisfies Record<
  string,
  (files: readonly ImportedFile[], options: ImportReportOptions) => string
>;

function renderTable(files: readonly ImportedFile[], { isExplained }: ImportReportOptions): string {
  const refused = files.flatMap(({ reason }) => (reason === undefined ? [] : [reason]));
  const sections = [
    renderCounts(files.filter(({ sessions }) => sessions > 0)),
    ...(isExplained ? files.map(explain) : []),
    listSection('Unread:', refused),
  ];
  return joinSections(sections);
}

function renderJson(files: readonly ImportedFile[]): string {
  return jsonText({ files });
}

function renderCounts(files: readonly ImportedFile[]): string {
  const names = namePaths(
    files.map(({ file }) => file),
    MAX_FILE_CHARS,
  );
  const table = [TITLES, ...files.map((one) => [names.get(one.file) ?? '', ...toRow(one)])];
  return alignRows(table, (column) => column < NAME_COLUMNS);
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
