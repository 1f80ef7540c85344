import type { Terminal } from '../report.ts';
import { renderStatisticsJson } from './json.ts';
import type { StatisticsReport, StatisticsView } from './statistics-report.ts';
import { renderStatisticsTable } from './table.ts';

/** How statistics are written down, by name; the default first. */
export const statisticsFormats = {
  table: renderStatisticsTable,
  json: renderStatisticsJson,
} satisfies Record<
  string,
  (report: StatisticsReport, view: StatisticsView, terminal: Terminal) => string
>;
