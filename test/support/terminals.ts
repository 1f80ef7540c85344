import type { Terminal } from '../../src/simulator/report/layout.ts';

/** What a whole report is written to that is no terminal. */
export const PIPE: Terminal = { colors: false, details: true };

/** A terminal of so many columns, without colours, for a whole report. */
export function terminalOf(terminalColumns: number): Terminal {
  return { colors: false, terminalColumns, details: true };
}
