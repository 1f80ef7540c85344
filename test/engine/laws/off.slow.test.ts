import { describe, expect, it } from 'vitest';
import {
  checkOverflow,
  type LoopInput,
  type LoopState,
  type Message,
  type Move,
  type Policy,
  resolvePolicy,
  viewOf,
} from '../../../src/engine/index.ts';
import { countUnits } from '../../../src/engine/conditions.ts';
import { byAge } from '../../support/sessions.ts';
import { presets, play, eventsOf, lists } from '../../support/preset-sessions.ts';

/** A prune that fires in many of those sessions, whatever the preset has. */
const eagerPrune = {
  enabled: true,
  when: 'turn-end',
  pass: 'by-age',
  byAge,
  cleanups: [],
} as const;

describe('auto off', () => {
  const breaking = presets.filter(([, preset]) => lists(preset, 'auto-off-means-never'));

  it.each(presets)('means that only a person compacts, on every path: %s', (_, preset) => {
    const isBroken = lists(preset, 'auto-off-means-never');
    const policy = resolvePolicy(preset, { trigger: { auto: false, reservedTokens: 20 } });
    const moves = play(policy, (played) => {
      expect(eventsOf(played, 'overflow').filter(({ path }) => path !== 'refused')).toEqual([]);
      expect(eventsOf(played, 'moved-out')).toEqual([]);
      const automatic = played.filter(({ next }) =>
        next.events.some((event) => event.type === 'marker-queued' && event.auto),
      );
      const causes = automatic.map(({ input }) => input.type);
      expect(causes.filter((cause) => !isBroken || cause !== 'step-refused')).toEqual([]);
      if (isBroken) return;
      const asked = played.filter(asksForSummary);
      expect(
        asked.map(({ input }) => input.type).filter((type) => !MAY_ASK.includes(type)),
      ).toEqual([]);
    });
    expect(moves.filter(isOverLimit(policy)).length).toBeGreaterThan(2);
  });

  it.each(breaking)('lets a refusal compact where a preset lists that: %s', (_, preset) => {
    const policy = resolvePolicy(preset, { trigger: { auto: false } });
    const moves = play(policy, () => undefined);
    expect(eventsOf(moves, 'marker-queued').filter(({ auto }) => auto).length).toBeGreaterThan(0);
  });
});

/** Inputs that a summary request may follow with auto off: a wish, and what a pending marker waits for. */
const MAY_ASK: readonly LoopInput['type'][] = [
  'compact',
  'user-message',
  'step-finished',
  'summary-finished',
  'summary-failed',
];

describe('prune off', () => {
  it.each(presets)('means that no output is cleared, on any path: %s', (_, preset) => {
    const control = resolvePolicy(preset, { prune: eagerPrune });
    const fired = eventsOf(
      play(control, () => undefined),
      'pruned',
    );
    expect(fired.filter(({ plan }) => plan.state === 'fire').length).toBeGreaterThan(0);
    for (const when of ['turn-end', 'on-overflow'] as const) {
      const policy = resolvePolicy(control, { prune: { enabled: false, when } });
      play(policy, (moves) => {
        expect(eventsOf(moves, 'pruned')).toEqual([]);
        expect(moves.flatMap(({ before, next }) => changedSteps(before, next.state))).toEqual([]);
      });
    }
  });
});

/** Steps of a history that are not what they were. */
function changedSteps(before: LoopState, after: LoopState): readonly Message[] {
  const known = new Set(before.history);
  const ids = new Set(before.history.map(({ id }) => id));
  return after.history.filter(
    (message) => message.role === 'assistant' && ids.has(message.id) && !known.has(message),
  );
}

function asksForSummary({ before, next }: Move): boolean {
  return (
    before.phase.state !== 'summarising' && next.commands.some(({ type }) => type === 'summarise')
  );
}

/** Whether a step was over what its model's limits leave usable, though nobody asked. */
function isOverLimit({ trigger }: Policy): (move: Move) => boolean {
  return ({ before, input }) => {
    if (input.type !== 'step-finished' || input.message.usage === undefined) return false;
    const view = [...viewOf(before), input.message];
    const options = { ...trigger, rule: trigger.overflow, counts: countUnits(view) };
    return checkOverflow(input.message.usage, before.limits, options).isOverflow;
  };
}
