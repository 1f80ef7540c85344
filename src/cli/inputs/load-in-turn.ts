import { setImmediate } from 'node:timers/promises';
import { type LoadedSession, loadSessions } from '../../simulator/session/load.ts';
import type { CliIo } from '../process/io.ts';

/** The sessions of a file, until the user wants to stop. Work on one blocks; a signal is heard only between two. */
export async function* loadInTurn(
  file: string,
  { signal }: CliIo,
): AsyncGenerator<LoadedSession, void, undefined> {
  for (const loaded of loadSessions([file])) {
    yield loaded;
    await setImmediate();
    if (signal.aborted) return;
  }
}
