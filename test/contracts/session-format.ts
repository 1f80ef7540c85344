import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HarnessError } from '../../src/simulator/lib/errors.ts';
import {
  createSourceFile,
  NO_SURROUNDINGS,
} from '../../src/simulator/session/files/source-file.ts';
import type { Database, SourceFile, Surroundings } from '../../src/simulator/session/format.ts';
import type { FormatName } from '../../src/simulator/session/formats.ts';
import { readSourceFile } from '../../src/simulator/session/load.ts';
import type { Session } from '../../src/simulator/session/session.ts';
import { surestMatches } from '../support/session-matches.ts';
import { thorough } from '../support/thorough.ts';
import { expectLawful } from './lawful-session.ts';

/** A recording that shows what is particular about a format. */
export interface FormatSample {
  readonly name: FormatName;
  readonly text: string;
  /** For formats that spread a session over several files: the text holds all of them, the recording itself in its first line. */
  readonly unpack?: (text: string) => UnpackedSample;
}

/** The text of a recording, and what lies around it. */
export interface UnpackedSample {
  readonly text: string;
  readonly surroundings: Surroundings;
  /** Of a recording that is a database, and has no text. */
  readonly database?: Database;
}

type Read = (text: string) => readonly Session[];

/** What all formats share is damaged thoroughly in the tests of their kit. */
const RUNS = thorough({ slow: 200, fast: 20 });
const REFUSAL = /^Expected 'x' .*, got .*\.$/;
/** Values that may stand where a recording has others. */
const ODD_VALUES = [
  'null',
  '-7',
  '1e999',
  '1e308',
  '""',
  '[]',
  '{}',
  'true',
  '[[{}]]',
  '{"toString": 1}',
  '"assistant"',
];
const MAX_VALUES = 40;

/** Contract of every recorded format, checked on a sample. */
export function describeSessionFormat(sample: FormatSample): void {
  const { name, text, unpack = unpackNothing } = sample;
  const open = (packed: string) => toSourceFile(unpack(packed));
  const read: Read = (packed) => [...readSourceFile(open(packed))].map(({ session }) => session);
  const damaged = fc.oneof(damagedText(text), damagedValues(text));
  describe(`the format ${name}`, () => {
    it('is the only one of the surest formats that match its recordings', () => {
      expect(surestMatches(open(text))).toEqual([name]);
    });

    it('reads sessions that obey the laws, under its own name', () => {
      const sessions = read(text);
      expect(sessions.map((session) => session.format)).toEqual(sessions.map(() => name));
      for (const session of sessions) expectLawful(session);
    });

    it('reads the same from the same text', () => {
      expect(read(text)).toEqual(read(text));
    });

    it('reads the same behind a byte order mark and with Windows line ends', () => {
      const windows = `\uFEFF${text.replaceAll('\n', '\r\n')}`;
      expect(read(windows)).toEqual(read(text));
    });

    it('takes __proto__ for a key like any other', () => {
      const hostile = read(withHostileKeys(text));
      expect(hostile.map(withoutInputs)).toEqual(read(text).map(withoutInputs));
      expect(Reflect.get({}, 'isHostile')).toBeUndefined();
    });

    it('reads what is left of a damaged recording lawfully, or refuses it in one sentence', () => {
      fc.assert(
        fc.property(damaged, (changed) => {
          const left = readOrRefuse(changed, read);
          expect(left.every(({ messages }) => messages.length > 0)).toBe(true);
        }),
        { numRuns: RUNS },
      );
    });
  });
}

function toSourceFile({ text, surroundings, database }: UnpackedSample): SourceFile {
  if (database === undefined) return createSourceFile('x', text, surroundings);
  const nothing = () => [];
  const content = { database, readText: () => '', linesWith: nothing, takeLines: nothing };
  return createSourceFile('x', content, surroundings);
}

function unpackNothing(text: string): UnpackedSample {
  return { text, surroundings: NO_SURROUNDINGS };
}

function readOrRefuse(text: string, read: Read): readonly Session[] {
  const sessions = tryRead(text, read);
  if (sessions instanceof HarnessError) {
    if (!REFUSAL.test(sessions.message)) throw sessions;
    return [];
  }
  for (const session of sessions) expectLawful(session);
  return sessions;
}

function tryRead(text: string, read: Read): readonly Session[] | HarnessError {
  try {
    return read(text);
  } catch (error) {
    if (error instanceof HarnessError) return error;
    throw error;
  }
}

/** The samples have no braces inside their texts, so every one that a key follows opens an object. */
function withHostileKeys(text: string): string {
  return text.replaceAll(/\{(?=\s*")/g, '{"__proto__": {"isHostile": true, "type": "tool"}, ');
}

function withoutInputs({ messages, definitions: _length, ...session }: Session): unknown {
  const parts = messages.map((message) =>
    message.parts.map((part) =>
      part.type === 'tool' ? { ...part, state: { ...part.state, input: null } } : part,
    ),
  );
  return {
    ...session,
    messages: messages.map((message, index) => ({ ...message, parts: parts[index] })),
  };
}

/** The text with a piece cut out, doubled or replaced. */
function damagedText(text: string): fc.Arbitrary<string> {
  const place = fc.nat({ max: text.length });
  const piece = fc.constantFrom(
    '',
    '{',
    '}',
    '"',
    ']',
    '\n',
    '\\',
    '}{',
    'null',
    '\u0000',
    '\ud800',
  );
  return fc
    .tuple(place, fc.nat({ max: 80 }), piece, fc.boolean())
    .map(([from, length, put, isEnd]) => {
      const rest = isEnd ? '' : text.slice(from + length);
      return text.slice(0, from) + put + rest;
    });
}

/** The text with some of its JSON values replaced by values of other kinds, or by values from elsewhere in it. */
function damagedValues(text: string): fc.Arbitrary<string> {
  const tokens = [...text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?|-?\d+(?:\.\d+)?|true|false|null/g)];
  const values = tokens.filter(([, colon]) => colon === undefined);
  const others = values.slice(0, MAX_VALUES).map(([value]) => value);
  const put = fc.constantFrom(...ODD_VALUES, ...others);
  const change = fc.record({ index: fc.nat({ max: values.length - 1 }), put });
  return fc.array(change, { minLength: 1, maxLength: 6 }).map((changes) => {
    const puts = new Map(changes.map((each) => [values[each.index]!.index, each.put]));
    const ends = new Map(values.map((match) => [match.index, match.index + match[0].length]));
    let changed = '';
    let from = 0;
    for (const start of [...puts.keys()].toSorted((a, b) => a - b)) {
      changed += text.slice(from, start) + puts.get(start);
      from = ends.get(start)!;
    }
    return changed + text.slice(from);
  });
}
