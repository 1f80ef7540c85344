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
const sessions = fc.sample(fc.tuple(limits, inputsWith(promptsInTurn)), { numRuns: SESSIONS });

describe('any order of inputs', () => {
  it.each(table)('breaks no law but those that the preset lists: %s', (_, policy) => {
    const allowed = new Set<LawName>(policy.breaks.map(({ law }) => law));
    const violations = sessions.flatMap(([first, shapes]) => violationsOf(policy, first, shapes));
    const broken = violations.filter(({ law }) => !allowed.has(law));
    expect([...new Set(broken.map(({ law }) => law))].toSorted()).toEqual([]);
  });
});
