import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toArray } from '../../../src/engine/history.ts';
import {
  applyPrune,
  type Message,
  type Part,
  planByAge,
  type PrunePlan,
} from '../../../src/engine/index.ts';
import { overwriteOutputs } from '../../../src/engine/prune/plan.ts';
import { frozen } from '../../../src/engine/values.ts';
import { byAgeOptions, toolHistories } from '../../support/arbitraries.ts';
import { file, step, tool, toolIn, user } from '../../support/history.ts';

const firing = (...partIds: readonly string[]): PrunePlan => ({
  state: 'fire',
  partIds,
  estimatedTokens: 1,
});
const NOW = 99;

describe('applyPrune', () => {
  const history = frozen([
    user('u1'),
    step('s1', [tool('t1', 'one', { attachments: [file('f1', 'image/png')] }), tool('t2', 'two')]),
    step('s2', [toolIn('t3', { status: 'error', input: {}, error: 'no' })]),
  ]);

  it('marks the chosen output and keeps it stored, attachments too', () => {
    const [, pruned] = applyPrune(history, firing('t1'), NOW);
    expect(pruned?.parts).toEqual([
      tool('t1', 'one', { attachments: [file('f1', 'image/png')], compactedAt: NOW }),
      tool('t2', 'two'),
    ]);
  });

  it('hands messages without a chosen output on as they are', () => {
    const pruned = applyPrune(history, firing('t1'), NOW);
    expect(pruned[0]).toBe(history[0]);
    expect(pruned[2]).toBe(history[2]);
  });

  it.each<[string, PrunePlan]>([
    ['a plan below the minimum', { ...firing('t1'), state: 'below-minimum' }],
    ['a plan of nothing', { ...firing(), state: 'nothing' }],
  ])('changes nothing for %s', (_, plan) => {
    expect(applyPrune(history, plan, NOW)).toBe(history);
  });

  it('changes no part that is no completed tool call', () => {
    expect(applyPrune(history, firing('t3', 'u1-0'), NOW)).toEqual(history);
  });

  it('changes the chosen parts by their mark, all others not at all, and never its input', () => {
    fc.assert(
      fc.property(toolHistories, byAgeOptions, (messages, options) => {
        const plan = planByAge(messages, options, { charsPerToken: 4, rounding: 'round' });
        fc.pre(plan.state === 'fire');
        const pruned = applyPrune(frozen(messages), plan, NOW);
        const isChosen = (part: Part) => plan.partIds.includes(part.id);
        expect(partsOf(pruned).filter(isChosen).map(unmarked)).toEqual(
          partsOf(messages).filter(isChosen),
        );
        expect(pruned.map((message) => withoutParts(message, isChosen))).toEqual(
          messages.map((message) => withoutParts(message, isChosen)),
        );
      }),
    );
  });
});

describe('overwriteOutputs', () => {
  const history = frozen([
    user('u1'),
    step('s1', [tool('t1', 'one'), tool('t2', 'two')]),
    step('s2', [toolIn('t3', { status: 'error', input: {}, error: 'no' })]),
  ]);

  it('puts the sentence where the chosen output was, and leaves other messages as they are', () => {
    const written = toArray(overwriteOutputs(history, firing('t1'), 'gone'));
    expect(written[1]).toEqual(step('s1', [tool('t1', 'gone'), tool('t2', 'two')]));
    expect(written[0]).toBe(history[0]);
    expect(written[2]).toBe(history[2]);
  });

  it('changes no part that is no completed tool call', () => {
    expect(toArray(overwriteOutputs(history, firing('t3', 'u1-0'), 'gone'))).toEqual(history);
  });

  it('changes nothing for a plan below the minimum', () => {
    const plan: PrunePlan = { ...firing('t1'), state: 'below-minimum' };
    expect(overwriteOutputs(history, plan, 'gone')).toBe(history);
  });
});

function partsOf(messages: readonly Message[]): readonly Part[] {
  return messages.flatMap(({ parts }) => parts);
}

/** A marked part as it was; a part without the mark of this pass becomes none at all. */
function unmarked(part: Part): Part | undefined {
  if (part.type !== 'tool' || part.state.status !== 'completed') return undefined;
  const { compactedAt, ...state } = part.state;
  return compactedAt === NOW ? { ...part, state } : undefined;
}

function withoutParts(message: Message, isLeftOut: (part: Part) => boolean): Message {
  return { ...message, parts: message.parts.filter((part) => !isLeftOut(part)) };
}
