import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Message, type Move, resolvePolicy } from '../../../src/engine/index.ts';
import { usage } from '../../support/history.ts';
import { type InputShape, limits, prompts, stepped } from '../../support/sessions.ts';
import { guarded, play, lists } from '../../support/preset-sessions.ts';

const error = { name: 'APIError', message: 'overloaded' };

/** Sessions of many compactions, most of which end badly. */
const failing = fc.tuple(
  limits,
  fc.array(
    fc.oneof(
      { weight: 2, arbitrary: fc.constant(prompts) },
      {
        weight: 3,
        arbitrary: fc.constantFrom(60, 5_000).map((input): InputShape => {
          return (id) => stepped(id, { finish: 'tool-calls', usage: usage({ input }) });
        }),
      },
      {
        weight: 6,
        arbitrary: fc.constantFrom<InputShape>(
          () => ({ type: 'aborted' }),
          () => ({ type: 'compact' }),
          () => ({ type: 'compact' }),
          () => ({ type: 'step-refused', error }),
          () => ({ type: 'step-refused', error }),
          () => ({ type: 'summary-failed', error, isOverflow: false }),
          () => ({ type: 'summary-failed', error, isOverflow: true }),
          () => ({ type: 'summary-finished', result: { text: '', finish: 'stop' } }),
          () => ({ type: 'summary-finished', result: { text: 'All of it.', finish: 'stop' } }),
        ),
      },
    ),
    { minLength: 30, maxLength: 60, size: 'max' },
  ),
);

/** They ask again or go on after a failure, with messages of their own in between; what stays then is not held here yet. */
const GOING_ON = /^(?:gemini-cli|kimi-code-0\.30)/;

describe('a summary that failed, was rejected or aborted', () => {
  /** Where a release keeps what is left of a failed attempt, this shows that nothing else does. */
  const restoring = guarded
    .filter(([, { cut, summary }]) => cut.keep !== 'everything' && summary.fixedText === undefined)
    .map(([name, preset]) => {
      const isListed = lists(preset, 'failed-summary-changes-nothing');
      const policy = resolvePolicy(preset, {
        trigger: { reservedTokens: 20 },
        ...(isListed && { summary: { onFailure: 'roll-back' } }),
      });
      return [isListed ? `${name}, rolling back` : name, policy] as const;
    });

  // One that shortens the session without a model keeps no history as it was.
  const plain = restoring.filter(
    ([name, { summary }]) => !GOING_ON.test(name) && summary.fallback === undefined,
  );

  it.each(plain)('leaves the history as it was, to the byte: %s', (_, policy) => {
    const reached = { aborted: 0, 'summary-failed': 0, 'summary-rejected': 0 };
    const check = (moves: readonly Move[]) => {
      let expected: readonly Message[] = [];
      const results: [string, string][] = [];
      for (const { before, input, next } of moves) {
        const { phase, history } = next.state;
        const failure = failureIn({ before, input, next });
        if (failure !== undefined) {
          reached[failure] += 1;
          results.push([JSON.stringify(history), JSON.stringify(expected)]);
        }
        if (phase.state !== 'summarising') continue;
        const isNew =
          before.phase.state !== 'summarising' || before.phase.markerId !== phase.markerId;
        if (isNew) expected = history.filter(({ id }) => id !== phase.markerId);
        else if (input.type === 'user-message') expected = [...expected, input.message];
      }
      expect(results.filter(([after, before]) => after !== before)).toEqual([]);
    };
    play(policy, check, failing);
    expect(reached.aborted).toBeGreaterThan(0);
    expect(reached['summary-failed']).toBeGreaterThan(0);
    expect(reached['summary-rejected'] > 0).toBe(policy.guards.rejectEmptySummary);
  });
});

/** How an attempt ended with a move, if badly. */
function failureIn({ before, input, next }: Move) {
  if (before.phase.state !== 'summarising') return undefined;
  if (input.type === 'aborted') return 'aborted';
  return next.events
    .map(({ type }) => type)
    .find((type) => type === 'summary-failed' || type === 'summary-rejected');
}
