import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { HarnessError } from '../../../../src/simulator/lib/errors.ts';
import { createSourceFile, linesIn } from '../../../../src/simulator/session/files/source-file.ts';
import {
  toJsonSchema,
  writeSession,
} from '../../../../src/simulator/session/formats/canonical-lines.ts';
import {
  type LoadedSession,
  loadSessions,
  readSessions,
  readSourceFile,
} from '../../../../src/simulator/session/load.ts';
import type { Session } from '../../../../src/simulator/session/session.ts';
import { readBlocks } from '../../../support/markdown-blocks.ts';
import { assertReaching } from '../../../support/reaching.ts';
import { createFolder } from '../../../support/session-files.ts';
import { handMadeSessions } from './canonical-sessions.ts';

const FIXTURE = join(import.meta.dirname, '../../../fixtures/sessions/canonical.jsonl');
const text = readFileSync(FIXTURE, 'utf8');
const lines = text.trimEnd().split('\n');
const [linkedHeader = '', ask = '', look = ''] = lines;
const read = (...given: readonly string[]) => readSessions('x', given.join('\n'));
const only = (...given: readonly string[]): Session => read(...given)[0]!;
const changed = (line: string, over: object) => JSON.stringify({ ...JSON.parse(line), ...over });
const header = changed(linkedHeader, { sideSessions: undefined });

describe('a session file', () => {
  it('is written as it was read', () => {
    expect([...writeSession(only(text))].join('')).toBe(text);
  });

  it('has a zero for the negative zero of an input, as each text of that input has', () => {
    const negative = only(header, ask, look.replaceAll('{"at":"kettle"}', '{"degrees":-0}'));
    const zero = only(header, ask, look.replaceAll('{"at":"kettle"}', '{"degrees":0}'));
    expect(negative).not.toEqual(zero);
    const written = [...writeSession(negative)].join('');
    expect(only(written)).toEqual(zero);
  });
});

const PATH = join(createFolder(), 'kettles.jsonl');
const HEADER = '{"compaction-bench":"session","version":1}';
const ASK = '{"type":"message","role":"user","parts":[{"type":"text","text":"Is the kettle on?"}]}';
const BAD_HEADER = '{"compaction-bench":"session","version":1,"isSide":"no"}';
const TORN = '{"type":"message","ro';
const CHUNK_BYTES = 65_536;
/** Litter between and inside sessions. */
const LITTER = [
  '',
  '  ',
  '7',
  '[]',
  TORN,
  HEADER,
  BAD_HEADER,
  '{"é":"ü"}',
  `{}${HEADER}`,
  TORN + HEADER,
  ASK,
];

const toText = (...lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');
const namesOf = (text: string) => readSessions('x', text).map(({ name }) => name);
const dropsOf = (text: string) => readSessions('x', text).map(({ report }) => report.dropped);

describe('a file of many sessions', () => {
  it('gives a session when the next one has been read, and nothing behind that', () => {
    const text = toText(HEADER, ASK, HEADER, ASK, HEADER, ASK, HEADER, ASK);
    let taken = 0;
    function* takeLines() {
      for (const line of linesIn(text)) {
        taken += 1;
        yield line;
      }
    }
    const content = {
      readText: () => text,
      linesWith: (part: string) => linesIn(text, part),
      takeLines,
    };
    const sessions = readSourceFile(createSourceFile('x', content));
    const steps = Array.from({ length: 4 }, () => [sessions.next().value?.session.name, taken]);
    expect(steps).toEqual([
      ['x#0', 5],
      ['x#1', 7],
      ['x#2', 9],
      ['x#3', 9],
    ]);
  });

  it('is read from the disk no further than its sessions are asked for', () => {
    const long = toText(HEADER, ASK.replace('kettle', 'k'.repeat(CHUNK_BYTES)));
    writeFileSync(PATH, long.repeat(4));
    const loading = loadSessions([PATH]);
    expect(nameOf(loading.next().value)).toBe(`${PATH}#0`);
    appendFileSync(PATH, long);
    const rest = [1, 2, 3, 4].map((index) => `${PATH}#${index}`);
    expect([...loading].map(nameOf)).toEqual(rest);
  });

  it('has sessions each of which a part of the file gives by itself', () => {
    const parts = fc.array(fc.oneof(handMadeSessions.map(linesOf), fc.constantFrom(...LITTER)), {
      minLength: 2,
      maxLength: 8,
    });
    let ranges = 0;
    assertReaching(
      fc.property(parts, fc.constantFrom('', '\uFEFF'), (lines, mark) => {
        writeFileSync(PATH, mark + toText(...lines));
        const loaded = [...loadSessions([PATH])];
        for (const one of loaded) {
          const range = one.state === 'read' ? one.range : undefined;
          if (range === undefined) continue;
          ranges += 1;
          const [alone, ...others] = [...loadSessions([PATH], { range })];
          expect(others).toEqual([]);
          expect(withoutName(alone)).toEqual(withoutName(one));
        }
        expect(loaded.map(withoutName)).toEqual(loadText(mark + toText(...lines)));
      }),
      { numRuns: 200 },
    );
    expect(ranges).toBeGreaterThan(200);
  });

  it('tells what is lost of the session in which it is lost', () => {
    expect(dropsOf(toText(TORN, HEADER, ASK, '7', HEADER, ASK, HEADER, ASK, TORN))).toEqual([
      { 'broken line': 1, 'line that is no object': 1 },
      {},
      { 'broken line': 1 },
    ]);
  });

  it('tells what no session holds of the one before it, or of the first', () => {
    const lost = { 'header that cannot be read': 1, 'line below such a header': 1 };
    const middle = toText(HEADER, ASK, BAD_HEADER, ASK, HEADER, ASK);
    expect(dropsOf(middle)).toEqual([lost, {}]);
    expect(dropsOf(toText(BAD_HEADER, HEADER, ASK))).toEqual([{ 'header that cannot be read': 1 }]);
  });

  it('has no numbers in its name where it holds only one', () => {
    expect(namesOf(toText(HEADER, HEADER, ASK, HEADER, TORN, BAD_HEADER, ASK))).toEqual(['x']);
  });

  it('gives the sessions before one of a newer version, and is refused there', () => {
    const newer = HEADER.replace('1', '2');
    writeFileSync(PATH, toText(HEADER, ASK, HEADER, ASK, newer, ASK, HEADER, ASK));
    const reason = `Expected '${PATH}' to hold sessions of version 1, got version 2 of a newer release.`;
    expect([...loadSessions([PATH])].map(nameOf)).toEqual([`${PATH}#0`, `${PATH}#1`, reason]);
  });
});

function nameOf(loaded: LoadedSession | void): string | undefined {
  if (loaded === undefined) return undefined;
  return loaded.state === 'read' ? loaded.session.name : loaded.reason;
}

function linesOf(session: Session): string {
  return [...writeSession(session)].join('').trimEnd();
}

function withoutName(loaded: LoadedSession | undefined): unknown {
  return loaded?.state === 'read' ? { ...loaded.session, name: undefined } : loaded?.state;
}

/** Sessions of the same text without a file. */
function loadText(text: string): readonly unknown[] {
  try {
    return readSessions('x', text).map((session) => ({ ...session, name: undefined }));
  } catch (error) {
    if (error instanceof HarnessError) return ['unread'];
    throw error;
  }
}

const PAGE = 'docs/reference/session-format.md';
const page = readFileSync(join(import.meta.dirname, '../../../..', PAGE), 'utf8');
const examples = readBlocks(PAGE, page).filter(({ language }) => language === 'jsonl');
/** The names of all fields in a JSON Schema, and the constants by which parts and states are told apart. */
function namesIn(schema: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { properties = {}, const: constant = [] } = schema as Readonly<Record<string, unknown>>;
  return [...Object.keys(properties as object), constant, Object.values(schema).map(namesIn)]
    .flat(3)
    .filter((name) => typeof name === 'string');
}

const linesOfPage = (text: string): readonly unknown[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('the page on session files', () => {
  it('has an example', () => {
    expect(examples).toHaveLength(1);
  });

  it.each(examples.map(({ text }) => [text]))('shows a session that is read whole: %s', (text) => {
    const [session, ...others] = readSessions('x', text);
    expect(others).toEqual([]);
    expect(session?.report).toEqual({ dropped: {}, repaired: {} });
    expect(session?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'assistant']);
    expect(session?.recordedCompactions).toHaveLength(1);
  });

  it('names every field and kind', () => {
    const names = namesIn(toJsonSchema());
    expect(names.length).toBeGreaterThan(100);
    const isNamed = (name: string) =>
      [`\`${name}\``, `"${name}"`].some((each) => page.includes(each));
    expect(names.filter((name) => !isNamed(name))).toEqual([]);
  });
});

describe('the JSON Schema of session files', () => {
  const schema = z.fromJSONSchema(toJsonSchema());

  it('takes every line of the example, and what is written of it', () => {
    const text = examples[0]!.text;
    const written = [...writeSession(readSessions('x', text)[0]!)].join('');
    for (const line of [...linesOfPage(text), ...linesOfPage(written)])
      expect(schema.safeParse(line).success).toBe(true);
  });

  it.each<[string, object]>([
    ['a later version', { 'compaction-bench': 'session', version: 2 }],
    ['an unknown key', { type: 'message', role: 'user', mood: 'good' }],
    ['an unknown part', { type: 'message', role: 'user', parts: [{ type: 'mood' }] }],
    ['a step of a user', { type: 'message', role: 'user', finish: 'stop' }],
    ['half a token', { type: 'compaction', kind: 'full', messageIndex: 1, tokensBefore: 0.5 }],
    ['a compaction nowhere', { type: 'compaction', kind: 'full', messageIndex: -1 }],
  ])('refuses %s', (_, line) => {
    expect(schema.safeParse(line).success).toBe(false);
  });
});
