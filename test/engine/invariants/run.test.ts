import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AssistantMessage,
  createLawChecker,
  createState,
  type EngineEvent,
  type LawName,
  type Limits,
  type LoopInput,
  type LoopState,
  type Move,
  policies,
  type Policy,
  resolvePolicy,
  transition,
  type Violation,
} from '../../../src/engine/index.ts';
import { frozen } from '../../support/frozen.ts';
import { type Overrides, step, text, tool, usage, user } from '../../support/history.ts';
import { testTools } from '../../support/tools.ts';

/** What an input will be once it has an id; nothing where it would not fit the state. */
type InputShape = (id: string, state: LoopState) => LoopInput | undefined;

const limits: fc.Arbitrary<Limits> = fc.record({
  contextTokens: fc.constantFrom(0, 40, 150, 1_000),
  outputTokens: fc.constantFrom(0, 20, 50),
});
const error = { name: 'APIError', message: 'overloaded' };

const stepped = (id: string, overrides: Overrides<AssistantMessage>): LoopInput => {
  const parts = [
    text(`${id}-0`, id),
    tool(`${id}-1`, 200),
    tool(`${id}-2`, 200, { tool: 'skill' }),
  ];
  return { type: 'step-finished', message: step(id, parts, overrides) };
};
const steps: fc.Arbitrary<InputShape> = fc
  .record({ input: fc.constantFrom(0, 60, 5_000), finish: fc.constantFrom('stop', 'tool-calls') })
  .map(
    ({ input, finish }) =>
      (id) =>
        stepped(id, { finish, usage: usage({ input }) }),
  );
const summaries: fc.Arbitrary<InputShape> = fc.constantFrom<InputShape>(
  () => ({ type: 'summary-finished', result: { text: 'All of it.', finish: 'stop' } }),
  () => ({ type: 'summary-finished', result: { text: 'Cut off', finish: 'length' } }),
  () => ({ type: 'summary-failed', error, isOverflow: false }),
  () => ({ type: 'summary-failed', error, isOverflow: true }),
);
const others: fc.Arbitrary<InputShape> = fc.oneof(
  limits.map(
    (next): InputShape =>
      () => ({ type: 'model-changed', limits: next }),
  ),
  fc.constantFrom<InputShape>(
    () => ({ type: 'turn-ended' }),
    () => ({ type: 'step-refused', error }),
    () => ({ type: 'compact' }),
    () => ({ type: 'idle', sinceMs: 1 }),
    () => ({ type: 'aborted' }),
    (id) => ({ type: 'aborted', message: step(id, [], { finish: undefined }) }),
    (id) => stepped(id, { finish: undefined, error }),
  ),
);
const prompts: InputShape = (id) => ({ type: 'user-message', message: user(id) });
const promptsInTurn: InputShape = (id, state) =>
  state.phase.state === 'requested' ? undefined : prompts(id, state);

const inputsWith = (prompt: InputShape, summary = summaries): fc.Arbitrary<readonly InputShape[]> =>
  fc.array(
    fc.oneof(
      { weight: 3, arbitrary: fc.constant(prompt) },
      { weight: 5, arbitrary: steps },
      { weight: 5, arbitrary: summary },
      { weight: 3, arbitrary: fc.constant<InputShape>(() => ({ type: 'turn-ended' })) },
      { weight: 4, arbitrary: others },
    ),
    { minLength: 5, maxLength: 60, size: 'max' },
  );

/** Prunes in the size of the outputs above. */
const byAge = { protectTokens: 0, minimumTokens: 40, guardTurns: 1 };
const document = resolvePolicy(policies['document-002'], { prune: { byAge } });
const opencode = resolvePolicy(policies['opencode-1.2.16'], { prune: { byAge } });

function movesOf(policy: Policy, first: Limits, shapes: readonly InputShape[]): readonly Move[] {
  const tools = testTools();
  let state = frozen(createState(policy, first));
  return shapes.flatMap((shape, index) => {
    const before = state;
    const input = shape(`i${index}`, before);
    if (input === undefined) return [];
    const next = transition(before, frozen(input), tools);
    state = frozen(next.state);
    return [{ before, input, next }];
  });
}

function violationsOf(...session: Parameters<typeof movesOf>): readonly Violation[] {
  return movesOf(...session).flatMap(createLawChecker());
}

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

  it('finds no law broken by document 002, whatever comes in', () => {
    fc.assert(
      fc.property(limits, inputsWith(promptsInTurn), (first, shapes) => {
        expect(violationsOf(document, first, shapes)).toEqual([]);
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
      ['no-boundary-without-text'],
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
    const input = { type: 'summary-failed', error, isOverflow: true } as const;
    const next = transition(before, input, tools);
    const sizes = { summaryInputTokens: 2, summaryWindowTokens: 1 };
    const violations = createLawChecker()({ before, input, next, sizes });
    expect(violations.map(({ law }) => law)).toEqual(['summary-request-fits']);
  });
});
