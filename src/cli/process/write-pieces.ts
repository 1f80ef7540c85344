import { type CliIo } from './io.ts';

/** Writes a text in pieces on standard output, no faster than somebody takes it. */
export async function writePieces({ stdout }: CliIo, pieces: Iterable<string>): Promise<void> {
  for (const piece of pieces) {
    if (stdout.write(piece)) continue;
    await new Promise<void>((resolve) => {
      stdout.once('drain', resolve);
    });
  }
}
