import { describe, expect, it } from 'vitest';
import { planTuning, type TunePlanOptions } from '../../../src/cli/tune/plan.ts';

const MODEL = 'anthropic/claude-sonnet-4-5';

const options: TunePlanOptions = {
  objective: ['cost'],
  vary: ['reserved=1000,15000'],
  within: [],
  holdOut: '0.3',
  policy: 'opencode-1.1.57',
  model: MODEL,
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

  it('takes a point of the grid that the policy has by itself for today', () => {
    const found = plan({ policy: 'opencode-1.2.16', vary: ['protect=20k,40k', 'minimum=20k'] });
    expect(settingsOf(found)).toEqual([
      { protect: 40_000, minimum: 20_000 },
      { protect: 20_000, minimum: 20_000 },
    ]);
    expect(found.cells.map(({ id }) => id)).toEqual([
      found.today.id,
      found.control,
      found.tuned[1]?.id,
    ]);
  });

  it.each([[' ,'], ['cost,'], ['cost,,regret'], ['']])(
    "weighs nothing without a name: '%s'",
    (text) => {
      expect(() => plan({ objective: [text] })).toThrow(
        `Expected '--objective' to be names of metrics separated by commas, got '${text}'.`,
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

  it.each<[string, string, readonly string[]]>([
    ['opencode-1.2.16', MODEL, ['reserved', 'protect', 'minimum']],
    ['opencode-1.0.224', MODEL, ['protect', 'minimum']],
    ['opencode-1.18', MODEL, ['tailTurns']],
    ['opencode-1.18', 'openai/gpt-5.2', ['reserved', 'tailTurns']],
    ['opencode-2.0', MODEL, ['reserved', 'keepTokens']],
    ['document-004', MODEL, ['keepMessages']],
    ['external-memory', MODEL, ['keepMessages']],
    ['rolling-window', MODEL, ['keepMessages']],
    ['claude-code', MODEL, ['reserved', 'keepOutputs', 'pause']],
    ['gemini-cli', MODEL, ['protect', 'minimum', 'keepShare']],
    ['codex-local', MODEL, ['keepTokens']],
    ['pi', MODEL, ['reserved', 'keepTokens']],
    ['last-n-observations', MODEL, ['keepOutputs']],
  ])('varies by itself what %s can read on %s', (policy, model, expected) => {
    expect(plan({ policy, model, vary: [] }).varied).toEqual(expected);
  });

  it.each(['none', 'selective-pruning', 'anthropic-compact'])(
    'asks what to vary where nothing of it makes a difference: %s',
    (policy) => {
      expect(() => plan({ policy, vary: [] })).toThrow(
        `Expected '--vary' to name what to tune, because '${policy}' has no number of its own that makes a difference on '${MODEL}'.`,
      );
    },
  );

  it('bounds no setting that does not vary', () => {
    expect(() => plan({ within: ['protect=..20000'] })).toThrow(
      "Expected '--within' to bound a metric or a setting that varies (reserved), got 'protect'.",
    );
  });
});
