/** A task: one session in some cells of a sweep. */

import { shortHash } from '../../content-hash.ts';
import type { SessionPlace } from '../../session/files/opener.ts';
import type { Cell } from '../grid/cell.ts';

/** Which session a task is about; plain data. */
export interface SessionRef extends SessionPlace {
  /** As it is shown. */
  readonly name: string;
  /** Hash of the content. */
  readonly hash: string;
  /** The first by name of its family, as it is shown; absent where it stands alone. */
  readonly family?: string;
}

/** One trial of one cell. */
export interface TaskRun {
  /** Id of the cell. */
  readonly cell: string;
  readonly seed: number;
  /** Where its row stands among all rows of the sweep, from 0. */
  readonly place: number;
}

/** Runs of one session: plain data that can go to another thread or machine, and be done again without harm. */
export interface SweepTask {
  /** Hash of session, cells and seeds. */
  readonly id: string;
  readonly session: SessionRef;
  readonly runs: readonly TaskRun[];
}

/** A row as a line of results, with its place among all rows of the sweep. */
export interface FinishedRun {
  readonly place: number;
  /** JSON without a line break. */
  readonly line: string;
}

/** The cells of a sweep by id. */
export type CellsById = ReadonlyMap<string, Cell>;

/** The task of these runs of a session. */
export function taskOf(session: SessionRef, runs: readonly TaskRun[]): SweepTask {
  const keys = runs.map(({ cell, seed }) => [cell, seed]);
  return { id: shortHash([session.name, session.hash, keys]), session, runs };
}

/** Cells by their ids. */
export function byId(cells: readonly Cell[]): CellsById {
  return new Map(cells.map((cell) => [cell.id, cell]));
}
