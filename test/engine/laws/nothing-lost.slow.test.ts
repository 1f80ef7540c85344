import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Move,
  markerOf,
  type Message,
  resolvePolicy,
  viewOf,
} from '../../../src/engine/index.ts';
import { usage } from '../../support/history.ts';
import { play, presets } from '../../support/preset-sessions.ts';
import { final } from '../../support/script.ts';
import { type InputShape, limits, prompts, stepped } from '../../support/sessions.ts';

const error = { name: 'APIError', message: 'overloaded' };

/** Sessions of many compactions, now and then one that fails. */
const compacting = fc.tuple(
  limits.filter(({ contextTokens }) => contextTokens > 0),
  fc.array(
    fc.oneof(
      { weight: 3, arbitrary: fc.constant(prompts) },
      {
        weight: 6,
        arbitrary: fc.constantFrom(20, 20, 5_000).map((input): InputShape => {
          return (id) => stepped(id, { finish: 'tool-calls', usage: usage({ input }) });
        }),
      },
      {
        weight: 2,
        arbitrary: fc.constantFrom(20, 5_000).map((input): InputShape => {
          return (id) => final(id, input);
        }),
      },
      {
        weight: 5,
        arbitrary: fc.constantFrom<InputShape>(
          () => ({ type: 'compact' }),
          () => ({ type: 'summary-failed', error, isOverflow: false }),
          ...Array.from({ length: 4 }, (): InputShape => {
            return () => ({
              type: 'summary-finished',
              result: { text: '## Objective\n## Goal\nAll of it.', finish: 'stop' },
            });
          }),
        ),
      },
    ),
    { minLength: 30, maxLength: 80, size: 'max' },
  ),
);

/** What a pivot took out of a view that no summary was written of; markers and failed attempts say nothing. */
function lostBy({ before, next }: Move): readonly Message[] {
  if (before.phase.state !== 'summarising') return [];
  if (next.events.every(({ type }) => type !== 'compacted')) return [];
  const { head, recent, replay } = before.phase.cut;
  // As text it stands in the summary.
  if (recent !== undefined) return [];
  const known = new Set([...head, ...viewOf(next.state)].map(({ id }) => id));
  return viewOf(before).filter(
    (message) =>
      !known.has(message.id) &&
      message.id !== replay?.id &&
      message.parts.length > 0 &&
      markerOf(message) === undefined,
  );
}

/** What a summary was written of and a view shows all the same. */
function shownBy({ before, next }: Move): readonly Message[] {
  if (before.phase.state !== 'summarising') return [];
  if (next.events.every(({ type }) => type !== 'compacted')) return [];
  const head = new Set(before.phase.cut.head.map(({ id }) => id));
  return viewOf(next.state).filter(
    (message) => head.has(message.id) && markerOf(message) === undefined,
  );
}

describe('a pivot', () => {
  // One that shortens a session without a model takes out what no summary was written of.
  const pivoting = presets.filter(
    ([, { cut, summary }]) => cut.keep !== 'everything' && summary.fallback === undefined,
  );

  it.each(pivoting)(
    'takes out what a summary was written of, and nothing else: %s',
    (_, preset) => {
      const policy = resolvePolicy(preset, { trigger: { reservedTokens: 20 } });
      const moves = play(policy, () => {}, compacting);
      const pivots = moves.filter(({ next }) =>
        next.events.some(({ type }) => type === 'compacted'),
      );
      expect(pivots.length).toBeGreaterThan(20);
      expect(pivots.flatMap(lostBy).map(({ id }) => id)).toEqual([]);
      // A summary that answers a prompt, as releases have it after a failed attempt, hides nothing.
      const hiding = policy.summary.answers === 'marker' ? pivots : [];
      expect(hiding.flatMap(shownBy).map(({ id }) => id)).toEqual([]);
    },
  );
});
