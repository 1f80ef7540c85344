import { writeSync } from 'node:fs';

/** Writes bytes, or a text, to an open file to the end: the system may take less than it is given. */
export function writeAll(file: number, content: Uint8Array | string): void {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  for (let start = 0; start < bytes.length; ) start += writeSync(file, bytes, start);
}
