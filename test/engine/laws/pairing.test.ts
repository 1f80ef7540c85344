import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Cut,
  filterCompacted,
  type Message,
  type ModelMessage,
  planCut,
  type Policy,
  policies,
  render,
  resolvePolicy,
} from '../../../src/engine/index.ts';
import { anyHistories } from '../../support/tailed-histories.ts';
import { presets } from '../../support/preset-sessions.ts';
import { assertReaching } from '../../support/reaching.ts';

/** Calls that have not exactly one result after them, and results without a call before them. */
function unpaired(sent: readonly ModelMessage[]): readonly string[] {
  const contents = sent.flatMap(({ content }) => content);
  const ids = (type: 'tool-call' | 'tool-result') =>
    contents.flatMap((content, index) =>
      content.type === type ? [{ callId: content.callId, index }] : [],
    );
  const [calls, results] = [ids('tool-call'), ids('tool-result')];
  const lonelyCalls = calls.filter((call) => {
    const own = results.filter(({ callId }) => callId === call.callId);
    return own.length !== 1 || own[0]!.index < call.index;
  });
  const lonelyResults = results.filter(
    (result) => calls.filter(({ callId }) => callId === result.callId).length !== 1,
  );
  return [...lonelyCalls, ...lonelyResults].map(({ callId }) => callId);
}

function callsIn(sent: readonly ModelMessage[]): number {
  return sent.flatMap(({ content }) => content).filter(({ type }) => type === 'tool-call').length;
}

describe('pairing', () => {
  it('holds on both sides of every cut at a message', () => {
    let calls = 0;
    assertReaching(
      fc.property(anyHistories, (history) => {
        const { render: sentences } = policies['opencode-1.18'];
        const whole = callsIn(render(history, sentences));
        for (let index = 0; index <= history.length; index += 1) {
          const sides = [history.slice(0, index), history.slice(index)].map((side) =>
            render(side, sentences),
          );
          expect(sides.flatMap(unpaired)).toEqual([]);
          expect(sides.reduce((sum, side) => sum + callsIn(side), 0)).toBe(whole);
        }
        calls += whole;
      }),
    );
    expect(calls).toBeGreaterThan(200);
  });

  const cuts: readonly (readonly [string, Policy])[] = [
    ...presets,
    ...[1, 3].map(
      (count) => [`the last ${count} messages`, cutBy({ keep: 'last-messages', count })] as const,
    ),
    ...[1, 2].map(
      (count) => [`the last ${count} turns`, cutBy({ keep: 'last-turns', count })] as const,
    ),
    ...[20, 100, 400].map(
      (tokens) =>
        [
          `recent turns of ${tokens} tokens`,
          cutBy({
            keep: 'recent-turns',
            tokens,
            turns: 3,
            splitsTurns: true,
            maximumBudgetTokens: tokens,
          }),
        ] as const,
    ),
    ...[20, 200].map(
      (tokens) => [`text of ${tokens} tokens`, cutBy({ keep: 'checkpoint', tokens })] as const,
    ),
  ];

  it.each(cuts)('holds in the head and in the tail of each cut: %s', (_, policy) => {
    let divided = 0;
    assertReaching(
      fc.property(anyHistories, fc.boolean(), fc.nat(), (history, mayReplay, at) => {
        const view = filterCompacted(history, policy.view);
        const parent = view[at % view.length]!;
        const cut = planCut({ view, parentId: parent.id, mayReplay }, policy, {
          contextTokens: 2_000,
        });
        const sides = [cut.head, tailOf(view, cut)].map((side) => render(side, policy.render));
        expect(sides.flatMap(unpaired)).toEqual([]);
        if (cut.tailStartId !== undefined || cut.recent !== undefined || cut.replay !== undefined)
          divided += 1;
      }),
    );
    const keepsAll = policy.cut.keep === 'nothing' || policy.cut.keep === 'everything';
    expect(divided).toBeGreaterThan(keepsAll ? 0 : 5);
  });
});

function cutBy(cut: Policy['cut']): Policy {
  return resolvePolicy(policies['opencode-1.2.16'], { cut });
}

function tailOf(view: readonly Message[], { tailStartId }: Cut): readonly Message[] {
  const start = view.findIndex(({ id }) => id === tailStartId);
  return start < 0 ? [] : view.slice(start);
}
