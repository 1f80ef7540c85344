import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linesIn } from '../../../../src/simulator/session/files/source-file.ts';
import { splitLines } from '../../../../src/simulator/session/files/split-lines.ts';

const MEGABYTE = Buffer.alloc(2 ** 20);
/** Characters of one to four bytes, marks and bytes of no character among them. */
const pieces = fc.constantFrom(
  ...['\n', '\r\n', 'a', 'é', '水', '😀', '\uFEFF', ''].map((text) => Buffer.from(text)),
  Buffer.from([0xff]),
  Buffer.from([0xe6, 0xb0]),
);
const contents = fc.array(pieces, { maxLength: 30 }).map((all) => Buffer.concat(all));

describe('splitLines', () => {
  it('gives the lines of the whole text, wherever its chunks end', () => {
    fc.assert(
      fc.property(contents, fc.integer({ min: 1, max: 7 }), (bytes, size) => {
        const lines = [...splitLines(chunksOf(bytes, size), 0)].map(({ text }) => text);
        const whole = new TextDecoder().decode(bytes);
        expect(lines).toEqual([...linesIn(whole)].map(({ text }) => text));
        expect(lines).toEqual(whole.split('\n'));
      }),
    );
  });

  it('leaves out lines without a part, as in a text', () => {
    const part = fc.constantFrom('a', 'é', '水', '\r', 'aa');
    fc.assert(
      fc.property(contents, part, (bytes, wanted) => {
        const all = [...splitLines(chunksOf(bytes, 3), 0)];
        const some = all.filter(({ text }) => text.includes(wanted));
        expect([...splitLines(chunksOf(bytes, 3), 0, wanted)]).toEqual(some);
        const texts = [...linesIn(new TextDecoder().decode(bytes), wanted)];
        expect(texts).toEqual(some.map(({ text }) => ({ text })));
      }),
    );
  });

  it('tells where each line begins', () => {
    const [, ...lines] = splitLines(chunksOf(Buffer.from('水\n\né\r\nx'), 2), 100);
    expect(lines).toEqual([
      { text: '', startByte: 104 },
      { text: 'é\r', startByte: 105 },
      { text: 'x', startByte: 109 },
    ]);
  });

  it('refuses a line that never ends before it fills the memory', () => {
    expect(() => [...splitLines(endless(), 0)]).toThrow('ERR_STRING_TOO_LONG');
  });
});

function chunksOf(bytes: Buffer, size: number): readonly Buffer[] {
  const count = Math.ceil(bytes.length / size);
  return Array.from({ length: count }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
}

function* endless(): Generator<Buffer> {
  for (;;) yield MEGABYTE;
}
