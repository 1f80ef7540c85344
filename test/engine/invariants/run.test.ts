import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  applyPrune,
  createLawChecker,
  createState,
  type EngineEvent,
  type LawName,
  type LoopState,
  policies,
  type Policy,
  type PrunePlan,
  resolvePolicy,
  transition,
} from '../../../src/engine/index.ts';
import { firstItems } from '../../../src/engine/history.ts';
import { changeState } from '../../../src/engine/state.ts';
import { growAll } from '../../support/grow-all.ts';
import { step, tool, usage } from '../../support/history.ts';
import { c1, type History, s1, stateOf, u1 } from './examples/situations.ts';
import {
  byAge,
  type InputShape,
  inputsWith,
  limits,
  movesOf,
  prompts,
  promptsInTurn,
  stepped,
  violationsOf,
} from '../../support/sessions.ts';
import { testTools } from '../../support/tools.ts';

const document = resolvePolicy(policies['document-002'], { prune: { byAge } });
const opencode = resolvePolicy(policies['opencode-1.2.16'], { prune: { byAge } });

/** The laws that a policy breaks in some of many sessions. */
function brokenLaws(policy: Policy, inputs: fc.Arbitrary<readonly InputShape[]>): LawName[] {
  const sessions = fc.sample(fc.tuple(limits, inputs), { numRuns: 400, seed: 1 });
  const laws = sessions.flatMap(([first, shapes]) => violationsOf(policy, first, shapes));
  return [...new Set(laws.map(({ law }) => law))].toSorted();
}

const emptySummaries: fc.Arbitrary<InputShape> = fc.constant(() => ({
  type: 'summary-finished',
  result: { text: '', finish: 'stop' },
}));

describe('createLawChecker', () => {
  it('is tried on sessions that compact, fail to, and prune', () => {
    const sessions = fc
      .sample(fc.tuple(limits, inputsWith(promptsInTurn)), { numRuns: 200, seed: 1 })
      .map(([first, shapes]) =>
        movesOf(document, first, shapes).flatMap(({ next }) => next.events),
      );
    const share = (isCase: (event: EngineEvent) => boolean) =>
      sessions.filter((events) => events.some(isCase)).length / sessions.length;
    expect(share(({ type }) => type === 'compacted')).toBeGreaterThan(0.5);
    expect(share(({ type }) => type === 'summary-failed')).toBeGreaterThan(0.3);
    expect(
      share((event) => event.type === 'pruned' && event.plan.state === 'fire'),
    ).toBeGreaterThan(0.1);
  });

  it('finds no law broken by document 002 but the one that a pivot without a tail breaks, whatever comes in', () => {
    fc.assert(
      fc.property(limits, inputsWith(promptsInTurn), (first, shapes) => {
        const broken = violationsOf(document, first, shapes);
        expect(broken.filter(({ law }) => law !== 'newest-request-visible')).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it.each<[string, Policy, fc.Arbitrary<readonly InputShape[]>, readonly LawName[]]>([
    [
      'a prompt that document 002 summarises before anybody answers it',
      document,
      inputsWith(prompts),
      ['newest-request-visible'],
    ],
    [
      'an empty summary that document 002 accepts',
      document,
      inputsWith(promptsInTurn, emptySummaries),
      ['newest-request-visible', 'no-boundary-without-text'],
    ],
    [
      'what 1.2.16 leaves behind, repeats and loses',
      opencode,
      inputsWith(promptsInTurn),
      ['failed-summary-changes-nothing', 'newest-request-visible', 'one-compaction-per-step'],
    ],
    [
      'a refusal that 1.2.16 compacts for with auto off',
      resolvePolicy(opencode, { trigger: { auto: false } }),
      inputsWith(promptsInTurn),
      [
        'auto-off-means-never',
        'failed-summary-changes-nothing',
        'newest-request-visible',
        'one-compaction-per-step',
      ],
    ],
  ])('finds %s', (_, policy, inputs, expected) => {
    expect(brokenLaws(policy, inputs)).toEqual(expected);
  });

  it('passes the sizes of a pivot on', () => {
    const summarising = [prompts, (id: string) => stepped(id, { usage: usage({ input: 5_000 }) })];
    const tools = testTools();
    const before = summarising.reduce(
      (state, shape, index) => transition(state, shape(`i${index}`, state)!, tools).state,
      createState(document, { contextTokens: 150 }),
    );
    const error = { name: 'APIError', message: 'overloaded' };
    const input = { type: 'summary-failed', error, isOverflow: true } as const;
    const next = transition(before, input, tools);
    const sizes = { summaryInputTokens: 2, summaryWindowTokens: 1 };
    const violations = createLawChecker()({ before, input, next, sizes });
    expect(violations.map(({ law }) => law)).toEqual(['summary-request-fits']);
  });

  it.each<[string, History, LawName[]]>([
    ['a history that has grown', [s1], []],
    ['a history in which a compaction was queued', [c1, s1], ['auto-off-means-never']],
  ])('sees with auto off what is new in %s', (_, added, expected) => {
    const history = growAll([], [u1]);
    const before = changeState(stateOf([], { trigger: { auto: false } }), { history });
    const after = changeState(before, { history: growAll(history, added) });
    expect(lawsOfMove(before, after)).toEqual(expected);
  });

  it('sees that a history has lost messages', () => {
    const history = growAll([], [u1, s1]);
    const before = changeState(stateOf([]), { history });
    const after = changeState(before, { history: firstItems(history, 1) });
    expect(lawsOfMove(before, after)).toEqual(['history-only-grows']);
  });
});

function lawsOfMove(before: LoopState, after: LoopState): readonly LawName[] {
  const next = { state: after, commands: [], events: [] };
  return createLawChecker()({ before, input: { type: 'turn-ended' }, next }).map(({ law }) => law);
}

describe('a pass that keeps a number of outputs', () => {
  const policy = resolvePolicy(policies['last-n-observations'], {
    prune: { keepLast: { outputs: 1 }, byAge: { guardTurns: 9, minimumTokens: 9_000 } },
  });
  const history = [u1, step('s1', [tool('a', 40), tool('b', 40)])];

  it.each([
    ['its newest one', 'b', ['prune-keeps-newest-outputs']],
    ['an older one, whatever another pass would look at', 'a', []],
  ])('is held to that where it clears %s', (_, partId, expected) => {
    const plan: PrunePlan = { state: 'fire', partIds: [partId], estimatedTokens: 10 };
    const before: LoopState = { ...createState(policy, { contextTokens: 0 }), history };
    const state = { ...before, history: applyPrune(history, plan, 9) };
    const events: EngineEvent[] = [{ type: 'pruned', plan }];
    const found = createLawChecker()({
      before,
      input: { type: 'turn-ended' },
      next: { state, commands: [], events },
    });
    expect(found.map(({ law }) => law)).toEqual(expected);
  });
});
