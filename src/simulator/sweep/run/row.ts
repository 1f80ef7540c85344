import { type RunKey, recordUnrun, type RunRecord } from '../../metrics/record.ts';
import type { Cell } from '../grid/cell.ts';
import type { ResultRow } from '../result-row.ts';
import type { Outcome } from './outcomes.ts';
import type { CellsById, SessionRef, TaskRun } from './task.ts';

/** One trial with its cell. */
export interface RunOfCell {
  readonly cell: Cell;
  readonly run: TaskRun;
}

/** What a run is called is said by its row. */
export const NO_KEY: RunKey = { session: '', policy: '', model: '', summarizer: '', seed: 0 };

/** The cell of a run. Throws `RangeError` where no cell has its id. */
export function cellOf({ cell: id }: TaskRun, cells: CellsById): Cell {
  const cell = cells.get(id);
  if (cell === undefined) throw new RangeError(`Expected a cell with the id ${id}, got none.`);
  return cell;
}

/** What of a record a row tells. */
export function outcomeOf({ state, reason, metrics }: RunRecord, eventDigest: string): Outcome {
  return { state, ...(reason !== undefined && { reason }), metrics, eventDigest };
}

/** The outcome of what was not run. */
export function unrun(state: 'failed' | 'skipped', why: string): Outcome {
  return outcomeOf(recordUnrun(NO_KEY, state, why), '');
}

/** The row of a run as a line of results. */
export function toRowLine(session: SessionRef, at: RunOfCell, outcome: Outcome): string {
  return JSON.stringify(toRow(session, at, outcome));
}

/** A row that no run stands behind, as a line of results. */
export function toUnrunLine(
  session: SessionRef,
  at: RunOfCell,
  { state, reason }: { readonly state: 'failed' | 'skipped'; readonly reason: string },
): string {
  return toRowLine(session, at, unrun(state, reason));
}

/** Its keys stand in the order in which they are published. */
function toRow(session: SessionRef, { cell, run }: RunOfCell, outcome: Outcome): ResultRow {
  return {
    session: session.name,
    ...(session.family !== undefined && { family: session.family }),
    sessionHash: session.hash,
    cell: cell.id,
    policy: cell.policy.name,
    model: cell.model.id,
    summarizer: cell.summarizer,
    settings: cell.settings,
    seed: run.seed,
    ...(cell.mode !== undefined && { mode: cell.mode }),
    ...outcome,
  };
}
