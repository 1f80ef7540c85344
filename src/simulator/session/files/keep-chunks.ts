import { checkSize } from './join-chunks.ts';

/** Chunks that can be read again from the first on, as long as nobody takes them. */
export interface KeptChunks {
  /** All of them; what nobody has read before is read and kept. */
  each(): Generator<Buffer, void, undefined>;
  /** All of them for the last time: none is kept. */
  take(): Generator<Buffer, void, undefined>;
}

/** Keeps chunks as they are read. Throws where they are more than so many bytes. */
export function keepChunks(chunks: Iterator<Buffer, void>, maxBytes: number): KeptChunks {
  const kept: Buffer[] = [];
  let keptBytes = 0;
  const keepNext = (): Buffer | undefined => {
    const next = chunks.next();
    if (next.done) return undefined;
    keptBytes += next.value.length;
    checkSize(keptBytes, maxBytes);
    kept.push(next.value);
    return next.value;
  };
  return {
    *each() {
      for (let index = 0; ; index++) {
        const chunk = kept[index] ?? keepNext();
        if (chunk === undefined) return;
        yield chunk;
      }
    },
    *take() {
      for (let chunk = kept.shift(); chunk !== undefined; chunk = kept.shift()) yield chunk;
      for (let next = chunks.next(); !next.done; next = chunks.next()) yield next.value;
    },
  };
}
