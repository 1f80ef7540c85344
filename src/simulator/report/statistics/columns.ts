/** Columns of the tables of statistics. */

import type { Column } from '../text-table.ts';

/** What tools are told by. */
export const TOOL_COLUMNS: readonly Column[] = [
  { title: 'Tool' },
  { title: 'Calls' },
  { title: 'Of all calls', rank: 7 },
  { title: 'Tokens p50' },
  { title: 'p90', name: 'Tokens p90', rank: 2 },
  { title: 'p99', name: 'Tokens p99', rank: 6 },
  { title: 'Max', name: 'Tokens max', rank: 3 },
  { title: 'Of all output', rank: 1 },
  { title: 'Failed', rank: 5 },
  { title: 'Repeated', rank: 4 },
  { title: 'Input tokens p50', rank: 8 },
  { title: 'p90', name: 'Input tokens p90', rank: 9 },
];

/** What formats are told by. */
export const FORMAT_COLUMNS: readonly Column[] = [
  { title: 'Format' },
  { title: 'Sessions' },
  { title: 'Outputs', rank: 6 },
  { title: 'Tokens p50' },
  { title: 'p90', name: 'Tokens p90', rank: 3 },
  { title: 'p99', name: 'Tokens p99', rank: 9 },
  { title: 'Tool output', rank: 1 },
  { title: 'Turn tokens p50', rank: 4 },
  { title: 'p90', name: 'Turn tokens p90', rank: 7 },
  { title: 'Steps p50', rank: 5 },
  { title: 'p90', name: 'Steps p90', rank: 8 },
  { title: 'First step', rank: 2 },
];

/** What sessions are told by. */
export const SESSION_COLUMNS: readonly Column[] = [
  { title: 'Session' },
  { title: 'Turns', rank: 4 },
  { title: 'Steps', rank: 2 },
  { title: 'Outputs', rank: 6 },
  { title: 'Tokens' },
  { title: 'Tool output', rank: 5 },
  { title: 'Largest context', rank: 3 },
  { title: 'Compactions', rank: 1 },
];

/** What figures are told by. */
export const FIGURE_COLUMNS: readonly Column[] = [
  { title: 'Figure' },
  { title: 'n', rank: 4 },
  { title: 'Mean', rank: 2 },
  { title: 'p10', rank: 5 },
  { title: 'p50' },
  { title: 'p90', rank: 1 },
  { title: 'p99', rank: 6 },
  { title: 'Max', rank: 3 },
  { title: 'Basis', rank: 7, holds: 'words' },
];

/** What characters per token are told by. */
export const CHARACTER_COLUMNS: readonly Column[] = [
  { title: 'Characters per token' },
  { title: 'n', rank: 2 },
  { title: 'Ratio' },
  { title: 'Fixed tokens per step', rank: 3 },
  { title: 'Basis', rank: 1, holds: 'words' },
];
