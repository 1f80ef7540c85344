import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { retold } from '../../support/retold.ts';
import type { Part } from '../../../src/engine/index.ts';
import {
  addCounts,
  countSession,
  NO_COUNTS,
  numbered,
  toSessionPath,
} from '../../../src/simulator/session/import.ts';
import { text, tool, toolIn } from '../../support/history.ts';
import {
  boundary,
  call,
  prompt,
  readLines,
  result,
  step,
  system,
} from './formats/claude-code-lines.ts';

const micro = system('microcompact_boundary', { microcompactMetadata: { preTokens: 9 } });
const session = readLines(
  prompt('Is the kettle on?'),
  step('a', call('1')),
  result('1'),
  step('b', call('2')),
  result('2', 'no hands', { is_error: true }),
  step('c', call('3')),
  result('lost'),
  micro,
  boundary,
  prompt('And now?'),
  micro,
);

describe('countSession', () => {
  it('counts what is there, outputs without a call among it', () => {
    expect(countSession(session)).toEqual({
      sessions: 1,
      messages: 5,
      toolOutputs: 3,
      compactions: { full: 1, micro: 2 },
      dropped: { 'tool result without a call': 1 },
      repaired: {},
    });
  });
});

describe('an output', () => {
  it.each<[string, Part, number]>([
    ['of a call that ended', tool('a', 'x'), 1],
    ['that is empty', tool('a', ''), 1],
    ['that failed', toolIn('a', { status: 'error', input: {}, error: '' }), 1],
    ['that did not come', toolIn('a', { status: 'running', input: {} }), 0],
    ['that a provider kept', tool('a', '', { tool: 'web_search' }), 0],
    ['of a search that was recorded', tool('a', 'x', { tool: 'web_search' }), 1],
    ['that is a text', text('a', 'x'), 0],
  ])('%s', (_, part, expected) => {
    const [asked] = session.messages;
    const messages = [{ ...asked!, parts: [part] }];
    const report = { dropped: {}, repaired: {} };
    expect(countSession({ ...session, messages, report }).toolOutputs).toBe(expected);
  });

  it('that became a text is one', () => {
    const report = { dropped: {}, repaired: { 'tool result kept as a text': 2 } };
    expect(countSession({ ...session, messages: [], report }).toolOutputs).toBe(2);
  });
});

describe('addCounts', () => {
  it('adds all numbers, and reasons one by one', () => {
    const counts = countSession(session);
    const other = { ...counts, dropped: { __proto: 1 }, repaired: { 'repeated id': 2 } };
    expect(addCounts(addCounts(NO_COUNTS, counts), other)).toEqual({
      sessions: 2,
      messages: 10,
      toolOutputs: 6,
      compactions: { full: 2, micro: 4 },
      dropped: { 'tool result without a call': 1, __proto: 1 },
      repaired: { 'repeated id': 2 },
    });
  });
});

const pathOf = (file: string, inputs: readonly string[], index = '') =>
  toSessionPath({ file, name: `${file}${index}` }, inputs);

describe('toSessionPath', () => {
  it('names what it named', async () => {
    const path = join(import.meta.dirname, '../../fixtures/session-paths.txt');
    const text = retold(path, (line) => {
      const [file = '', input = '', index] = JSON.parse(line) as readonly string[];
      return [pathOf(file, [input], index)];
    });
    await expect(text).toMatchFileSnapshot(path);
  });

  it('takes what is below the nearest of the inputs', () => {
    expect(pathOf('a/b/c/d.json', ['a', 'a/b/c', 'a/b'])).toBe('d.jsonl');
  });

  it('cuts what is too long', () => {
    expect(pathOf(`x/${'y'.repeat(500)}.json`, ['x'])).toBe(`${'y'.repeat(100)}.jsonl`);
  });

  it('never leads out of the folder, to something hidden or to what no system could write', () => {
    const odd = fc.constantFrom('.', '/', '\\', '\0', ' ', 'a', ':', '-', '\u202e', '.json', 'con');
    const paths = fc.array(odd, { minLength: 1, maxLength: 12 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(paths, (path) => {
        const written = pathOf(`in/${path}`, ['in']);
        for (const segment of written.split('/')) {
          expect(segment).toMatch(/^[\p{L}\p{N}_-][\p{L}\p{N}._-]*$/u);
          expect(segment).not.toMatch(/\.$/);
        }
        expect(written.endsWith('.jsonl')).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

describe('numbered', () => {
  it('stands in front of the extension, from the second on', () => {
    expect([1, 2, 11].map((number) => numbered('x/a.b.jsonl', number))).toEqual([
      'x/a.b.jsonl',
      'x/a.b-2.jsonl',
      'x/a.b-11.jsonl',
    ]);
  });
});
