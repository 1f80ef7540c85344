import { describe, expect, it } from 'vitest';
import { type Message, type PolicyName, policies } from '../../../src/engine/index.ts';
import { answer, ask, call, eventsOf, roomy, run } from './lab.ts';

const MINUTE_MS = 60_000;
/** Seven outputs, and a prompt so long after the last step. */
const session = (pauseMs: number): readonly Message[] => [
  ask('u1', 10),
  ...Array.from({ length: 7 }, (_, index) => call(`s${index + 1}`, 100)),
  answer('s8', 10, { createdAt: MINUTE_MS }),
  ask('u2', 10, MINUTE_MS + pauseMs),
  answer('s9', 10, { parentId: 'u2', createdAt: MINUTE_MS + pauseMs + 1_000 }),
];
const prunes = (name: PolicyName, pauseMs: number) =>
  eventsOf(run(session(pauseMs), { policy: policies[name], model: roomy }).events, 'prune-end').map(
    ({ state, partIds }) => `${state} ${partIds.length}`,
  );

describe('a pause between two turns', () => {
  it('is as long as from the last step to the next prompt', () => {
    expect(prunes('claude-code', 60 * MINUTE_MS - 1)).toEqual([]);
    expect(prunes('claude-code', 60 * MINUTE_MS)).toEqual(['fired 2']);
  });

  it('makes the next request smaller, and no one before it', () => {
    const { steps } = run(session(60 * MINUTE_MS), {
      policy: policies['claude-code'],
      model: roomy,
    });
    const unpruned = run(session(0), { policy: policies['claude-code'], model: roomy }).steps;
    const saved = unpruned.map(
      ({ contextTokens }, index) => contextTokens - (steps[index]?.contextTokens ?? 0),
    );
    expect(saved.slice(0, -1).every((tokens) => tokens === 0)).toBe(true);
    expect(saved.at(-1)).toBeGreaterThan(150);
  });

  it('is none before the first turn, however long ago the clock began', () => {
    const late = session(0).map((message) => ({ ...message, createdAt: 1e12 }));
    const { events } = run(late, { policy: policies['claude-code'], model: roomy });
    expect(eventsOf(events, 'prune-end')).toEqual([]);
  });

  it('means nothing to policies that do not wait for one', () => {
    expect(prunes('none', 600 * MINUTE_MS)).toEqual([]);
    expect(prunes('codex-local', 600 * MINUTE_MS)).toEqual([]);
  });
});
