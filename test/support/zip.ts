import { deflateRawSync } from 'node:zlib';

const DEFLATED = 8;

/** An archive of these files, in order; a name may stand in it twice. */
export function zipOf(files: readonly (readonly [name: string, text: string])[]): Buffer {
  const bodies: Buffer[] = [];
  const entries: Buffer[] = [];
  let offset = 0;
  for (const [name, text] of files) {
    const packed = text.length > 20 ? deflateRawSync(text) : Buffer.from(text);
    const method = text.length > 20 ? DEFLATED : 0;
    const sizes = [packed.length, Buffer.byteLength(text)];
    const header = record(
      30,
      [
        [0, 0x04_03_4b_50],
        [18, ...sizes],
      ],
      [
        [8, method],
        [26, name.length],
      ],
    );
    const entry = record(
      46,
      [
        [0, 0x02_01_4b_50],
        [20, ...sizes],
        [42, offset],
      ],
      [
        [10, method],
        [28, name.length],
      ],
    );
    bodies.push(header, Buffer.from(name), packed);
    entries.push(entry, Buffer.from(name));
    offset += header.length + name.length + packed.length;
  }
  const directory = Buffer.concat(entries);
  const end = record(
    22,
    [
      [0, 0x06_05_4b_50],
      [12, directory.length, offset],
    ],
    [[10, files.length]],
  );
  return Buffer.concat([...bodies, directory, end]);
}

type Field = readonly [at: number, ...values: readonly number[]];

/** A record with numbers of four bytes, and of two. */
function record(bytes: number, long: readonly Field[], short: readonly Field[]): Buffer {
  const buffer = Buffer.alloc(bytes);
  for (const [at, ...values] of long) {
    for (const [index, value] of values.entries()) buffer.writeUInt32LE(value, at + index * 4);
  }
  for (const [at, value = 0] of short) buffer.writeUInt16LE(value, at);
  return buffer;
}
