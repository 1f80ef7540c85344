import { hostname } from 'node:os';
import { HarnessError, messageOf } from '../../lib/errors.ts';
import type { Note } from './connection.ts';

const UNTOLD = 'a failure that only its own output describes';

/** A task whose session the worker does not have. */
export class RefusedTask extends Error {
  override readonly name = 'RefusedTask';
}

/**
 * The error of a failed task for the queue, which others can read. It has the names of missing settings and the answers of models;
 * all that speaks of files on this machine goes to the worker's own output.
 */
export function toQueueError(error: unknown, note: Note): Error {
  const own = messageOf(error);
  const told = isTold(error) ? own : toldOf(error);
  if (told !== own) note(`A task failed: ${own}`);
  return new Error(`worker on ${hostname()}: ${told}`);
}

/** A cause is an error of the system, or of reading a file. */
function isTold(error: unknown): boolean {
  return (
    error instanceof HarnessError && error.cause === undefined && error.code !== 'CASSETTE_MISS'
  );
}

function toldOf(error: unknown): string {
  return error instanceof RefusedTask
    ? 'it does not have the session as the sweep was planned with it'
    : UNTOLD;
}
