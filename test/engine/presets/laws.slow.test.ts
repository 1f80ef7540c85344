import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ALL_GUARDS, type LawName, resolvePolicy } from '../../../src/engine/index.ts';
import { inputsWith, limits, promptsInTurn, violationsOf } from '../../support/sessions.ts';
import { tinyPresets } from '../../support/small-presets.ts';

const SESSIONS = 160;

const table = tinyPresets.flatMap((policy) => [
  [policy.name, policy] as const,
  [`${policy.name}, guarded`, resolvePolicy(policy, { guards: ALL_GUARDS })] as const,
]);
const inputs = inputsWith(promptsInTurn);

describe('any order of inputs', () => {
  it.each(table)('breaks no law but those that the preset lists: %s', (_, policy) => {
    const allowed = new Set<LawName>(policy.breaks.map(({ law }) => law));
    fc.assert(
      fc.property(limits, inputs, (first, shapes) => {
        const broken = violationsOf(policy, first, shapes).map(({ law }) => law);
        expect(broken.filter((law) => !allowed.has(law))).toEqual([]);
      }),
      { numRuns: SESSIONS },
    );
  });
});
