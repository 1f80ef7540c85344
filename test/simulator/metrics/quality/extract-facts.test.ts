import { describe, expect, it } from 'vitest';
import { rulesIn, viewText } from '../../../../src/simulator/metrics/quality/extract-facts.ts';
import { scoreText } from '../../../../src/simulator/metrics/quality/score-text.ts';
import { planted } from '../../../support/facts.ts';
import { step, summary, text, toolIn, user } from '../../../support/history.ts';

const long = (chars: number) => `You must never ${'x'.repeat(chars)}`.slice(0, chars);

describe('rulesIn', () => {
  it('gives the sentences that say what must or must not be done, and where they start', () => {
    const text = 'I never said so. Mend the lid.  Never touch main! Ask me.\nYou must brew it';
    expect(rulesIn(text)).toEqual([
      { sentence: 'Never touch main!', start: 30 },
      { sentence: 'You must brew it', start: 58 },
    ]);
  });

  it('takes what is longer than three hundred characters for no rule', () => {
    expect(rulesIn(long(300))).toHaveLength(1);
    expect(rulesIn(long(301))).toEqual([]);
  });
});

const fact = (value: string) => planted({ id: value, value, source: 'tool' });

const SUMMARY = 'The ledger is cfg-summary1.';
const output = (value: string, compactedAt?: number) =>
  toolIn('c', {
    status: 'completed',
    input: { command: 'show' },
    output: `It is ${value}.`,
    ...(compactedAt !== undefined && { compactedAt }),
  });
const VIEW = [
  summary('s', 'm', { parts: [text('t', SUMMARY)] }),
  user('u', 'Now take cfg-tail1.', text('i', 'cfg-ignored1', { ignored: true })),
  step('a', [
    output('cfg-output1'),
    output('cfg-cleared1', 5),
    toolIn('c', { status: 'completed', input: { query: { id: 'cfg-input1' } }, output: '' }),
    toolIn('c', { status: 'error', input: {}, error: 'cfg-error1', partialOutput: 'cfg-part1' }),
    { type: 'reasoning', id: 'r', text: 'Perhaps cfg-thought1.' },
  ]),
];
const FACTS = ['summary', 'tail', 'output', 'cleared', 'ignored', 'input', 'error', 'part']
  .map((place) => fact(`cfg-${place}1`))
  .concat(fact('cfg-thought1'));
const kept = (shown: string) =>
  scoreText({ text: shown, facts: FACTS }).facts.flatMap(({ id, isKept }) => (isKept ? [id] : []));

it('keeps what the summary, the tail and outputs say that were not cleared', () => {
  const all = FACTS.map(({ id }) => id);
  const lost = ['cfg-cleared1', 'cfg-ignored1'];
  expect(kept(viewText(VIEW))).toEqual(all.filter((id) => !lost.includes(id)));
  expect(kept(SUMMARY)).toEqual(['cfg-summary1']);
});
