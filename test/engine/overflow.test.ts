import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  checkOverflow,
  type CheckpointEntry,
  type CheckpointRuleName,
  checkpointRules,
  explainOverflow,
  isCompactionRequired,
  type Limits,
  type OverflowRule,
  type OverflowRuleName,
  overflowRules,
  selectCheckpointTail,
  type Term,
} from '../../src/engine/index.ts';
import { usage } from '../support/history.ts';

const CAP = 32_000;
/** A model with a long answer, and the same under other declarations of its limits. */
const plain = { contextTokens: 200_000, outputTokens: 64_000 };
const smallOutput = { contextTokens: 200_000, outputTokens: 8_000 };
const noOutput = { contextTokens: 200_000 };
const zeroOutput = { contextTokens: 200_000, outputTokens: 0 };
const capped = { contextTokens: 400_000, inputTokens: 272_000, outputTokens: 128_000 };
const cappedSmallOutput = { ...capped, outputTokens: 8_000 };
const zeroInput = { ...plain, inputTokens: 0 };
const tiny = { contextTokens: 20_000 };
const unknown = { contextTokens: 0 };
const small = { contextTokens: 60_000, outputTokens: 8_000 };

const windows: Readonly<Record<string, Limits>> = {
  plain,
  'small output': smallOutput,
  'no output': noOutput,
  'output of 0': zeroOutput,
  'input cap': capped,
  'input cap, small output': cappedSmallOutput,
  'input cap of 0': zeroInput,
  'input cap near the window': { ...capped, contextTokens: 280_000 },
  'input cap above the window': { ...capped, inputTokens: 500_000 },
  '100,000': { ...plain, contextTokens: 100_000 },
  '64,000': { ...plain, contextTokens: 64_000 },
  small,
  tiny,
  unknown,
};

const rules = Object.keys(overflowRules) as OverflowRuleName[];

/** A term in one line: operations in front of what they take. */
function written(term: Term): string {
  switch (term.type) {
    case 'value':
      return `${term.name} ${term.tokens}`;
    case 'difference':
      return `(${written(term.from)} - ${written(term.less)})`;
    case 'share':
      return `${term.share} of ${written(term.of)}`;
    default:
      return `${term.type}[${term.of.map(written).join(', ')}]`;
  }
}

describe('checkOverflow', () => {
  it('leaves of each window what release history and comparison of peers say', async () => {
    const step = { input: 1, output: 20, reasoning: 300, cacheRead: 4_000, cacheWrite: 50_000 };
    const lines = rules.flatMap((rule) => {
      const options = { rule, outputCapTokens: CAP };
      const { check, counted } = explainOverflow(step, plain, options);
      const { isUnlimited } = explainOverflow(step, unknown, options);
      const kinds = counted.map(({ kind }) => kind).join(' + ');
      const unlimited = isUnlimited ? '' : ', also of an unknown window';
      return [
        `${rule}: ${kinds} ${check.comparison} usable${unlimited}`,
        ...Object.entries(windows).map(([name, limits]) => {
          const { usable } = explainOverflow(step, limits, options);
          return `  ${name}: ${usable.tokens} = ${written(usable)}`;
        }),
      ];
    });
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(
      '../fixtures/snapshots/engine-usable-tokens.txt',
    );
  });

  it.each(rules)('%s: compares a count with what is usable', (rule) => {
    const options = { rule, outputCapTokens: CAP };
    const usableTokens = overflowRules[rule].usable(plain, options);
    const checks = [-1, 0, 1].map((more) =>
      checkOverflow(usage({ input: usableTokens + more }), plain, options),
    );
    const { comparison } = overflowRules[rule];
    expect(checks).toEqual(
      [-1, 0, 1].map((more, index) => ({
        countTokens: usableTokens + more,
        usableTokens,
        comparison,
        isOverflow: [false, comparison === '>=', true][index],
      })),
    );
  });

  it('leaves nothing of an unknown window, whatever the input cap (v1.14.19)', () => {
    const limits = { ...unknown, inputTokens: 272_000 };
    expect(overflowRules['v1.14.19'].usable(limits, { outputCapTokens: CAP })).toBe(0);
  });

  it.each<[OverflowRuleName, string, Limits, number, number]>([
    ['v1.1.57', 'is taken from the window', plain, 50_000, 150_000],
    ['v1.1.57', 'is taken from the input cap', capped, 50_000, 222_000],
    ['v1.1.57', 'of 0 is no reserve', plain, 0, 200_000],
    ['v1.1.60', 'is taken from the input cap', capped, 50_000, 222_000],
    ['v1.1.60', 'may be larger than the default', capped, 20_001, 251_999],
    ['v1.1.60', 'of 0 is no reserve', capped, 0, 272_000],
    ['v1.1.60', 'is ignored without an input cap', plain, 50_000, 168_000],
    ['v1.14.19', 'is taken from the input cap', capped, 50_000, 222_000],
    ['v1.14.19', 'larger than the input cap leaves nothing', capped, 300_000, 0],
    ['v2.0', 'is its buffer', plain, 50_000, 150_000],
    ['v2.0', 'of 0 is no buffer', capped, 0, 272_000],
    ['v1.1.23', 'is unknown', capped, 50_000, 272_000],
    ['document-002', 'is unknown', plain, 50_000, 168_000],
  ])('%s: a reserve %s', (...[rule, , limits, reservedTokens, expected]) => {
    const options = { rule, reservedTokens, outputCapTokens: CAP };
    expect(checkOverflow(usage(), limits, options).usableTokens).toBe(expected);
  });

  it.each<OverflowRuleName>(['v1.1.57', 'v1.1.60', 'v1.14.19', 'v2.0'])(
    '%s: leaves the same where its own reserve is set as where none is',
    (name) => {
      const rule: OverflowRule = overflowRules[name];
      for (const limits of [plain, smallOutput, noOutput, capped, cappedSmallOutput]) {
        const reservedTokens = rule.ownReserve?.(limits, CAP);
        expect(reservedTokens).toBeGreaterThan(0);
        expect(rule.usable(limits, { outputCapTokens: CAP, reservedTokens })).toBe(
          rule.usable(limits, { outputCapTokens: CAP }),
        );
      }
    },
  );

  it('overflows in a window of 0 where the rule is not switched off by it', () => {
    const over = rules.filter((rule) => {
      const options = { rule, outputCapTokens: CAP };
      return checkOverflow(usage({ input: 1_000_000 }), unknown, options).isOverflow;
    });
    expect(over).toEqual([
      'v0.7.4',
      'v0.7.6',
      'document-004-processor',
      'anthropic-compact',
      'above-100k',
    ]);
  });

  it.each<[OverflowRuleName, Limits, boolean]>([
    ['v1.1.60', tiny, true],
    ['v1.14.19', tiny, true],
    ['document-002', zeroInput, false],
  ])(
    '%s: a step of no tokens where nothing is usable of %o overflows: %s',
    (rule, limits, expected) => {
      const options = { rule, outputCapTokens: CAP };
      expect(checkOverflow(usage(), limits, options).isOverflow).toBe(expected);
    },
  );

  it('takes the product cap from the policy', () => {
    const check = checkOverflow(usage(), plain, { rule: 'v1.1.60', outputCapTokens: 10_000 });
    expect(check.usableTokens).toBe(190_000);
  });
});

const plainOfCheckpoint = { contextTokens: 200_000, outputTokens: 30_000 };
const smallOutputOfCheckpoint = { contextTokens: 200_000, outputTokens: 4_000 };
const fullOutput = { contextTokens: 200_000, outputTokens: 200_000 };
const narrow = { contextTokens: 200_000, inputTokens: 199_000, outputTokens: 30_000 };
const options = { auto: true, bufferTokens: 20_000, isAfterCheckpoint: false };

/** The smallest count that compacts, worked out by hand. */
const thresholds: readonly [CheckpointRuleName, string, Limits, number][] = [
  ['core-2026-06-05', 'the output', plainOfCheckpoint, 170_001],
  ['core-2026-06-05', 'the buffer over a small output', smallOutputOfCheckpoint, 180_001],
  ['core-2026-06-05', 'an output of the whole window', fullOutput, 1],
  ['core-2026-06-05', 'no input cap', capped, 272_001],
  ['core-2026-07-10', 'the output', plainOfCheckpoint, 170_000],
  ['core-2026-07-10', 'a small output, not the buffer', smallOutputOfCheckpoint, 196_000],
  ['core-2026-07-10', 'the buffer without an output', noOutput, 180_000],
  ['core-2026-07-10', 'an output of the whole window', fullOutput, 1],
  ['core-2026-07-13', 'an output under the cap', fullOutput, 168_000],
  ['core-2026-07-13', 'a small output, not the buffer', smallOutputOfCheckpoint, 196_000],
  ['core-2026-07-13', 'the buffer without an output', noOutput, 180_000],
  ['core-2026-07-13', 'no input cap', capped, 368_000],
  ['v2.0', 'the output', plainOfCheckpoint, 170_000],
  ['v2.0', 'the buffer over a small output', smallOutputOfCheckpoint, 180_000],
  ['v2.0', 'an output under the cap', fullOutput, 168_000],
  ['v2.0', 'the input cap less the buffer', capped, 252_000],
  ['v2.0', 'the window where it is the narrower', narrow, 170_000],
];

describe('isCompactionRequired', () => {
  it('has every rule in the table of this file', () => {
    expect([...new Set(thresholds.map(([rule]) => rule))]).toEqual(Object.keys(checkpointRules));
  });

  it.each(thresholds)('%s: %s', (rule, _, limits, threshold) => {
    const counts = [threshold - 1, threshold];
    const required = counts.map((tokens) =>
      isCompactionRequired(tokens, limits, { ...options, rule }),
    );
    expect(required).toEqual([false, true]);
  });

  it.each<[CheckpointRuleName, boolean]>([
    ['core-2026-06-05', true],
    ['core-2026-07-10', true],
    ['core-2026-07-13', true],
    ['v2.0', false],
  ])('%s: right after a checkpoint: %s', (rule, expected) => {
    const after = { ...options, isAfterCheckpoint: true, rule };
    expect(isCompactionRequired(999_999, plainOfCheckpoint, after)).toBe(expected);
  });

  it.each<[CheckpointRuleName, boolean]>([
    ['core-2026-06-05', false],
    ['core-2026-07-10', false],
    ['core-2026-07-13', false],
    ['v2.0', true],
  ])('%s: no tokens at all in a window as small as the buffer: %s', (rule, expected) => {
    const tiny = { contextTokens: 20_000 };
    expect(isCompactionRequired(0, tiny, { ...options, rule })).toBe(expected);
  });

  it.each(Object.keys(checkpointRules) as CheckpointRuleName[])(
    '%s: never with auto off, never without a known window',
    (rule) => {
      const off = { ...options, auto: false, rule };
      expect(isCompactionRequired(999_999, plainOfCheckpoint, off)).toBe(false);
      const unknown = { contextTokens: 0, outputTokens: 1 };
      expect(isCompactionRequired(999_999, unknown, { ...options, rule })).toBe(false);
    },
  );

  it('keeps a configured buffer free', () => {
    const wide = { ...options, bufferTokens: 60_000, rule: 'v2.0' } as const;
    expect(isCompactionRequired(139_999, plainOfCheckpoint, wide)).toBe(false);
    expect(isCompactionRequired(140_000, plainOfCheckpoint, wide)).toBe(true);
    expect(isCompactionRequired(212_000, capped, wide)).toBe(true);
  });
});

/** Entries in short: `u10` is a user's of ten tokens, `a5` another's, `-` one without text. */
const entries = (text: string): readonly CheckpointEntry[] =>
  text
    .split(' ')
    .filter((word) => word !== '')
    .map((word) =>
      word === '-'
        ? { isUser: false }
        : { isUser: word.startsWith('u'), sizeTokens: Number(word.slice(1)) },
    );

describe('selectCheckpointTail', () => {
  it.each<[string, string, number | undefined]>([
    ['has nothing to compact without entries', '', undefined],
    ['has nothing to compact without texts', '- -', undefined],
    ['keeps what fits', 'u10 u60 u40', 1],
    ['keeps whole exchanges', 'u10 a10 u60 a40', 2],
    ['does not keep a sum one token larger', 'u10 a10 u61 u40', 3],
    ['keeps the newest entry whatever its size', 'u10 a10 u500', 2],
    ['goes back to the user message, however far', 'u10 a10 u100 a900 a900 a5', 2],
    ['keeps only the latest exchange where all fits', 'u1 a1 u1 a1', 2],
    ['keeps only the latest exchange where even the oldest prompt fits', 'u1 u1 a1 u1 a1', 3],
    ['counts the latest exchange among all entries', '- u1 a1 u1 a1', 3],
    ['keeps nothing of a single exchange', 'u1 a1', 2],
    ['keeps nothing where no user ever spoke', 'a1 a1 a1', 3],
    ['keeps nothing where it would go back to the start', 'u10 a900 a900', 3],
    ['counts indices among all entries', '- u10 a10 - u60 - a40', 4],
    ['counts nothing for entries without text', 'u1 - - u100', 3],
    ['returns the number of all entries where it keeps nothing', 'u1 - a1 -', 4],
  ])('%s', (_, text, expected) => {
    const tail = { keepTokens: 100, hasPreviousTail: false };
    expect(selectCheckpointTail(entries(text), tail)).toBe(expected);
  });

  it('keeps all entries of a single exchange where an older tail is left to summarise', () => {
    const tail = { keepTokens: 100, hasPreviousTail: true };
    expect(selectCheckpointTail(entries('- u1 a1'), tail)).toBe(1);
    expect(selectCheckpointTail(entries('u1 a1 u1'), tail)).toBe(2);
  });
});

const cappedOfExplain = { contextTokens: 400_000, inputTokens: 272_000, outputTokens: 8_000 };

/** The number that a term gives, worked out from its leaves alone. */
function evaluate(term: Term): number {
  switch (term.type) {
    case 'value':
      return term.tokens;
    case 'difference':
      return evaluate(term.from) - evaluate(term.less);
    case 'share':
      return evaluate(term.of) * term.share;
    case 'least':
      return Math.min(...term.of.map(evaluate));
    case 'most':
      return Math.max(...term.of.map(evaluate));
  }
}

describe('explainOverflow', () => {
  it('takes a reserve as it is set', () => {
    const options = { rule: 'v1.1.60', outputCapTokens: CAP, reservedTokens: 5 } as const;
    const { usable } = explainOverflow(usage(), cappedOfExplain, options);
    expect(written(usable)).toBe('(input cap 272000 - reserve as set 5)');
  });

  it.each<[OverflowRuleName, number | undefined, string]>([
    ['v0.8.0', 9, 'input 1, cacheRead 4000, output 20'],
    ['v1.1.60', undefined, 'input 1, cacheRead 4000, cacheWrite 50000, output 20'],
    ['v1.1.60', 0, 'input 1, cacheRead 4000, cacheWrite 50000, output 20'],
    ['v1.1.60', 9, 'total 9'],
    ['v2.0', 9, 'input 1, cacheRead 4000, cacheWrite 50000, output 20, reasoning 300'],
  ])('%s with a total of %s counts %s', (rule, total, expected) => {
    const spread = { input: 1, output: 20, reasoning: 300, cacheRead: 4_000, cacheWrite: 50_000 };
    const step = usage({ ...spread, ...(total !== undefined && { total }) });
    const { counted } = explainOverflow(step, plain, { rule, outputCapTokens: CAP });
    expect(counted.map(({ kind, tokens }) => `${kind} ${tokens}`).join(', ')).toBe(expected);
  });

  it('adds up to the check, under every rule and all limits', () => {
    const amounts = fc.nat({ max: 500_000 });
    const maybe = fc.option(amounts, { nil: undefined });
    const spread = fc.record({
      input: amounts,
      output: amounts,
      reasoning: amounts,
      cacheRead: amounts,
      cacheWrite: amounts,
    });
    const limits: fc.Arbitrary<Limits> = fc.record(
      { contextTokens: amounts, inputTokens: amounts, outputTokens: amounts },
      { requiredKeys: ['contextTokens'] },
    );
    const situations = fc.record({
      rule: fc.constantFrom(...rules),
      step: spread,
      model: limits,
      rest: fc.record({ outputCapTokens: amounts, reservedTokens: maybe, newerTokens: amounts }),
    });
    fc.assert(
      fc.property(situations, ({ rule, step, model, rest }) => {
        const options = { ...rest, rule };
        const { check, counted, newerTokens, usable } = explainOverflow(step, model, options);
        expect(check).toEqual(checkOverflow(step, model, options));
        const sum = counted.reduce((total, { tokens }) => total + tokens, newerTokens);
        expect(sum).toBe(check.countTokens);
        expect(evaluate(usable)).toBe(check.usableTokens);
      }),
    );
  });
});
