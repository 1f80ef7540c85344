import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../../src/simulator/events.ts';
import {
  createRegretFold,
  NO_REGRET,
  type RegretTotals,
} from '../../../src/simulator/metrics/regret.ts';
import { changedTo, pivot, PRICES, prune, start, step, unpricedStart } from './events.ts';

type Of<Type extends RunEvent['type']> = Extract<RunEvent, { readonly type: Type }>;

/** A need of an output of 1,000 tokens of step 1, which a call of 20 tokens brings back. */
const need = (overrides: Partial<Of<'reference'>> = {}): Of<'reference'> => ({
  type: 'reference',
  step: 6,
  kind: 'quoted',
  document: 1,
  messageId: 's6',
  partId: 'p1',
  sinceStep: 1,
  tokens: 1_000,
  callTokens: 20,
  isFileRead: true,
  ...overrides,
});
const miss = (overrides: Partial<Of<'reference'>> = {}) =>
  need({ missedBy: 'prune', ...overrides });

/** Ten steps of 500 tokens each, with what happens before the end of each. */
const tenSteps = (
  happens: Readonly<Record<number, readonly RunEvent[]>>,
  coldSteps = 0,
): readonly RunEvent[] =>
  Array.from({ length: 10 }, (_, index) => [
    ...(happens[index + 1] ?? []),
    step({ step: index + 1, contextTokens: 500, isCold: index < coldSteps }),
  ]).flat();

const totalsOf = (events: readonly RunEvent[]) => {
  const fold = createRegretFold();
  for (const event of events) fold.add(event);
  return fold.end();
};

const standing = (at: Of<'standing'>['at'], gone: number): Of<'standing'> => ({
  type: 'standing',
  at,
  constraints: 3,
  paths: 4,
  goneConstraints: ['constraint-1', 'constraint-3'].slice(0, gone),
  gonePaths: ['path-2'].slice(0, gone),
  fileReads: 7,
  callLoops: 0,
});

describe('the regret of a run', () => {
  // A token costs 1.25 nano-dollars written to the cache, 0.1 read from it, and 2 as output. Each miss is 1,250 for
  // the write, 40 for the call and 50 for the step that makes it, and 100 for each step that carries it on.
  it.each<[name: string, events: readonly RunEvent[], nanoUsd: number]>([
    ['nothing where nothing was missed', tenSteps({ 6: [need()] }), 0],
    [
      'carried as long as it had been there: cleared after step 3, so for two steps',
      tenSteps({ 4: [prune()], 6: [miss()] }),
      1_250 + 40 + 50 + 200,
    ],
    [
      'carried up to the next pivot only: one step on',
      tenSteps({ 4: [prune()], 6: [miss()], 8: [pivot()] }),
      1_250 + 40 + 50 + 100,
    ],
    [
      'carried as long as before the pivot that hid it',
      tenSteps({ 6: [pivot(), miss({ sinceStep: 2, missedBy: 'pivot' })] }),
      1_250 + 40 + 50 + 300,
    ],
    [
      'carried as long as it is known to have been there, also where it was cleared later than another prune',
      tenSteps({ 4: [prune()], 6: [miss({ goneAfter: 4, sinceStep: 3 })] }),
      1_250 + 40 + 50 + 100,
    ],
    [
      'carried as long as it was in a window that no event tells of',
      tenSteps({ 6: [miss({ goneAfter: 4, sinceStep: 1, missedBy: 'pivot' })] }),
      1_250 + 40 + 50 + 300,
    ],
    [
      'carried up to the end of the run only',
      tenSteps({ 4: [prune()], 9: [miss({ step: 9 })] }),
      1_250 + 40 + 50 + 100,
    ],
    [
      'carried up to that end, which steps that only read again do not put off',
      [
        ...Array.from({ length: 10 }, () => step({ reread: 1 })),
        ...tenSteps({ 4: [prune()], 9: [miss({ step: 9 })] }),
      ],
      1_250 + 40 + 50 + 100,
    ],
    [
      'not carried on by the last step',
      tenSteps({ 4: [prune()], 10: [miss({ step: 10 })] }),
      1_250 + 40 + 50,
    ],
    [
      'carried at the price of writes in the share of steps whose cache had run out: half of ten',
      tenSteps({ 4: [prune()], 6: [miss()] }, 5),
      Math.round(1_250 + 40 + 0.675 * 2_500),
    ],
    [
      'carried at that price in the share of all steps, those that only read again included',
      [
        ...Array.from({ length: 10 }, () => step({ reread: 1, isCold: true })),
        ...tenSteps({ 4: [prune()], 6: [miss()] }),
      ],
      Math.round(1_250 + 40 + 0.675 * 2_500),
    ],
    [
      'carried as long as it had been there before it was cleared first',
      tenSteps({ 4: [prune()], 5: [prune()], 6: [miss()] }),
      1_250 + 40 + 50 + 200,
    ],
    [
      'without a call where none brings it back',
      tenSteps({ 4: [prune()], 6: [miss({ callTokens: 0 })] }),
      1_250 + 50 + 200,
    ],
    [
      'two misses of one step, each with a step of its own',
      tenSteps({ 4: [prune({ partIds: ['p1', 'p2'] })], 6: [miss(), miss({ partId: 'p2' })] }),
      2 * (1_250 + 40 + 50 + 200),
    ],
    [
      'carried as long as to the prune that fired, not to one that did not',
      tenSteps({ 3: [prune({ state: 'below-minimum' })], 4: [prune()], 6: [miss()] }),
      1_250 + 40 + 50 + 200,
    ],
  ])('is %s', (_, events, nanoUsd) => {
    expect(totalsOf([start(), ...events]).regretNanoUsd).toBe(nanoUsd);
  });

  it.each<[name: string, overTokens: number, nanoUsd: number]>([
    ['of the smaller one for requests of just that size', 1_500, 1_250 + 40 + 50 + 200],
    ['of the larger one for those that carry the part', 1_499, 2 * 1_250 + 40 + 50 + 2 * 200],
    ['of the larger one for the call as well', 499, 2 * (1_250 + 40 + 50 + 200)],
  ])('has the prices %s, where they double with the size', (_, overTokens, nanoUsd) => {
    const doubled = {
      inputPicoUsd: 2 * PRICES.inputPicoUsd,
      outputPicoUsd: 2 * PRICES.outputPicoUsd,
      cacheReadPicoUsd: 2 * PRICES.cacheReadPicoUsd,
      cacheWritePicoUsd: 2 * PRICES.cacheWritePicoUsd,
    };
    const prices = { ...PRICES, tiers: [{ ...doubled, overTokens }] };
    const events = tenSteps({ 4: [prune()], 6: [miss()] });
    expect(totalsOf([start(prices), ...events]).regretNanoUsd).toBe(nanoUsd);
  });

  it('has at each step the price of the size of that step', () => {
    const prices = { ...PRICES, tiers: [{ ...PRICES, cacheReadPicoUsd: 300, overTokens: 1_600 }] };
    const events = tenSteps({ 4: [prune()], 6: [miss()] }).map((event) =>
      event.type === 'step-end' && event.step === 8 ? { ...event, contextTokens: 601 } : event,
    );
    expect(totalsOf([start(prices), ...events]).regretNanoUsd).toBe(1_250 + 40 + 50 + 100 + 300);
  });

  it('has the prices of the model that the step was sent to', () => {
    const free = { inputPicoUsd: 0, outputPicoUsd: 0, cacheReadPicoUsd: 0, cacheWritePicoUsd: 0 };
    const events = tenSteps({ 4: [prune()], 5: [changedTo(free)], 6: [miss()] });
    expect(totalsOf([start(), ...events]).regretNanoUsd).toBe(0);
    const before = tenSteps({ 4: [prune()], 6: [miss()], 7: [changedTo(free)] });
    expect(totalsOf([start(), ...before]).regretNanoUsd).toBe(1_250 + 40 + 50 + 200);
  });

  it('is unknown where a price is', () => {
    expect(totalsOf([unpricedStart, ...tenSteps({ 6: [miss()] })])).not.toHaveProperty(
      'regretNanoUsd',
    );
  });
});

describe('what was lost', () => {
  const recall = need({ kind: 'recalled', calls: 1 });
  it.each<[name: string, events: readonly RunEvent[], totals: Partial<RegretTotals>]>([
    ['nothing', [], {}],
    [
      'references and misses, with their tokens',
      [need(), miss({ tokens: 300 }), step()],
      { references: 2, referencedTokens: 1_300, misses: 1, missedTokens: 300, regretMs: 3_400 },
    ],
    [
      'how long reading them again takes: to the first token, and the tool where one does',
      [miss({ tokens: 300 }), miss({ tokens: 300, callTokens: 0 }), step()],
      { references: 2, referencedTokens: 600, misses: 2, missedTokens: 600, regretMs: 6_500 },
    ],
    [
      'evictions, whatever took them out',
      [
        { type: 'eviction', by: 'prune', parts: 3 },
        { type: 'eviction', by: 'window', parts: 2 },
      ],
      { evictions: 5, hasSlid: true },
    ],
    [
      'reads of files that gave the same again; other calls are none',
      [recall, need({ kind: 'recalled', calls: 1, document: 2, isFileRead: false })],
      { references: 2, referencedTokens: 2_000, fileRereads: 1 },
    ],
    [
      'a loop at the third call of the same, and no second one at the fourth',
      [recall, recall, recall],
      { references: 3, referencedTokens: 3_000, fileRereads: 3, loops: 1 },
    ],
    [
      'every call of a step that gives the same again, whatever else says that it is needed',
      [need({ kind: 'declared', calls: 2 }), need({ document: 2 })],
      { references: 2, referencedTokens: 2_000, fileRereads: 2, loops: 1 },
    ],
    [
      'no loop of two calls each',
      [recall, need({ kind: 'recalled', calls: 1, document: 2 })],
      { references: 2, referencedTokens: 2_000, fileRereads: 2 },
    ],
    [
      'steps that only read again, which make a loop as well',
      [step({ reread: 4 }), step(), step({ reread: 4 })],
      { rereadSteps: 2, loops: 1 },
    ],
    [
      'the files that such steps read, among all reads and among those of a second time',
      [
        step({ reread: 4, isFileReread: true }),
        step({ reread: 5, isFileReread: false }),
        standing('run-end', 0),
      ],
      { constraints: 3, paths: 4, rereadSteps: 2, fileReads: 8, fileRereads: 1 },
    ],
    [
      'useless tokens at each step until they are gone',
      [
        step(),
        { type: 'stale-kept', tokens: 100 },
        step(),
        step(),
        { type: 'stale-kept', tokens: 0 },
        step(),
      ],
      { staleTokens: 200 },
    ],
    [
      'what stands at the end, not at a pivot',
      [standing('run-end', 1), standing('pivot', 2)],
      { constraints: 3, goneConstraints: 1, paths: 4, gonePaths: 1, fileReads: 7 },
    ],
  ])('counts %s', (_, events, totals) => {
    expect(totalsOf(events)).toEqual({ ...NO_REGRET, ...totals });
  });
});
