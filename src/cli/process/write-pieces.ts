import type { CliIo } from './io.ts';

/**
 * Writes a text in pieces on standard output, no faster than somebody takes it, and no more of it once the user wants to
 * stop. Whether all was written.
 */
export async function writePieces(io: CliIo, pieces: Iterable<string>): Promise<boolean> {
  for (const piece of pieces) {
    if (io.signal.aborted) return false;
    if (!io.stdout.write(piece)) await untilTaken(io);
  }
  return true;
}

/** Waits until somebody has read enough, or the user wants to stop. */
async function untilTaken({ stdout, signal }: CliIo): Promise<void> {
  await new Promise<void>((resolve) => {
    const go = () => {
      stdout.removeListener('drain', go);
      signal.removeEventListener('abort', go);
      resolve();
    };
    stdout.once('drain', go);
    signal.addEventListener('abort', go, { once: true });
    // What writes may have stopped it at once.
    if (signal.aborted) go();
  });
}
