import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Message, type Part, policies } from '../../../../src/engine/index.ts';
import { findReferences } from '../../../../src/simulator/replay/references/find-references.ts';
import { generateSession } from '../../../../src/simulator/scenario/workload/generate-session.ts';
import {
  findWorkload,
  type Language,
  workloads,
} from '../../../../src/simulator/scenario/workload/workload.ts';
import { discoverSessionFiles } from '../../../../src/simulator/session/files/discover.ts';
import { sessionFormats } from '../../../../src/simulator/session/formats.ts';
import { loadSessions } from '../../../../src/simulator/session/load.ts';
import { allowedTexts } from '../../../../src/simulator/session/redact/allowed.ts';
import type { Session } from '../../../../src/simulator/session/session.ts';
import { STEERING_WORDS } from '../../../../src/simulator/session/shell.ts';
import { pivotedHistories } from '../../../support/arbitraries.ts';
import { step, tool, toolIn, user } from '../../../support/history.ts';
import { assertReaching } from '../../../support/reaching.ts';
import { alphabets, textOf } from '../../../support/texts.ts';
import { toolsOf } from '../tools-of.ts';
import { fileUseOf } from './file-use.ts';
import {
  isOnTheBrink,
  outcomeOf,
  type Pair,
  SMALLEST_TOKENS,
  tokensOf,
  tryOut,
} from './outcomes.ts';
import { newRedactor, sessionOf, tokenizer, written } from './redactors.ts';
import { around, inJson, plant, secrets, SPOKEN, windowsOf } from './secrets.ts';

/** The texts of one-message sessions as one redactor gives them. */
function redactTexts(...texts: readonly string[]): readonly string[] {
  const redactor = newRedactor();
  return texts.map((value) => {
    const [message] = redactor.redact(sessionOf([user('u', value)])).messages;
    const [part] = message?.parts ?? [];
    return part?.type === 'text' ? part.text : '';
  });
}

const redactText = (value: string): string => redactTexts(value)[0] ?? '';

function redactInput(input: unknown): unknown {
  const part = toolIn('t', { status: 'completed', input, output: '' }, 'bash');
  const [message] = newRedactor().redact(sessionOf([step('s', [part])])).messages;
  const [redacted] = message?.parts ?? [];
  return redacted?.type === 'tool' ? redacted.state.input : undefined;
}

/** The lengths, kinds and places of everything in a value, without what it says. */
function shapeOf(value: unknown): unknown {
  if (typeof value === 'string') return value.length;
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value).map(([key, child]) => [key.length, shapeOf(child)]);
}

const nested = { limit: { session_id: 0 } };
const isOtherPin = (value: number): boolean => value !== 483_920 && /^\d{6}$/.test(String(value));
const MEGABYTE_CHARS = 1_000_000;
const LONE_SURROGATE = /\p{Surrogate}/u;

describe('redact', () => {
  it('leaves nothing of a secret, wherever it stands and whatever it is', () => {
    const redactor = newRedactor();
    fc.assert(
      fc.property(secrets, around, (secret, before) => {
        const session = plant(secret, before);
        const after = written(redactor.redact(session)).toLowerCase();
        const spoken = windowsOf(secret).filter((window) => SPOKEN.test(window));
        const pieces = [secret, ...spoken].map((piece) => piece.toLowerCase());
        expect(pieces.filter((piece) => after.includes(inJson(piece)))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it('keeps every length, number, flag and place', () => {
    const redactor = newRedactor();
    fc.assert(
      fc.property(secrets, around, (secret, before) => {
        const session = plant(secret, before);
        expect(shapeOf(redactor.redact(session))).toEqual(
          shapeOf({ ...session, isRedacted: true }),
        );
      }),
      { numRuns: 30 },
    );
  });

  it.each(Object.entries(alphabets))('keeps the shape of texts of %s', (_, alphabet) => {
    const redactor = newRedactor();
    fc.assert(
      fc.property(textOf(alphabet, { minBytes: 0, maxBytes: 300 }), (value) => {
        const redacted = redactor.redact(sessionOf([user('u', value)]));
        const [part] = redacted.messages[0]?.parts ?? [];
        const after = part?.type === 'text' ? part.text : '';
        expect(after).toHaveLength(value.length);
        expect(Buffer.byteLength(after)).toBe(Buffer.byteLength(value));
        expect(after.replaceAll(/\S/g, 'x')).toBe(value.replaceAll(/\S/g, 'x'));
        expect(LONE_SURROGATE.test(after)).toBe(LONE_SURROGATE.test(value));
      }),
      { numRuns: 40 },
    );
  });

  it.each<[string, string, RegExp]>([
    ['Latin', 'Hello wörld', /^[A-Z][a-z]{4} [a-z][\u0080-\u00ff][a-z]{3}$/],
    ['Cyrillic', 'Привет, мир', /^[А-Я][а-я]{5}, [а-я]{3}$/],
    ['Chinese', '今天天气很好。', /^\p{Script=Han}{6}。$/u],
    [
      'Japanese',
      'ひらカタ漢字',
      /^\p{Script=Hiragana}{2}\p{Script=Katakana}{2}\p{Script=Han}{2}$/u,
    ],
    ['Korean', '안녕하세요', /^\p{Script=Hangul}{5}$/u],
    ['digits', '2024-05-01 12:30', /^\d{4}-\d\d-\d\d \d\d:\d\d$/],
    [
      'code',
      'if (fooBar[12] !== null) {\r\n\treturn;\n}',
      /^[a-z]{2} \([a-z]{3}[A-Z][a-z]{2}\[\d\d\] !== [a-z]{4}\) \{\r\n\t[a-z]{6};\n\}$/,
    ],
    ['letters in circles', 'Ⓗⓔⓛⓛⓞ', /^[Ⓐ-Ⓩ][ⓐ-ⓩ]{4}$/],
    ['letters of flags', '🇩🇪🇫🇷', /^[\u{1f1e6}-\u{1f1ff}]{4}$/u],
  ])('keeps the script of %s', (_, value, pattern) => {
    expect(redactText(value)).toMatch(pattern);
    expect(redactText(value)).not.toBe(value);
  });

  it('gives a character that is repeated for megabytes another one as often', () => {
    const times = 4 * MEGABYTE_CHARS;
    const filler = redactText('x'.repeat(times));
    // A comparison that fails would print all of it.
    expect(filler === filler.charAt(0).repeat(times)).toBe(true);
    expect(filler.charAt(0)).toMatch(/^[a-wyz]$/);
  });

  it.each([
    ['seven times is a word', 'x'.repeat(7), /^(?!(.)\1{6})[a-z]{7}$/],
    ['eight times is repeated', 'x'.repeat(8), /^([a-wyz])\1{7}$/],
    ['a character of two units is one', '𝒳'.repeat(8), /^(.)\1{7}$/u],
    ['another one at the end makes it a word', `${'x'.repeat(8)}y`, /^(?!(.)\1{7})[a-z]{9}$/],
  ])('repeats a character where it is repeated: %s', (_, value, pattern) => {
    expect(redactText(value)).toMatch(pattern);
  });

  it('gives equal texts equal filler, in every session of one redactor', () => {
    const [first, second] = redactTexts(
      'open /srv/kettle/lid.ts now',
      'open /srv/kettle/lid.ts now',
    );
    expect(second).toBe(first);
  });

  it('gives a path the same filler in every text', () => {
    const path = '/srv/kettle/v2/2024/001-lid/7';
    const [alone, quoted, listed] = redactTexts(path, `cat "${path}"`, `1: ${path}:17: x`);
    expect(quoted?.slice(5, -1)).toBe(alone);
    expect(listed?.slice(3, 3 + path.length)).toBe(alone);
  });

  it('gives different texts different filler', () => {
    const values = Array.from({ length: 400 }, (_, index) => `call_${index}`);
    const letters = Array.from('abcdefghijklmnopqrstuvwxyz0123456789');
    expect(new Set(redactTexts(...values)).size).toBe(values.length);
    expect(new Set(redactTexts(...letters)).size).toBe(letters.length);
    const pairs = letters.flatMap((letter) => letters.slice(-10).map((digit) => letter + digit));
    expect(new Set(redactTexts(...pairs)).size).toBe(pairs.length);
  });

  it('gives what is copied the same filler behind its first two words, numbers too', () => {
    const copied = 'let kettles = 0;\nfor (const lid of lids) kettles += 17 * lid.size;';
    const [alone, quoted] = redactTexts(copied, `Line 4 of the file:\n  ${copied}`);
    expect(quoted?.slice(-copied.length)).toBe(alone);
  });

  it('does not give away numbers by the lines that are counted beside them', () => {
    const lines = Array.from({ length: 30 }, (_, index) => `${10 + index} x`).join('\n');
    const numbers = redactText(lines).match(/^\d\d/gm) ?? [];
    const steps = numbers.slice(1).map((number, index) => Number(number) - Number(numbers[index]));
    expect(new Set(steps).size).toBeGreaterThan(10);
  });

  it('is the same for the same salt, and another for another', () => {
    const session = plant('kettle', '');
    expect(newRedactor('a').redact(session)).toEqual(newRedactor('a').redact(session));
    expect(newRedactor('a').redact(session)).not.toEqual(newRedactor('b').redact(session));
  });

  it('still has the same shape and nearly the tokens when it is redacted again', () => {
    const value = 'The quick brown fox jumps over the lazy dog, said the getKettleLid() of tea.ts.';
    const once = redactText(value);
    expect(redactText(once)).toHaveLength(value.length);
    expect(Math.abs(tokenizer.count(redactText(once)) - tokenizer.count(value))).toBeLessThan(3);
  });

  it('keeps what is listed: roles, kinds, known tools and arguments, finishes, known models', () => {
    const part = toolIn('t', { status: 'completed', input: { path: 'a' }, output: '' }, 'skill');
    const message = step('s', [part], { finish: 'tool-calls', model: 'lab/model' });
    const session = sessionOf([user('u1', 'x'), message], { model: 'lab/model' });
    const after = newRedactor().redact(session);
    expect(after.model).toBe('lab/model');
    expect(after.messages[1]).toMatchObject({
      role: 'assistant',
      finish: 'tool-calls',
      model: 'lab/model',
      parts: [{ type: 'tool', tool: 'skill', state: { status: 'completed', input: {} } }],
    });
    expect(JSON.stringify(after.messages[1])).toContain('"input":{"path":');
  });

  it.each(Object.keys(sessionFormats))('keeps the name of the format %s', (format) => {
    expect(newRedactor().redact(sessionOf([], { format })).format).toBe(format);
  });

  it('keeps the reasons of a report, but not what they quote', () => {
    const dropped = { 'tool result without a call': 2, 'unknown record "kettle"': 1, kettle: 3 };
    const { report } = newRedactor().redact(
      sessionOf([], { report: { dropped, repaired: { 'repeated id': 4 } } }),
    );
    const [first, second, third] = Object.keys(report.dropped);
    expect(first).toBe('tool result without a call');
    expect(second).toMatch(/^unknown record "[a-z]{6}"$/);
    expect(`${second} ${third}`).not.toContain('kettle');
    expect(report.repaired).toEqual({ 'repeated id': 4 });
  });

  it('keeps short numbers only under names that are known to hold sizes', () => {
    const known = { offset: 120_000, '-C': 3, view_range: [1, 50], head_limit: 0 };
    expect(redactInput(known)).toEqual(known);
    expect(Object.entries(redactInput({ pin: 483_920 }) as object)).toEqual([
      [expect.stringMatching(/^(?!pin)[a-z]{3}$/), expect.toSatisfy(isOtherPin)],
    ]);
    const inside = redactInput({ limit: { session_id: 483_920 } }) as typeof nested;
    expect(inside.limit.session_id).toSatisfy(isOtherPin);
  });

  it('replaces long numbers under any name', () => {
    const input = { limit: 2_000, phone: 4_915_112_345_678, at: -52.520_008, none: Number.NaN };
    const { limit, ...others } = redactInput(input) as typeof input;
    expect(limit).toBe(2_000);
    expect(Object.values(others)).not.toContain(input.phone);
    expect(JSON.stringify(Object.values(others))).toMatch(/^\[\d{13},-\d\d\.\d{6},null\]$/);
  });

  it('reads an input however deep it is', () => {
    let input: unknown = 'kettle';
    for (let depth = 0; depth < 50_000; depth++) input = [input];
    let redacted = redactInput(input);
    while (Array.isArray(redacted)) [redacted] = redacted as unknown[];
    expect(redacted).toMatch(/^(?!kettle)[a-z]{6}$/);
  });

  it('keeps the kind and the length of data in an address', () => {
    const data = 'iVBORw0KGgoAAAANSUhEUgAA+/8=';
    const part: Part = {
      type: 'file',
      id: 'f',
      mime: 'image/png',
      url: `data:image/png;base64,${data}`,
    };
    const [message] = newRedactor().redact(sessionOf([user('u', part)])).messages;
    expect(message?.parts[0]).toMatchObject({
      mime: 'image/png',
      url: expect.stringMatching(/^data:image\/png;base64,[\w+/]{27}=$/),
    });
    expect(JSON.stringify(message)).not.toContain(data.slice(0, 8));
  });

  it('leaves ids matched to one another', () => {
    const messages: readonly Message[] = [
      user('m1', 'go'),
      step('m2', [tool('t1', 'x'), tool('t2', 'y')], { parentId: 'm1' }),
    ];
    const session = sessionOf(messages, {
      recordedCompactions: [
        { kind: 'micro', messageIndex: 2, clearedCallIds: [tool('t1', '').callId] },
      ],
      recordedCosts: new Map([['m2', { inputNanoUsd: 1, outputNanoUsd: 2 }]]),
    });
    const after = newRedactor().redact(session);
    const [prompt, answer] = after.messages;
    const callIds = answer?.parts.flatMap((part) => (part.type === 'tool' ? [part.callId] : []));
    expect(answer).toMatchObject({ parentId: prompt?.id });
    expect(after.recordedCompactions[0]?.clearedCallIds).toEqual(callIds?.slice(0, 1));
    expect([...(after.recordedCosts ?? [])]).toEqual([
      [answer?.id, { inputNanoUsd: 1, outputNanoUsd: 2 }],
    ]);
    expect(new Set([prompt?.id, answer?.id, ...(callIds ?? [])]).size).toBe(4);
  });

  it('keeps the shape of any history', () => {
    const redactor = newRedactor();
    fc.assert(
      fc.property(pivotedHistories, (messages) => {
        const session = sessionOf(messages);
        expect(shapeOf(redactor.redact(session))).toEqual(
          shapeOf({ ...session, isRedacted: true }),
        );
      }),
      { numRuns: 15 },
    );
  });
});

const FOLDER = resolve(import.meta.dirname, '../../../../../shared/sessions');
const hasSessions = existsSync(FOLDER);
const note = hasSessions ? '' : ' (skipped: ../shared/sessions is not there)';
/** Recordings whose words were taken out before have none that could stay, and are long. */
const WITHOUT_WORDS = 'redacted-lengths';
/** Of files with many sessions the first ones say enough. */
const LATER_SESSION = /#[1-9]\d*$/;
/** Words that may stay where they steer a call; nothing is replaced by one of them. */
const STEERING = new Set(STEERING_WORDS.flatMap((word) => word.match(/\p{L}+/gu) ?? []));
/** But for the beginnings of `wouldn't` and the like, which stay. */
const WORD = /\p{L}{6,}(?!\p{L}|['’]t)/gu;

/** Each session with what a redactor of its own makes of it. */
function* readPairs(): Generator<Pair> {
  const files = discoverSessionFiles([FOLDER]).files.filter(
    (file) => !file.includes(WITHOUT_WORDS),
  );
  for (const loaded of loadSessions(files)) {
    if (loaded.state !== 'read' || LATER_SESSION.test(loaded.session.name)) continue;
    yield { session: loaded.session, redacted: newRedactor().redact(loaded.session) };
  }
}

const pairs = hasSessions ? [...readPairs()] : [];

/** Everything that a session says, in order. */
function textsOf(session: Session): readonly string[] {
  const texts: string[] = [];
  JSON.stringify([session.system, session.messages], (_, value: unknown) => {
    if (typeof value === 'string') texts.push(value);
    return value;
  });
  return texts;
}

function lengthsOf(session: Session): readonly (readonly number[])[] {
  return textsOf(session).map((text) => [text.length, Buffer.byteLength(text)]);
}

/** How often a step needs what came before it. */
function countReferences({ messages, system }: Session): number {
  return findReferences({ messages, system, facts: [], weigh: () => 1 }).all.length;
}

/** How many words of six letters or more stand, and how many of them still do after redaction. */
function countWords({ session, redacted }: Pair): { readonly all: number; readonly left: number } {
  const allowed = new Set(allowedTexts());
  const after = textsOf(redacted);
  let [all, left] = [0, 0];
  for (const [index, text] of textsOf(session).entries()) {
    if (allowed.has(text)) continue;
    for (const { 0: word, index: start } of text.matchAll(WORD)) {
      all++;
      const isLeft = after[index]?.slice(start, start + word.length) === word;
      if (isLeft && !STEERING.has(word)) left++;
    }
  }
  return { all, left };
}

describe.skipIf(!hasSessions)(`a redacted session${note}`, () => {
  it('has every text as long as it was, in UTF-16 and in bytes', () => {
    for (const { session, redacted } of pairs)
      expect(lengthsOf(redacted)).toEqual(lengthsOf(session));
  });

  it('has nearly the tokens that it had', () => {
    for (const { session, redacted } of pairs) {
      const [before, after] = [tokensOf(session), tokensOf(redacted)];
      if (before < SMALLEST_TOKENS) continue;
      expect(Math.abs(after - before) / before).toBeLessThan(0.06);
    }
  });

  it('has no word of six letters or more at its place, but for those that say what is done to files', () => {
    const sums = pairs.map(countWords);
    expect(sums.reduce((sum, { all }) => sum + all, 0)).toBeGreaterThan(100_000);
    expect(sums.reduce((sum, { left }) => sum + left, 0)).toBe(0);
  });

  it('is quoted by nearly as many of its own steps, over all of them', () => {
    const sumOf = (of: (pair: (typeof pairs)[number]) => number) =>
      pairs.reduce((sum, pair) => sum + of(pair), 0);
    const before = sumOf(({ session }) => countReferences(session));
    const after = sumOf(({ redacted }) => countReferences(redacted));
    expect(before).toBeGreaterThan(1_000);
    expect(Math.abs(after - before) / before).toBeLessThan(0.07);
  });

  it('reads, writes and reads again as many files as the original', () => {
    const uses = pairs.map(({ session, redacted }) => {
      const use = fileUseOf(session);
      expect({ name: session.name, ...fileUseOf(redacted) }).toEqual({
        name: session.name,
        ...use,
      });
      return use;
    });
    const least = { reads: 400, writes: 400, reReads: 10 };
    for (const key of ['reads', 'writes', 'reReads'] as const)
      expect(uses.reduce((sum, use) => sum + use[key], 0)).toBeGreaterThan(least[key]);
  });

  const trials = pairs.flatMap(tryOut);

  it.each(['opencode-1.2.16', 'document-002'] as const)(
    'hits the same thresholds, prunes the same and saves nearly as much under %s',
    (name) => {
      const policy = policies[name];
      let compared = 0;
      for (const { before, after, contextTokens } of trials) {
        if (isOnTheBrink(before, policy, contextTokens)) continue;
        const expected = outcomeOf(before, policy, contextTokens);
        const got = outcomeOf(after, policy, contextTokens);
        expect(got.hits).toEqual(expected.hits);
        expect(got.prunes).toEqual(expected.prunes);
        const saved = expected.tokensSaved ?? 0;
        expect(Math.abs((got.tokensSaved ?? 0) - saved)).toBeLessThanOrEqual(
          0.06 * Math.abs(saved),
        );
        compared += expected.hits.overflows === 0 ? 0 : 1;
      }
      expect(compared).toBeGreaterThan(10);
    },
  );
});

const call = (id: string, name: string, input: unknown, output = 'x'): Part =>
  toolIn(id, { status: 'completed', input, output }, name);

function redactCall(name: string, input: unknown) {
  const redacted = newRedactor().redact(sessionOf([step('s', [call('t', name, input)])]));
  const [{ tool, state } = { tool: '', state: { input: undefined } }] = toolsOf(redacted);
  return { tool, input: state.input };
}

const FILES = ['src/kettle.ts', '/srv/tea/src/kettle.ts', 'lid.md', 'v2/2024/07.log'];
const OTHERS = ['kettle', 'teapot --catalog', './viewer', 'make -n'];
const bash = (command: string) => ['bash', { command }] as const;

/** Calls that read, change and search files, by tools, editors, commands and patches, and others that do not. */
const calls: fc.Arbitrary<readonly [name: string, input: unknown]> = fc
  .tuple(fc.constantFrom(...FILES), fc.constantFrom(...OTHERS))
  .chain(([file, other]) => {
    const kinds: readonly (readonly [string, unknown])[] = [
      ['read', { filePath: file }],
      ['mcp__disk__read_file', { path: file }],
      ['NotebookEdit', { notebook_path: file }],
      ['grep', { pattern: other, path: file }],
      ...['view', 'create', 'str_replace', 'insert', 'undo_edit'].map(
        (command) => ['str_replace_editor', { command, path: file }] as const,
      ),
      ['exec_command', { cmd: `sed -n '1,20p' ${file}` }],
      ['shell', { command: ['bash', '-lc', `cd src && nl -ba ${file}`] }],
      ['shell', { command: ['cat', file] }],
      ['run', { script: `head -5 ${file}` }],
      ['apply_patch', `*** Begin Patch\n*** Update File: ${file}\n+cat x\n*** End Patch`],
      ['apply_patch', { patchText: `*** Add File: ${file}` }],
      bash(`cat ${file} | head -20`),
      bash(`sed -i.bak 's/a/b/' "${file}"`),
      bash(`${other} ${file} 2>/dev/null`),
      bash(`${other} > ${file} 2>&1`),
      bash(`cat >> ${file} <<'END'\nrm ${file}\nEND`),
      bash(`git mv ${file} other.ts && rm -f ${file}`),
      bash(`sudo tail -n 3 ${file}; echo ${other}`),
      bash(`${other} ${file}`),
      bash(`cat $(${other})`),
    ];
    return fc.constantFrom(...kinds);
  });

describe('a redacted call', () => {
  it.each(['view', 'create', 'str_replace', 'insert', 'undo_edit'])(
    'still tells an editor to %s',
    (command) => {
      const { input } = redactCall('str_replace_editor', { command, path: 'src/kettle.ts' });
      expect(input).toEqual({
        command,
        path: expect.stringMatching(/^(?!src)\w{3}\/\w{6}\.\w\w$/),
      });
    },
  );

  it.each<[string, string, RegExp]>([
    [
      'keeps what reads a file, and replaces its path',
      "sed -n '1,5p' src/kettle.ts",
      /^sed -n '\d,\d[a-z]' (?!src)[a-z]{3}\/(?!kettle)[a-z]{6}\.(?!ts)[a-z]{2}$/,
    ],
    [
      'replaces a program that is not listed',
      'teapot lid.md',
      /^(?!teapot)[a-z]{6} (?!lid)[a-z]{3}\./,
    ],
    ['replaces a listed word that is no program', 'teapot cat', /^[a-z]{6} (?!cat)[a-z]{3}$/],
    [
      'replaces what editors are told, in a sentence',
      'view it',
      /^(?!view)[a-z]{4} (?!it)[a-z]{2}$/,
    ],
    ['replaces a verb in other letters', 'CAT lid.md', /^(?!CAT)[A-Z]{3} /],
  ])('%s', (_, command, pattern) => {
    expect((redactCall('bash', { command }).input as { command: string }).command).toMatch(pattern);
  });

  it('is never replaced by one that says something else of files', () => {
    const letters = Array.from('abcdefghijklmnopqrstuvwxyz');
    const words = letters.flatMap((first) => letters.map((second) => first + second));
    const others = words.filter((word) => !STEERING_WORDS.includes(word));
    const { input } = redactCall('bash', { command: others.join(';') });
    const programs = (input as { command: string }).command.split(';');
    expect(programs).toHaveLength(others.length);
    expect(programs.filter((program) => STEERING_WORDS.includes(program))).toEqual([]);
  });

  it('replaces listed words under other names, in other calls and further down', () => {
    const input = { description: 'cat lid.md', note: { command: 'cat lid.md' } };
    expect(JSON.stringify(redactCall('bash', input).input)).not.toMatch(/cat/);
  });

  it.each<[string, string, RegExp]>([
    [
      'a tool of a server that reads files',
      'mcp__kettle__read_file',
      /^[a-z]{3}__(?!kettle)[a-z]{6}__read_file$/,
    ],
    [
      'no tool that does something else',
      'mcp__kettle__read_mind',
      /__(?!read)[a-z]{4}_(?!mind)[a-z]{4}$/,
    ],
    ['no digits between the letters of one', 'kettle__r4e1a8d', /^(?!kettle)\w{6}__(?!r4e1a8d)/],
  ])('keeps of its name %s', (_, name, pattern) => {
    expect(redactCall(name, {}).tool).toMatch(pattern);
  });
});

describe('a redacted session', () => {
  it('reads, writes and reads again as many files as the original', () => {
    const totals = { reads: 0, writes: 0, reReads: 0, staleOutputs: 0 };
    assertReaching(
      fc.property(fc.array(calls, { minLength: 1, maxLength: 12 }), (list) => {
        const twice = list.flatMap((each) => [each, each]);
        const messages = twice.map(([name, input], index) =>
          step(`s${index}`, [call(`t${index}`, name, input)]),
        );
        const session = sessionOf([user('u1', 'go'), ...messages]);
        const use = fileUseOf(session);
        expect(fileUseOf(newRedactor().redact(session))).toEqual(use);
        for (const key of Object.keys(totals) as (keyof typeof totals)[]) totals[key] += use[key];
      }),
      { numRuns: 60 },
    );
    expect(Math.min(...Object.values(totals))).toBeGreaterThan(10);
  });

  it.each(Object.keys(workloads))('of the workload %s uses files as the original', (name) => {
    const session = generateSession(findWorkload(name), { seed: 1, index: 2 });
    const use = fileUseOf(session);
    expect(use.reads).toBeGreaterThan(0);
    expect(fileUseOf(newRedactor().redact(session))).toEqual(use);
  });
});

const SALTS = ['a', 'b', 'c', 'd'];

/** Sessions, short to long, whose people and models write one language. */
function sessionsIn(language: Language) {
  const workload = { ...findWorkload('claude-code'), languages: { [language]: 1 } };
  return [8, 10, 2].map((index) => generateSession(workload, { seed: 1, index }));
}

describe.each(['japanese', 'chinese'] as const)('redacted sessions in %s', (language) => {
  const sessions = sessionsIn(language);

  it.each(SALTS)('have nearly the tokens that they had, under salt %s', (salt) => {
    for (const session of sessions) {
      const [before, after] = [tokensOf(session), tokensOf(newRedactor(salt).redact(session))];
      expect(Math.abs(after - before) / before).toBeLessThan(0.05);
    }
  });

  const trials = sessions
    .slice(0, 2)
    .flatMap((session) => tryOut({ session, redacted: newRedactor('a').redact(session) }));

  it.each(['opencode-1.2.16', 'document-002', 'claude-code'] as const)(
    'hit the same thresholds and prune the same under %s',
    (name) => {
      const policy = policies[name];
      expect(trials).toHaveLength(2);
      for (const { before, after, contextTokens } of trials) {
        const expected = outcomeOf(before, policy, contextTokens);
        const got = outcomeOf(after, policy, contextTokens);
        expect(expected.hits.overflows).toBeGreaterThan(0);
        expect(got.hits).toEqual(expected.hits);
        expect(got.prunes).toEqual(expected.prunes);
      }
    },
  );
});
