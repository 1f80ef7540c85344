import { expect, it } from 'vitest';
import { HarnessError } from '../../src/simulator/lib/errors.ts';
import { decodeText } from '../../src/simulator/lib/files.ts';
import type { Session } from '../../src/simulator/session/session.ts';
import { thorough } from '../support/thorough.ts';
import { expectLawful } from './lawful-session.ts';

type Read = (text: string) => readonly Session[];

/** Of small recordings all bytes are tried, of others as many as are read in a second, or in some tenths of one. */
const MAX_CUT_BYTES = thorough({ slow: 2_000_000, fast: 100_000 });
/** Only some of what is read is looked at closely. */
const LOOK_EVERY = 16;
const DEPTH = 20_000;
const MAX_DEEP_VALUES = thorough({ slow: 40, fast: 3 });
/** An object that JavaScript cannot make a text of. */
const TEXTLESS = '{"toString": 1}';
const MAX_TEXTLESS_VALUES = thorough({ slow: 500, fast: 30 });
const HUGE = 1_000_000;
const REFUSAL = /^Expected 'x' .*, got .*\.$/;
const VALUE_OR_KEY = /"(?:[^"\\]|\\.)*"(\s*:)?|-?\d+(?:\.\d+)?|true|false|null/g;
/** Content is what has blanks. */
const FIRST_TEXT = /"[^"\\]* [^"\\]*"(?!\s*:)/;
const DEEP_VALUES = [
  '['.repeat(DEPTH) + ']'.repeat(DEPTH),
  `${'{"a":'.repeat(DEPTH)}1${'}'.repeat(DEPTH)}`,
];

/** Contract of the kit that all formats read with, for broken recordings: no crash, and a count of the losses. */
export function describeDamage({
  text,
  read,
}: {
  readonly text: string;
  readonly read: Read;
}): void {
  it('reads or refuses what is left wherever a recording is cut off', () => {
    const bytes = new TextEncoder().encode(text);
    const stride = Math.ceil(bytes.length ** 2 / 2 / MAX_CUT_BYTES);
    const cuts = Array.from({ length: Math.ceil(bytes.length / stride) }, (_, index) => index);
    const sessions = cuts.flatMap((cut) =>
      readOrRefuse(decodeText(bytes.subarray(0, cut * stride)), read).map((each) => ({
        cut,
        each,
      })),
    );
    for (const { cut, each } of sessions) if (cut % LOOK_EVERY === 0) expectLawful(each);
    expect(cuts.length).toBeGreaterThan(0);
  });

  it('counts a record that is torn', () => {
    const [line = '', ...lines] = text.trimEnd().split('\n').toReversed();
    const torn = [...lines.toReversed(), line.slice(0, line.length / 2)].join('\n');
    const sessions = readOrRefuse(torn, read);
    const losses = sessions.flatMap(({ report }) => Object.values(report.dropped));
    expect(losses.length > 0 || sessions.length === 0).toBe(true);
  });

  it('reads or refuses values that stand in one another too deep, and what it reads is JSON', () => {
    const values = valuesIn(text);
    const stride = Math.ceil(values.length / MAX_DEEP_VALUES);
    for (const [index, { index: start, 0: value }] of values.entries()) {
      if (index % stride > 0) continue;
      const deep = DEEP_VALUES[(index / stride) % DEEP_VALUES.length]!;
      const changed = text.slice(0, start) + deep + text.slice(start + value.length);
      expect(() => JSON.stringify(readOrRefuse(changed, read))).not.toThrow();
    }
  });

  it('reads or refuses a value that no text can be made of, wherever it stands', () => {
    const values = valuesIn(text);
    const stride = Math.ceil(values.length / MAX_TEXTLESS_VALUES);
    for (const { index: start, 0: value } of values.filter((_, index) => index % stride === 0)) {
      const changed = text.slice(0, start) + TEXTLESS + text.slice(start + value.length);
      for (const session of readOrRefuse(changed, read)) expectLawful(session);
    }
    expect(values.length).toBeGreaterThan(0);
  });

  it.each([
    ['a line without an end', (whole: string) => `${whole}\n${'x'.repeat(HUGE)}`],
    ['very many brackets', (whole: string) => `${whole}\n${'{'.repeat(HUGE)}`],
    ['very many empty records', (whole: string) => `${whole}\n${'{}'.repeat(HUGE / 100)}`],
    ['a very long text', withHugeText],
    ['NUL between records', (whole: string) => whole.replaceAll('\n', '\n\0\n')],
    ['NUL in every text', (whole: string) => whole.replaceAll(/"(?=[a-z])/g, '"\0')],
    ['bytes of UTF-16 without a mark', (whole: string) => whole.split('').join('\0')],
    ['bytes that are no UTF-8', (whole: string) => decodeText(toLatin(whole))],
  ])('reads or refuses %s', (_, change) => {
    const sessions = readOrRefuse(change(text), read);
    sessions.forEach(expectLawful);
    expect(sessions).toBeInstanceOf(Array);
  });

  it('reads the same from UTF-16 that is marked as such', () => {
    const bytes = Buffer.from(`\uFEFF${text}`, 'utf16le');
    expect(read(decodeText(bytes))).toEqual(read(text));
    expect(read(decodeText(bytes.swap16()))).toEqual(read(text));
  });
}

function valuesIn(text: string): readonly RegExpExecArray[] {
  return [...text.matchAll(VALUE_OR_KEY)].filter(([, colon]) => colon === undefined);
}

/** The recording with a first content that is very long. */
function withHugeText(text: string): string {
  return text.replace(FIRST_TEXT, `"${'y'.repeat(HUGE)}"`);
}

/** All vowels that are no part of a key or an escape become letters that take one byte in Latin-1. */
function toLatin(text: string): Uint8Array {
  return Buffer.from(text.replaceAll(/(?<= )[aeo]/g, 'é'), 'latin1');
}

function readOrRefuse(text: string, read: Read): readonly Session[] {
  try {
    return read(text);
  } catch (error) {
    if (error instanceof HarnessError && REFUSAL.test(error.message)) return [];
    throw error;
  }
}
