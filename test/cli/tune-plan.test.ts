import { describe, expect, it } from 'vitest';
import { planTuning, type TunePlanOptions } from '../../src/cli/tune-plan.ts';

const options: TunePlanOptions = {
  objective: ['cost'],
  vary: ['reserved=1000,15000'],
  within: [],
  holdOut: '0.3',
  policy: 'opencode-1.1.57',
  model: 'anthropic/claude-sonnet-4-5',
  summarizer: 'extractive',
  seed: '1',
  set: [],
};

const plan = (overrides: Partial<TunePlanOptions>) => planTuning({ ...options, ...overrides }, {});
const settingsOf = ({ tuned }: ReturnType<typeof plan>) => tuned.map(({ settings }) => settings);

describe('planTuning', () => {
  it('has today beside the grid, or where it is set to one of its points, in its place', () => {
    expect(settingsOf(plan({}))).toEqual([{}, { reserved: 1_000 }, { reserved: 15_000 }]);
    expect(settingsOf(plan({ set: ['reserved=15000'] }))).toEqual([
      { reserved: 15_000 },
      { reserved: 1_000 },
    ]);
  });

  it.each([[' ,'], ['cost,'], ['cost,,regret'], ['']])(
    "weighs nothing without a name: '%s'",
    (text) => {
      expect(() => plan({ objective: [text] })).toThrow(
        `Expected '--objective' to be names of amounts with commas between them, got '${text}'.`,
      );
    },
  );

  it('weighs nothing twice', () => {
    expect(() => plan({ objective: ['cost,regret', 'costUsd'] })).toThrow(
      "Expected '--objective' to have each value once, got 'costUsd' after 'cost'.",
    );
    const { objectives } = plan({ objective: ['cost , regret', 'compactions'] });
    expect(objectives.map(({ name }) => name)).toEqual(['cost', 'regret', 'compactions']);
  });

  it('bounds no setting that does not vary', () => {
    expect(() => plan({ within: ['protect=..20000'] })).toThrow(
      "Expected '--within' to bound a metric or a setting that varies (reserved), got 'protect'.",
    );
  });
});
