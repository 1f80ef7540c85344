import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../../../src/simulator/events.ts';
import { digestEvents } from '../../../../src/simulator/sweep/run/row.ts';
import { start, step } from '../../metrics/events.ts';

const sized = (contextTokens: number) => step({ contextTokens });
const overflow: RunEvent = { type: 'overflow', path: 'after-step', countTokens: 1 };

describe('digestEvents', () => {
  it.each<[string, readonly RunEvent[], readonly RunEvent[]]>([
    [
      'another policy, seed and limit of the same name for nothing else',
      [start(), step()],
      [{ ...start(), policy: 'other', seed: 2, limits: { contextTokens: 1 } }, step()],
    ],
    ['a field without a value', [step()], [{ ...step(), reported: undefined }]],
    ['the same events', [step(), overflow], [step(), overflow]],
  ])('is the same for %s', (_, one, other) => {
    expect(digestEvents(one)).toBe(digestEvents(other));
  });

  it.each<[string, readonly RunEvent[], readonly RunEvent[]]>([
    ['another number', [step()], [step({ contextTokens: 101 })]],
    ['another fraction', [step({ latencyMs: 0.1 })], [step({ latencyMs: 0.2 })]],
    ['another sign', [step({ costNanoUsd: 5 })], [step({ costNanoUsd: -5 })]],
    ['a number beyond 32 bits', [step({ costNanoUsd: 1 })], [step({ costNanoUsd: 2 ** 32 + 1 })]],
    ['another text', [step({ messageId: 'ab' })], [step({ messageId: 'ba' })]],
    ['another switch', [step({ isCold: true })], [step({ isCold: false })]],
    ['another order', [step(), overflow], [overflow, step()]],
    ['one event more', [step()], [step(), step()]],
    ['no event', [], [overflow]],
    [
      'ids that are joined otherwise',
      [{ type: 'moved-out', messageIds: ['a', 'bc'] }],
      [{ type: 'moved-out', messageIds: ['ab', 'c'] }],
    ],
    [
      'an absent number and a zero',
      [{ type: 'overflow', path: 'refused' }],
      [{ type: 'overflow', path: 'refused', countTokens: 0 }],
    ],
  ])('differs for %s', (_, one, other) => {
    expect(digestEvents(one)).not.toBe(digestEvents(other));
  });

  it('differs wherever one number of many does', () => {
    const some = fc.array(fc.integer(), { minLength: 2 });
    fc.assert(
      fc.property(some, fc.nat(), fc.integer(), (numbers, at, other) => {
        const index = at % numbers.length;
        fc.pre(numbers[index] !== other);
        const changed = numbers.with(index, other);
        expect(digestEvents(changed.map(sized))).not.toBe(digestEvents(numbers.map(sized)));
      }),
    );
  });

  it('is sixteen hexadecimal digits, which rows keep from one release to the next', () => {
    const refused: RunEvent = { type: 'overflow', path: 'refused', countTokens: -0.5 };
    const moved: RunEvent = { type: 'moved-out', messageIds: ['a', 'bc'] };
    expect(digestEvents([overflow, moved, refused])).toBe('eeee95bfbc50622d');
  });
});
