import { describe, expect, it } from 'vitest';
import {
  createState,
  type Policy,
  resolvePolicy,
  restoreState,
  saveState,
} from '../../src/engine/index.ts';

const LIMITS = { contextTokens: 200_000, outputTokens: 8_000 };

/** What every preset must be, whatever its rules; those that run sessions under all of them stand in `engine/`. */
export function describePreset(name: string, policy: Policy): void {
  describe(`${name} as a preset`, () => {
    it('goes by the name under which it is found', () => {
      expect(policy.name).toBe(name);
    });

    it('says what it describes and where that stands', () => {
      expect([policy.describes, policy.source]).toEqual([
        expect.stringMatching(/\w/),
        expect.stringMatching(/\w/),
      ]);
    });

    it('is plain JSON', () => {
      expect(JSON.parse(JSON.stringify(policy))).toStrictEqual(policy);
    });

    it('is frozen, and complete by itself', () => {
      expect(Object.isFrozen(policy)).toBe(true);
      expect(resolvePolicy(policy)).toEqual(policy);
    });

    it('begins a session that can be saved', () => {
      const state = createState(policy, LIMITS);
      expect(restoreState(saveState(state))).toEqual(state);
    });

    it('lists no law as broken twice, and each with its source', () => {
      const laws = policy.breaks.map(({ law }) => law);
      expect(new Set(laws).size).toBe(laws.length);
      expect(policy.breaks.filter(({ source }) => source.trim() === '')).toEqual([]);
    });
  });
}
