import { expect, it } from 'vitest';
import type { TuneReport, TuneVerdict } from '../../../src/simulator/report/tune-report.ts';
import { verdictSentences } from '../../../src/simulator/report/tune-verdict.ts';
import { sampleTuneReport } from '../../support/sample-tune-report.ts';

const { advice } = sampleTuneReport();

/** A tenth saved at the cost of some losses by an earlier trigger. */
const found: TuneVerdict = {
  state: 'better',
  change: { triggerFraction: 0.7 },
  costUsd: { from: 100, to: 90, low: 85, high: 97 },
  losses: { from: 4, to: 9 },
  sessions: 9,
  sessionsNeeded: null,
};

const sentencesOf = (
  verdict: Partial<TuneVerdict>,
  overrides: Partial<TuneReport> = { advice: { ...advice, state: 'change' } },
) =>
  verdictSentences(
    sampleTuneReport({
      today: { settings: { triggerFraction: 0.84 }, state: 'dominated', values: [], distance: 1 },
      ...overrides,
      verdict: { ...found, ...verdict },
    }),
  );

const EFFECT = 'Over 9 sessions: cost $100.00 → $90.00 (-10.0 %), losses 4 → 9.';
const CHANGE = 'compact at 70 % of the window instead of 84 %';

it('says what to do, what it saves, what it loses and how sure it is', () => {
  const sure = 'Cost changes by -15 % … -3 % (95 %), judged among 2 changes.';
  expect(sentencesOf({})).toEqual([`Better: ${CHANGE}.`, EFFECT, sure]);
  expect(sentencesOf({}, { advice: { ...advice, state: 'trade-off' } })[0]).toBe(
    `Better on one side only: ${CHANGE}.`,
  );
  expect(sentencesOf({ state: 'worse' })[0]).toBe(`Worse: ${CHANGE}; keep today's settings.`);
});

it('says how many sessions would do where there are too few', () => {
  const few = { state: 'not enough data', sessionsNeeded: 39 } as const;
  expect(sentencesOf(few)).toEqual([
    `Not enough data: ${CHANGE} is the best found, and not shown to be better.`,
    EFFECT,
    'Cost changes by -15 % … -3 % (95 %), judged among 2 changes; about 39 sessions would do.',
  ]);
  expect(sentencesOf({ ...few, sessionsNeeded: null }).at(-1)).toMatch(/nobody can say how many/);
});

it('says where the agent reads no key that sets it', () => {
  expect(sentencesOf({ change: { protect: 1 } }).at(-1)).toBe(
    'OpenCode reads no key that sets protect so.',
  );
  expect(sentencesOf({}, { policy: 'kimi-cli' }).at(-1)).toBe(
    "'kimi-cli' reads no key that sets triggerFraction so.",
  );
});

it('keeps what it says short', () => {
  const all = [
    sentencesOf({}),
    sentencesOf({ state: 'not enough data' }),
    sentencesOf({ change: {} }),
  ];
  for (const sentence of all.flat()) expect(sentence.split(' ').length).toBeLessThanOrEqual(25);
});

it('tells what saves more where the change it judged does nothing, in which it was not tested', () => {
  const misses = { mean: null, bestKnown: null };
  const cheap = { settings: { triggerFraction: 0.5 }, values: [0.6, 9], misses };
  const front = [
    { ...cheap, isToday: false, isKnee: false },
    { ...cheap, settings: { pause: 1_800 }, values: [0.995, 2], isToday: false, isKnee: true },
  ];
  const today: TuneReport['today'] = {
    settings: { triggerFraction: 0.84 },
    state: 'on the front',
    values: [1, 2],
    distance: 0,
  };
  const told = (state: TuneVerdict['state'], members = front) =>
    sentencesOf({ state }, { front: members, today, advice: { ...advice, state: 'keep' } });
  const cheaper =
    'Best on the 6 sessions tuned on, untested on others: triggerFraction=0.5 (Cost $1.00 → $0.6000, Tokens saved 2 → 9 on average).';
  expect(told('no difference that matters').at(-1)).toBe(cheaper);
  expect(told('better')).not.toContain(cheaper);
  const compared = [{ ...cheap, state: 'keep', isKnee: false, broken: [], outcomes: [] }] as const;
  const tested = { advice: { ...advice, state: 'keep', compared }, front, today } as const;
  expect(sentencesOf({ state: 'worse' }, tested)).not.toContain(cheaper);
  expect(told('worse', front.slice(1)).join(' ')).not.toContain('Best on');
});
