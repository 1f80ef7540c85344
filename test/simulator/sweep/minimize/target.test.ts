import { describe, expect, it } from 'vitest';
import { policies } from '../../../../src/engine/index.ts';
import type { Summarizer } from '../../../../src/simulator/summarizer/summarizer.ts';
import {
  isShown,
  parseExpression,
  policySubject,
  runFor,
} from '../../../../src/simulator/sweep/minimize/target.ts';
import { user } from '../../../support/history.ts';
import { chat, fixed, modelOf, traceOf } from '../../replay/lab.ts';
import { read, say } from '../../replay/references/sessions.ts';

const options = {
  policy: policies['opencode-1.2.16'],
  model: modelOf(),
  seed: 1,
  summarizer: fixed,
};
const long = chat(3, 4_600);
/** The last step says what the first one read. */
const quoting = [
  user('u1', 'Read it.'),
  read('s1', 'src/parse.ts', 'parseQueryString stands here'),
  user('u2', 'Where is it?'),
  say('s2', 'parseQueryString'),
];

describe('runFor', () => {
  it.each([
    ['misses = 0', true],
    ['boundMisses = 0', true],
    ['missRate = 0', true],
    ['compactions = 0', false],
    ['costSavedUsd = 0', false],
    ['state = completed', false],
  ])('of %s watches what was referred to: %s', async (text, isWatched) => {
    const wanted = { subject: policySubject, target: parseExpression(text) };
    const { events } = await runFor(wanted, traceOf(quoting), options);
    expect(events.some(({ type }) => type === 'reference')).toBe(isWatched);
  });

  it('has failed where it breaks off, with what came before and the reason', async () => {
    const summarizer: Summarizer = {
      ...fixed,
      summarise: () => {
        throw new RangeError('The kettle is empty.');
      },
    };
    const target = parseExpression('compactions unknown');
    const wanted = { subject: policySubject, target };
    const shown = await runFor(wanted, traceOf(long), { ...options, summarizer });
    expect(shown).toMatchObject({ state: 'failed', reason: 'The kettle is empty.', metrics: {} });
    expect(shown.events.map(({ type }) => type)).toContain('step-end');
    expect(isShown(target, shown)).toBe(true);
    expect(isShown(parseExpression('state = failed'), shown)).toBe(true);
  });
});
