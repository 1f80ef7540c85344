import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  checkOverflow,
  explainOverflow,
  type Limits,
  type OverflowRuleName,
  overflowRules,
  type Term,
} from '../../../src/engine/index.ts';
import { usage } from '../../support/history.ts';

const CAP = 32_000;
const plain = { contextTokens: 200_000, outputTokens: 64_000 };
const capped = { contextTokens: 400_000, inputTokens: 272_000, outputTokens: 8_000 };
const tiny = { contextTokens: 20_000 };
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
  it.each<[OverflowRuleName, Limits, string]>([
    ['v0.7', tiny, 'most[0.9 of (context 20000 - least[cap 32000]), nothing 0]'],
    ['v0.7.4', plain, '0.5 of (context 200000 - least[declared output 64000, cap 32000])'],
    ['v1.1.23', plain, '(context 200000 - least[declared output 64000, cap 32000])'],
    ['v1.1.23', capped, 'input cap 272000'],
    [
      'v1.1.57',
      capped,
      '(input cap 272000 - least[default reserve 20000, least[declared output 8000, cap 32000]])',
    ],
    ['v1.1.60', tiny, '(context 20000 - least[cap 32000])'],
    ['v1.14.19', tiny, 'most[(context 20000 - least[cap 32000]), nothing 0]'],
    [
      'v2.0',
      capped,
      'least[(input cap 272000 - buffer 20000), (context 400000 - most[output 8000, buffer 20000])]',
    ],
    ['document-004', plain, '0.9 of context 200000'],
  ])('%s tells what usable is made of: %o', (rule, limits, expected) => {
    const { usable } = explainOverflow(usage(), limits, { rule, outputCapTokens: CAP });
    expect(written(usable)).toBe(expected);
  });

  it('takes a reserve as it is set', () => {
    const options = { rule: 'v1.1.60', outputCapTokens: CAP, reservedTokens: 5 } as const;
    const { usable } = explainOverflow(usage(), capped, options);
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

  it('says so when a window of 0 switches the rule off', () => {
    const options = { outputCapTokens: CAP };
    const unlimited = rules.filter(
      (rule) => explainOverflow(usage(), { contextTokens: 0 }, { ...options, rule }).isUnlimited,
    );
    const always = ['v0.7.4', 'v0.7.6', 'anthropic-compact'];
    expect(unlimited).toEqual(rules.filter((rule) => !always.includes(rule)));
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
