import { jsonText } from '../json-text.ts';
import type { StatisticsReport } from './statistics-report.ts';

/** Version of the document; it grows when a field changes its meaning. */
const STATISTICS_VERSION = 1;

const PRECISION = 10_000;

/** All statistics as one JSON document, for programs. `overall` and each format hold `WorkloadStatistics`. */
export function renderStatisticsJson(report: StatisticsReport): string {
  const { origin, estimator, overall, byFormat, sessions, copies, shared, unread } = report;
  const document = {
    statisticsVersion: STATISTICS_VERSION,
    origin,
    estimator,
    overall,
    byFormat,
    sessions,
    copies: copies.map(({ name, copyOf }) => ({ session: name, copyOf })),
    shared: shared.map(({ name, sharedWith, messages }) => ({
      session: name,
      sharedWith,
      messages,
    })),
    unread: unread.map(({ file, reason }) => ({ file, reason })),
  };
  return jsonText(document, rounded);
}

function rounded(_key: string, value: unknown): unknown {
  return typeof value === 'number' ? Math.round(value * PRECISION) / PRECISION : value;
}
