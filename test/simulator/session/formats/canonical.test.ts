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
import { describeSessionFormat } from '../../../contracts/session-format.ts';
import { readBlocks } from '../../../support/markdown-blocks.ts';
import { assertReaching } from '../../../support/reaching.ts';
import { createFolder } from '../../../support/session-files.ts';
import { handMadeSessions } from './canonical-sessions.ts';
import { outline } from './claude-code-lines.ts';

const FIXTURE = join(import.meta.dirname, '../../../fixtures/sessions/canonical.jsonl');
const text = readFileSync(FIXTURE, 'utf8');
const lines = text.trimEnd().split('\n');
const [linkedHeader = '', ask = '', look = ''] = lines;
const report = lines.at(-1)!;
const read = (...given: readonly string[]) => readSessions('x', given.join('\n'));
const only = (...given: readonly string[]): Session => read(...given)[0]!;
const changed = (line: string, over: object) => JSON.stringify({ ...JSON.parse(line), ...over });
const header = changed(linkedHeader, { sideSessions: undefined });
const sideSession = { callId: 'call-1', sessionId: 'cup' };
const fact = {
  id: 'fact-1',
  kind: 'id',
  subject: 'ticket',
  value: 'VAL-77',
  polarity: 'do',
  criticality: 'must',
  source: 'tool',
  step: 1,
  posPct: 10,
  neededAt: [2],
};
const compactionAt = (messageIndex: number) =>
  JSON.stringify({ type: 'compaction', kind: 'full', messageIndex });

describeSessionFormat({ name: 'canonical', text });

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

  it('gives every field of its session', () => {
    const session = only(text);
    expect(outline(session)).toEqual([
      'user: Is the kettle on? file',
      'assistant: reasoning I will look. call-1:completed call-2:error',
      'assistant: It is off.',
      'user: (Someone came in.) Then switch it on.',
      'assistant: call-3:running',
      'user: Go on.',
      'assistant: On.',
    ]);
    expect(session).toMatchObject({
      name: 'x',
      format: 'canonical',
      sessionId: 'kettle',
      isSide: false,
      sideSessions: [sideSession],
      isPartial: false,
      model: 'anthropic/claude-kettle-1',
      system: 'You look after a kettle.',
      isOutputFinal: true,
      cacheTtlMs: 300_000,
      recordedCosts: new Map([['look', { inputNanoUsd: 3_700_000, outputNanoUsd: 450_000 }]]),
      report: { dropped: { 'broken line': 1 }, repaired: { 'repeated id': 2 } },
    });
    expect(session.recordedCompactions).toEqual([
      {
        kind: 'micro',
        messageIndex: 3,
        tokensBefore: 1_100,
        tokensAfter: 1_040,
        clearedCallIds: ['call-1'],
      },
      {
        kind: 'full',
        trigger: 'auto',
        messageIndex: 6,
        tokensBefore: 1_200,
        tokensAfter: 400,
        summary: 'They want the kettle on.',
        firstKeptMessageIndex: 5,
      },
    ]);
  });

  it('gives ids, parents and finishes by place where none are written', () => {
    expect(only(text).messages.slice(0, 3)).toMatchObject([
      { id: 'ask', parts: [{ id: 'ask-1' }, { id: 'ask-2' }] },
      {
        parentId: 'ask',
        finish: 'tool-calls',
        parts: [
          { id: 'look-1' },
          { id: 'look-2' },
          { id: 'look-3', state: { attachments: [{ id: 'look-3-file-1' }] } },
          { id: 'look-4' },
        ],
      },
      { parentId: 'ask', finish: 'stop', model: 'anthropic/claude-kettle-2' },
    ]);
  });

  it('may hold only what has no default', () => {
    const bare = '{"type":"message","role":"user"}';
    expect(only('{"compaction-bench":"session","version":1}', bare)).toEqual({
      name: 'x',
      format: 'canonical',
      isSide: false,
      isPartial: false,
      isOutputFinal: false,
      messages: [{ id: 'message-1', role: 'user', createdAt: 0, parts: [] }],
      recordedCompactions: [],
      report: { dropped: {}, repaired: {} },
    });
  });

  it('keeps a finish that does not follow from the place, also that of a request without an end', () => {
    const [, step, open] = only(
      header,
      ask,
      changed(look, { id: 'a', finish: 'length' }),
      changed(look, { id: 'b', finish: null, parts: [] }),
    ).messages;
    expect(step).toMatchObject({ finish: 'length' });
    expect(open).not.toHaveProperty('finish');
  });

  it('takes the place of a message by what was written, also where one is lost', () => {
    const session = only(text.replace('"role":"assistant","id":"say"', '"role":7,"id":"say"'));
    expect(session.recordedCompactions.map((each) => each.messageIndex)).toEqual([2, 5]);
    expect(session.recordedCompactions[1]).toHaveProperty('firstKeptMessageIndex', 4);
    expect(session.report.dropped).toMatchObject({ 'message that cannot be read': 1 });
  });

  it('gives compactions in the order of their places', () => {
    const session = only(header, ask, look, compactionAt(2), compactionAt(1));
    expect(session.recordedCompactions.map(({ messageIndex }) => messageIndex)).toEqual([1, 2]);
  });

  it('may hold several sessions, each behind its header', () => {
    const twice = read(text, changed(header, { sessionId: 'pot', format: 'pi' }), ask, report);
    expect(twice.map(({ name, format, sessionId }) => [name, format, sessionId])).toEqual([
      ['x#0', 'canonical', 'kettle'],
      ['x#1', 'pi', 'pot'],
    ]);
    expect(twice[1]?.messages).toHaveLength(1);
  });
});

describe('of a file', () => {
  it.each<[string, readonly string[], Readonly<Record<string, number>>]>([
    ['a line before all headers', [ask, header, ask], { 'line before the first header': 1 }],
    [
      'a header of the wrong kind with its lines',
      [changed(header, { isSide: 'no' }), ask, header, ask],
      { 'header that cannot be read': 1, 'line below such a header': 1 },
    ],
    ['a torn line', [header, ask, look.slice(0, 90)], { 'broken line': 1 }],
    ['a line that is no object', [header, ask, '7'], { 'line that is no object': 1 }],
    [
      'a line of a later kind',
      [header, ask, '{"type":"mood","mood":"good"}'],
      { 'unknown record "mood"': 1 },
    ],
    ['a link of a call that is lost', [linkedHeader, ask], { 'session of no call': 1 }],
    [
      'a key of a later kind in a link',
      [changed(header, { sideSessions: [{ ...sideSession, mood: 1 }] }), ask, look],
      { 'unknown key': 1 },
    ],
    [
      'keys of a later kind, wherever they stand',
      [
        changed(header, { mood: 'good' }),
        changed(ask, { parts: [{ type: 'text', text: 'x', mood: 1, tone: { loud: true } }] }),
      ],
      { 'unknown key': 3 },
    ],
    [
      'a part of a later kind',
      [header, changed(ask, { parts: [{ type: 'text', text: 'x' }, { type: 'mood' }] })],
      { 'part that cannot be read': 1 },
    ],
    [
      'a message whose parts are none',
      [header, ask, changed(look, { parts: 'none' })],
      { 'message that cannot be read': 1 },
    ],
    [
      'a message of a time that no date can name',
      [header, ask, changed(look, { createdAt: 1e308 })],
      { 'message that cannot be read': 1 },
    ],
    [
      'a compaction behind the end',
      [header, ask, '{"type":"compaction","kind":"full","messageIndex":2}'],
      { 'compaction at no place of the session': 1 },
    ],
    [
      'a compaction behind lost messages only',
      [
        header,
        '{"type":"message","role":7}',
        ask,
        '{"type":"compaction","kind":"full","messageIndex":1}',
      ],
      { 'message that cannot be read': 1, 'compaction at no place of the session': 1 },
    ],
    [
      'a compaction of a later kind',
      [header, ask, '{"type":"compaction","kind":"mood","messageIndex":1}'],
      { 'compaction that cannot be read': 1 },
    ],
    [
      'a report without numbers',
      [header, ask, '{"type":"report","dropped":{"x":"many"},"repaired":{}}'],
      { 'report that cannot be read': 1 },
    ],
  ])('%s is counted, not fatal', (_, given, dropped) => {
    const sessions = read(...given);
    expect(sessions).toHaveLength(1);
    expect(sessions[0]?.report.dropped).toEqual(dropped);
    expect(sessions[0]?.messages[0]?.id).toBe('ask');
  });

  it('a session without messages is left out', () => {
    expect(read(header, report, header, ask)).toHaveLength(1);
  });

  it.each<[string, readonly string[], string]>([
    [
      'of a newer version',
      [changed(header, { version: 2 }), ask],
      "Expected 'x' to hold sessions of version 1, got version 2 of a newer release.",
    ],
    [
      'of a newer version in its second session',
      [text, changed(header, { version: 3 }), ask],
      "Expected 'x' to hold sessions of version 1, got version 3 of a newer release.",
    ],
    [
      'of no version',
      [changed(header, { version: null }), ask],
      "Expected 'x' to hold sessions of version 1, got none.",
    ],
    [
      'without a word about its version',
      [changed(header, { version: undefined }), ask],
      "Expected 'x' to hold sessions of version 1, got none.",
    ],
    [
      'of a version that never was',
      [changed(header, { version: 0 }), ask],
      "Expected 'x' to hold sessions of version 1, got version 0.",
    ],
    [
      'of a version in words',
      [changed(header, { version: '1' }), ask],
      "Expected 'x' to hold sessions of version 1, got version '1'.",
    ],
    [
      'with a field of the wrong kind in its only header',
      ['', changed(header, { isSide: 'no' }), ask],
      "Expected 'x' to hold a conversation, but its header in line 2 cannot be read: at 'isSide' expected boolean, got 'no'.",
    ],
    [
      'with a field out of its bounds, deep in its only header',
      [changed(header, { facts: [{ ...fact, neededAt: [2, 0] }] }), ask],
      "Expected 'x' to hold a conversation, but its header in line 1 cannot be read: at 'facts[0].neededAt[1]' expected number to be >=1, got 0.",
    ],
    [
      'without a field of a fact',
      [changed(header, { facts: [{ ...fact, subject: undefined }] }), ask],
      "Expected 'x' to hold a conversation, but its header in line 1 cannot be read: at 'facts[0].subject' expected string, got nothing.",
    ],
    ['without messages', [header, report], "Expected 'x' to hold a conversation, got no messages."],
  ])('one %s is refused', (_, given, message) => {
    expect(() => read(...given)).toThrow(message);
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

  it('has a session behind what was torn off another one, as where broken files are joined', () => {
    const [before, behind] = [toText(HEADER, ASK) + TORN, toText(HEADER, ASK, ASK)];
    const sessions = readSessions('x', before + behind);
    expect(sessions.map(({ messages }) => messages.length)).toEqual([1, 2]);
    expect(sessions.map(({ report }) => report.dropped)).toEqual([{}, { 'broken line': 1 }]);
    expect(namesOf(TORN + behind)).toEqual(['x']);
    expect(namesOf(`${HEADER} and ${HEADER}\n${ASK}`)).toEqual(['x']);
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
