import type { Terminal } from '../report.ts';
import type { FidelityReport } from './fidelity-report.ts';
import { renderFidelityJson } from './json.ts';
import { renderFidelityTable } from './table.ts';

/** How a comparison of predictions with recordings is written down, by name; the default first. */
export const fidelityFormats = {
  table: renderFidelityTable,
  json: renderFidelityJson,
} satisfies Record<string, (report: FidelityReport, terminal: Terminal) => string>;
