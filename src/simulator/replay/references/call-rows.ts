import type { ToolPart } from '../../../engine/index.ts';
import { callKey } from './texts.ts';

/** Rows of the same call, whatever it gave. */
export interface CallRows {
  /** The next call of a session. */
  add(call: RowCall): void;
  /** Something else comes in between. */
  end(): void;
  /** Rows that are loops, by the message that they end with. */
  readonly loops: ReadonlyMap<string, number>;
}

/** A call as rows see it. */
interface RowCall {
  readonly messageId: string;
  readonly part: ToolPart;
  /** Whether it is known to give again what an earlier step was given. */
  readonly isRecalled: boolean;
}

/** The calls since the last other one. */
interface Row {
  readonly key: string;
  messageId: string;
  length: number;
  recalls: number;
}

/** Identical calls that make a loop. Source: evaluation design, section 9.3. */
const LEAST_CALLS = 3;

/** No call yet. */
export function createCallRows(): CallRows {
  const loops = new Map<string, number>();
  let row: Row | undefined;
  const end = () => {
    if (row !== undefined && isLoop(row)) {
      loops.set(row.messageId, (loops.get(row.messageId) ?? 0) + 1);
    }
    row = undefined;
  };
  return {
    loops,
    end,
    add: ({ messageId, part, isRecalled }) => {
      const key = callKey(part);
      if (row?.key !== key) end();
      row ??= { key, messageId, length: 0, recalls: 0 };
      row.messageId = messageId;
      row.length += 1;
      row.recalls += isRecalled ? 1 : 0;
    },
  };
}

/** One whose calls all ask for what is there counts by its content already. */
function isLoop({ length, recalls }: Row): boolean {
  return length >= LEAST_CALLS && recalls < LEAST_CALLS - 1;
}
