import { describe, expect, it } from 'vitest';
import { HarnessError } from '../../../src/simulator/lib/errors.ts';
import type { SummaryRequest } from '../../../src/simulator/summarizer/summarizer.ts';
import { findSummarizer, summarizers } from '../../../src/simulator/summarizer/summarizers.ts';
import { describeSummarizer } from '../../contracts/summarizer.ts';
import { user } from '../../support/history.ts';
import { toolsWith } from './counters.ts';

const count = (text: string) => Math.ceil(text.length / 4);
const SCRIPTED_RUNS = 20;
const BASELINES = ['lead', 'tail', 'random', 'textrank'];
const BASELINE_RUNS = 12;
/** Those that fail, and those without a text. */
const TEXTLESS = /^scripted:(?:fail|429|500|abort|empty|reasoning)(?:=|$)/;

describeSummarizer('extractive', { cap: 'fits' });
for (const name of BASELINES) describeSummarizer(name, { cap: 'fits', runs: BASELINE_RUNS });
const NUMBERED =
  'ratio=0.25 tokens=25 grow=2 cut=30 429=30 500=503 slow=1.5 abort=7 overflow=500 lossy=0.9';
for (const name of [
  ...Object.keys(summarizers).filter((each) => each.startsWith('scripted:')),
  ...NUMBERED.split(' ').map((each) => `scripted:${each}`),
])
  describeSummarizer(name, { cap: TEXTLESS.test(name) ? 'never' : 'cuts', runs: SCRIPTED_RUNS });

describe('summarizers', () => {
  it('are the scripted ones, the baselines and the extractive one', () => {
    const others = Object.keys(summarizers).filter((name) => !name.startsWith('scripted:'));
    expect(others).toEqual(['extractive', ...BASELINES]);
  });

  it.each(['extractive', ...BASELINES])(
    '%s is as long as is usual, and never longer than allowed',
    (name) => {
      const messages = Array.from({ length: 400 }, (_, at) =>
        user(`u${at}`, `Please look at src/part-${at}.ts, where step ${at} of the plan failed.`),
      );
      const tokensOf = (over: Partial<SummaryRequest>) => {
        const request = { system: '', messages, prompt: 'Sum up.', ...over };
        const answer = findSummarizer(name).summarise(request, toolsWith(count));
        return answer.state === 'finished' ? count(answer.text) : Number.NaN;
      };
      const usual = tokensOf({ targetTokens: 1_000, outputCapTokens: 20_000 });
      expect(usual).toBeGreaterThan(700);
      expect(usual).toBeLessThanOrEqual(1_000);
      expect(tokensOf({ targetTokens: 1_000, outputCapTokens: 300 })).toBeLessThanOrEqual(300);
    },
  );

  it.each(Object.entries(summarizers))('%s is described in one line', (_, { describes }) => {
    expect(describes).toMatch(/^[A-Z][^\n]{10,88}[^.\n]$/);
  });
});

describe('findSummarizer', () => {
  it('takes `scripted` for `scripted:ratio`', () => {
    expect(findSummarizer('scripted').name).toBe('scripted:ratio');
  });

  it.each([
    ['scripted:ratio', 100],
    ['scripted:ratio=0.25', 250],
    ['scripted:ratio=.5', 500],
    ['scripted:ratio=10', 10_000],
    ['scripted:tokens', 1_000],
    ['scripted:tokens=40', 40],
  ])('%s answers 1,000 tokens with %i', (name, expected) => {
    const request = { system: '', messages: [user('u', 'x'.repeat(4_000))], prompt: '' };
    const answer = findSummarizer(name).summarise(request, toolsWith());
    const text = answer.state === 'finished' ? answer.text : '';
    expect(Math.abs(text.length / 4 - expected)).toBeLessThanOrEqual(2);
  });

  it.each([
    ['ratio', ['', '0', '-1', '10.1', 'NaN', 'Infinity', '0x1', '1e1', ' 1', '0.1=0.2']],
    ['tokens', ['', '0', '1.5', '-1', '100001']],
    ['lossy', ['0', '1.1']],
  ])('refuses the numbers of scripted:%s=%j', (name, numbers) => {
    const codes = numbers.map((number) => codeOf(`scripted:${name}=${number}`));
    expect(new Set(codes)).toEqual(new Set(['BAD_OPTION']));
  });

  it('knows no other names', () => {
    const names = ['', 'extract', 'scripted:', 'scripted:ratios', 'scripted:empty=1', '__proto__'];
    const codes = [...names, 'toString'].map(codeOf);
    expect(new Set(codes)).toEqual(new Set(['UNKNOWN_NAME']));
  });

  it.each(['ai:openai/gpt-5-mini', 'cassette:recordings'])(
    'gives nothing that waits: %s',
    (name) => {
      expect(() => findSummarizer(name)).toThrow(/^Expected a summarizer that answers at once/);
    },
  );

  it('says what it expected', () => {
    expect(() => findSummarizer('scripted:ratio=\u001b[31m')).toThrowErrorMatchingInlineSnapshot(
      `[HarnessError: Expected the ratio in 'scripted:ratio=\\u001b[31m' to be a number above 0 and at most 10, as in 'scripted:ratio=0.25'.]`,
    );
  });
});

function codeOf(name: string): string | undefined {
  try {
    findSummarizer(name);
  } catch (error) {
    if (error instanceof HarnessError) return error.code;
    throw error;
  }
  return undefined;
}
