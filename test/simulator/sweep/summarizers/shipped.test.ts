import { describe, expect, it } from 'vitest';
import {
  SHIPPED_SCENARIOS,
  shippedScenarios,
} from '../../../../src/simulator/sweep/summarizers/shipped.ts';

const MOST_TURNS = 8;

describe('the scenarios that come with the package', () => {
  const sessions = [...shippedScenarios()];
  const turnsOf = ({ messages }: (typeof sessions)[number]) =>
    messages.filter(({ role }) => role === 'user').length;

  it('are as many as are told', () => {
    expect(sessions).toHaveLength(SHIPPED_SCENARIOS);
  });

  it('are small', () => {
    expect(sessions.filter((session) => turnsOf(session) > MOST_TURNS)).toEqual([]);
  });

  it('say what is to be kept of them', () => {
    expect(sessions.filter(({ facts = [] }) => facts.length === 0)).toEqual([]);
  });
});
