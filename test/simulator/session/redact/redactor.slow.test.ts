import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sessionFormats } from '../../../../src/simulator/session/formats.ts';
import type { Message, Part } from '../../../../src/engine/index.ts';
import { pivotedHistories } from '../../../support/arbitraries.ts';
import { step, tool, toolIn, user } from '../../../support/history.ts';
import { alphabets, textOf } from '../../../support/texts.ts';
import { newRedactor, sessionOf, tokenizer, written } from './redactors.ts';
import { secrets, around, plant, SPOKEN, inJson, windowsOf } from './secrets.ts';

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
        expect(shapeOf(redactor.redact(session))).toEqual(shapeOf(session));
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

  it('still has the same shape and tokens when it is redacted again', () => {
    const value = 'The quick brown fox jumps over the lazy dog, said the getKettleLid() of tea.ts.';
    const once = redactText(value);
    expect(redactText(once)).toHaveLength(value.length);
    expect(tokenizer.count(redactText(once))).toBe(tokenizer.count(value));
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
        expect(shapeOf(redactor.redact(session))).toEqual(shapeOf(session));
      }),
      { numRuns: 15 },
    );
  });

  it('counts what it replaced and what it kept', () => {
    const redactor = newRedactor();
    redactor.redact(sessionOf([user('u1', 'one two'), step('s', [tool('t', 'out')])]));
    const { tokenizer: name, replaced, kept } = redactor.report();
    expect(name).toBe('o200k_base');
    expect(replaced).toMatchObject({ text: 1, output: 1, name: 1 });
    expect(kept).toMatchObject({ role: 2, type: 2, tool: 1, format: 1 });
  });
});
