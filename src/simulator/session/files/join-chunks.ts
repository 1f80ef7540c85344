/** As much as a file may have that is read at once. */
export const MAX_BYTES = 2 ** 31 - 1;
/** The system's fault of what no one text can hold. */
export const TOO_LONG = 'ERR_STRING_TOO_LONG';

/** Throws that fault where so many bytes are more than any text has, or than somebody allows; fewer may be too many as well. */
export function checkSize(bytes: number, maxBytes = MAX_BYTES): void {
  if (bytes > maxBytes) throw Object.assign(new Error(TOO_LONG), { code: TOO_LONG });
}

/** The bytes of all chunks. Throws where they are more than any text has. */
export function joinChunks(chunks: Iterable<Uint8Array>): Uint8Array {
  const all: Uint8Array[] = [];
  let bytes = 0;
  for (const chunk of chunks) {
    bytes += chunk.length;
    checkSize(bytes);
    all.push(chunk);
  }
  return Buffer.concat(all, bytes);
}
