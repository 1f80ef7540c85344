import { describe, expect, it } from 'vitest';
import { type Message, policies } from '../../../src/engine/index.ts';
import { createPages } from '../../../src/simulator/replay/pages.ts';
import { marker, step, text, tool, user } from '../../support/history.ts';
import { measuredBasis } from '../../support/sample-report.ts';
import { countTokens } from './lab.ts';

const RENDER = policies['opencode-1.2.16'].render;
const pages = () => createPages({ basis: measuredBasis, count: countTokens, render: RENDER });
const overloaded = { name: 'APIError', message: 'overloaded' };
const summary = (words: string): Message => step('s1', [text('p1', words)], { summary: true });
const call = () => step('s1', [tool('t1', 4)]);

describe('the page of a message', () => {
  it.each<[string, () => Message]>([
    ['a prompt', () => user('u1', 'go on')],
    ['a step', () => step('s1', [text('p1', 'done')])],
    ['a summary', () => summary('so far')],
    ['a step that failed', () => step('s1', [text('p1', 'a')], { error: overloaded })],
    ['a step without an end', () => step('s1', [text('p1', 'a')], { finish: undefined })],
  ])('is the same one for %s that another run made', (_, make) => {
    const pageOf = pages();
    expect(pageOf(make())).toBe(pageOf(make()));
  });

  it('is the same one for a marker before and after it keeps a tail', () => {
    const pageOf = pages();
    const kept = marker('c1', { tailStartId: 'u1' });
    expect(pageOf(kept)).toBe(pageOf(marker('c1')));
    expect(pageOf(user('c1', text('c1-0', 'a')))).not.toBe(pageOf(kept));
  });

  it('is the same one where a run comes back to what it said before others went on', () => {
    const pageOf = pages();
    pageOf(user('u1', 'go on'));
    const [first, second, third] = [0, 1, 2].map(() => user('u1', 'go on'));
    const [page] = [first, second, third, user('u1', 'stop')].map((message) => pageOf(message!));
    expect(pageOf(second!)).toBe(page);
  });

  it('is another one for a step that failed with the same list of parts', () => {
    const pageOf = pages();
    const whole = step('s1', [text('p1', 'a')]);
    expect(pageOf({ ...whole, error: overloaded })).not.toBe(pageOf(whole));
  });

  it.each<[string, Message, Message]>([
    ['other words', user('u1', 'go on'), user('u1', 'stop')],
    ['a summary of other words', summary('so far'), summary('so good')],
    ['more parts', step('s1', [text('p1', 'a')]), step('s1', [text('p1', 'a'), text('p2', 'b')])],
    ['a summary of what a step said', step('s1', [text('p1', 'a')]), summary('a')],
    ['another role', user('s1', text('p1', 'a')), step('s1', [text('p1', 'a')])],
    [
      'another field',
      user('u1', text('p1', 'a')),
      user('u1', text('p1', 'a', { synthetic: true })),
    ],
    ['calls of its own', call(), call()],
    [
      'an error',
      step('s1', [text('p1', 'a')]),
      step('s1', [text('p1', 'a')], { error: overloaded }),
    ],
    [
      'another error',
      step('s1', [text('p1', 'a')], { error: overloaded }),
      step('s1', [text('p1', 'a')], { error: { ...overloaded, name: 'MessageAbortedError' } }),
    ],
    ['no end', step('s1', [text('p1', 'a')]), step('s1', [text('p1', 'a')], { finish: undefined })],
    ['another id', user('u1', 'go on'), user('u2', 'go on')],
  ])('is another one with %s', (_, one, other) => {
    const pageOf = pages();
    expect(pageOf(one)).not.toBe(pageOf(other));
  });
});
