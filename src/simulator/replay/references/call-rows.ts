import type { ToolPart } from '../../../engine/index.ts';
import { countEach } from '../../lib/collections.ts';
import { callKey } from './texts.ts';

/** Rows of the same call, whatever it gave. */
export interface CallRows {
  /** The next call of a session, with the message that it stands in. */
  add(messageId: string, part: ToolPart): void;
  /** Something else comes in between. */
  end(): void;
  /**
   * Rows that are loops, by the message that they end with, once it is known how often steps of the whole session asked
   * for what a call gave.
   */
  loops(askedFor: AskedFor): ReadonlyMap<string, number>;
}

/** How often steps asked for what a call gave, the first of them included. */
export type AskedFor = (part: ToolPart) => number;

/** The calls since the last other one. */
interface Row {
  readonly key: string;
  messageId: string;
  readonly calls: ToolPart[];
}

/** Identical calls that make a loop. Source: evaluation design, section 9.3. */
export const LOOP_CALLS = 3;

/** No call yet. */
export function createCallRows(): CallRows {
  const rows: Row[] = [];
  let row: Row | undefined;
  const end = () => {
    if (row !== undefined && row.calls.length >= LOOP_CALLS) rows.push(row);
    row = undefined;
  };
  return {
    end,
    add: (messageId, part) => {
      const key = callKey(part);
      if (row?.key !== key) end();
      row ??= { key, messageId, calls: [] };
      row.messageId = messageId;
      row.calls.push(part);
    },
    loops: (askedFor) => {
      const loops = rows.filter(({ calls }) => isLoop(calls, askedFor));
      return countEach(loops.map(({ messageId }) => messageId));
    },
  };
}

/** What is asked for as often as that, wherever, counts by its content already. */
function isLoop(calls: readonly ToolPart[], askedFor: AskedFor): boolean {
  return calls.filter((part) => askedFor(part) < LOOP_CALLS).length >= LOOP_CALLS;
}
