import { type LoadedSession, loadSessions } from '../../simulator/session/load.ts';
import type { CliIo } from '../process/io.ts';
import { isStopped } from '../process/is-stopped.ts';

/** The sessions of a file, until the user wants to stop. */
export async function* loadInTurn(
  file: string,
  io: CliIo,
): AsyncGenerator<LoadedSession, void, undefined> {
  for (const loaded of loadSessions([file])) {
    yield loaded;
    if (await isStopped(io)) return;
  }
}
