import type { Terminal } from '../../src/simulator/report/report.ts';

/** What a report is written to that is no terminal. */
export const PIPE: Terminal = { colors: false };

/** A terminal of so many columns, without colours. */
export function terminalOf(terminalColumns: number): Terminal {
  return { colors: false, terminalColumns };
}
