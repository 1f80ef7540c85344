import { describe, expect, it } from 'vitest';
import { makePlan, type PlanOptions } from '../../../src/cli/plan/plan.ts';
import { planTuning, type TuneSearchOptions } from '../../../src/cli/commands/tune.ts';

const MODEL = 'anthropic/claude-sonnet-4-5';

type Options = PlanOptions & TuneSearchOptions;

const options: Options = {
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

function plan(overrides: Partial<Options>) {
  const asked = { ...options, ...overrides };
  return planTuning(makePlan({ ...asked, vary: [] }, {}), asked);
}

/** A plan of axes that are given. */
function gridOf(overrides: Partial<Options>) {
  const found = plan(overrides);
  if (!('search' in found)) throw new Error('a screen');
  return found;
}

/** The settings that a screen tries, those first that can change a run. */
function screenOf(overrides: Partial<Options>) {
  const found = plan({ ...overrides, vary: [] });
  if ('search' in found) throw new Error('no screen');
  return { tried: [...new Set(found.points.map(({ key }) => key))], idle: found.idle };
}

const settingsOf = ({ search }: ReturnType<typeof gridOf>) =>
  search.cells.map(({ settings }) => settings);

describe('planTuning', () => {
  it('has today beside the grid, or where it is set to one of its points, in its place', () => {
    expect(settingsOf(gridOf({}))).toEqual([{}, { reserved: 1_000 }, { reserved: 15_000 }]);
    expect(settingsOf(gridOf({ set: ['reserved=15000'] }))).toEqual([
      { reserved: 15_000 },
      { reserved: 1_000 },
    ]);
  });

  it('takes a point of the grid that the policy has by itself for today', () => {
    const found = gridOf({ policy: 'opencode-1.2.16', vary: ['protect=20k,40k', 'minimum=20k'] });
    expect(settingsOf(found)).toEqual([
      { protect: 40_000, minimum: 20_000 },
      { protect: 20_000, minimum: 20_000 },
    ]);
    expect(found.cells.map(({ id }) => id)).toEqual([
      found.today.id,
      found.control.id,
      found.search.cells[1]?.id,
    ]);
  });

  it('weighs what any of its options names', () => {
    const { objectives } = plan({ objective: ['cost , regret', 'compactions'] });
    expect(objectives.map(({ name }) => name)).toEqual(['cost', 'regret', 'compactions']);
  });

  it.each<[string, readonly string[]]>([
    ['opencode-1.2.16', ['reserved']],
    ['opencode-1.18', ['reserved', 'protect', 'minimum', 'guardTurns']],
    ['selective-pruning', ['reserved', 'outputCap', 'protect', 'minimum', 'guardTurns']],
  ])('tries the trigger of %s, and counts what can change no run as tried', (policy, idle) => {
    const screen = screenOf({ policy });
    expect(screen.tried).toContain('triggerFraction');
    expect(screen.idle).toEqual(idle);
  });
});
