import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  applyPrune,
  type AssistantMessage,
  createLawChecker,
  createState,
  type EngineEvent,
  type LawName,
  type Limits,
  type LoopInput,
  type Move,
  policies,
  type Policy,
  type PrunePlan,
  resolvePolicy,
  transition,
  type Violation,
} from '../../../src/engine/index.ts';
import { frozen } from '../../support/frozen.ts';
import { type Overrides, step, text, tool, usage, user } from '../../support/history.ts';
import { testTools } from '../../support/tools.ts';

/** What an input will be once it has an id. */
type InputShape = (id: string) => LoopInput;

const limits: fc.Arbitrary<Limits> = fc.record({
  contextTokens: fc.constantFrom(0, 40, 150, 150, 1_000),
  outputTokens: fc.constantFrom(0, 20, 50),
});
const error = { name: 'APIError', message: 'overloaded' };

const stepped =
  (overrides: Overrides<AssistantMessage>): InputShape =>
  (id) => {
    const skill = tool(`${id}-2`, 200, { tool: 'skill' });
    const parts = [text(`${id}-0`, id), tool(`${id}-1`, 200), skill];
    return { type: 'step-finished', message: step(id, parts, overrides) };
  };
const answered =
  (summary: string): InputShape =>
  () => ({ type: 'summary-finished', result: { text: summary, finish: 'stop' } });
const prompt: InputShape = (id) => ({ type: 'user-message', message: user(id) });
const over = stepped({ finish: 'tool-calls', usage: usage({ input: 5_000 }) });
const under = stepped({ finish: 'stop', usage: usage({ input: 60 }) });
const refused: InputShape = () => ({ type: 'step-refused', error });
const summarised = answered('All of it.');
const summaryFailed: InputShape = () => ({ type: 'summary-failed', error, isOverflow: false });
const aborted: InputShape = () => ({ type: 'aborted' });
const turnEnded: InputShape = () => ({ type: 'turn-ended' });

const others: fc.Arbitrary<InputShape> = fc.oneof(
  limits.map(
    (next): InputShape =>
      () => ({ type: 'model-changed', limits: next }),
  ),
  fc.constantFrom<InputShape>(
    refused,
    aborted,
    () => ({ type: 'compact' }),
    () => ({ type: 'idle', sinceMs: 1 }),
    (id) => ({ type: 'aborted', message: step(id, [], { finish: undefined }) }),
    stepped({ finish: undefined, error }),
  ),
);
/** No prompt comes while a step runs, and no summary is empty: see the examples below. */
const inputs: fc.Arbitrary<readonly (InputShape | 'prompt')[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.constant('prompt' as const) },
    { weight: 6, arbitrary: fc.constantFrom(over, over, under, stepped({ usage: usage() })) },
    { weight: 4, arbitrary: fc.constantFrom(summarised, summarised, summaryFailed) },
    { weight: 2, arbitrary: fc.constant(turnEnded) },
    { weight: 3, arbitrary: others },
  ),
  { minLength: 5, maxLength: 30, size: 'max' },
);

/** Prunes in the size of the outputs above. */
const byAge = { protectTokens: 0, minimumTokens: 40 };
const document = resolvePolicy(policies['document-002'], { prune: { byAge } });
const opencode = resolvePolicy(policies['opencode-1.2.16'], { prune: { byAge } });

function movesOf(
  policy: Policy,
  first: Limits,
  shapes: readonly (InputShape | 'prompt')[],
): readonly Move[] {
  const tools = testTools();
  let state = frozen(createState(policy, first));
  return shapes.flatMap((shape, index) => {
    const before = state;
    if (shape === 'prompt' && before.phase.state === 'requested') return [];
    const input = (shape === 'prompt' ? prompt : shape)(`i${index}`);
    const next = transition(before, frozen(input), tools);
    state = frozen(next.state);
    return [{ before, input, next }];
  });
}

function violationsOf(...session: Parameters<typeof movesOf>): readonly Violation[] {
  return movesOf(...session).flatMap(createLawChecker());
}

describe('createLawChecker', () => {
  it('is tried on sessions that compact, fail to, and prune', () => {
    const sessions = fc
      .sample(fc.tuple(limits, inputs), { numRuns: 200, seed: 1 })
      .map(([first, shapes]) =>
        movesOf(document, first, shapes).flatMap(({ next }) => next.events),
      );
    const share = (isCase: (event: EngineEvent) => boolean) =>
      sessions.filter((events) => events.some(isCase)).length / sessions.length;
    expect(share(({ type }) => type === 'compacted')).toBeGreaterThan(0.4);
    expect(share(({ type }) => type === 'summary-failed')).toBeGreaterThan(0.2);
    expect(
      share((event) => event.type === 'pruned' && event.plan.state === 'fire'),
    ).toBeGreaterThan(0.1);
  });

  it('finds no law broken by document 002, whatever comes in', () => {
    fc.assert(
      fc.property(limits, inputs, (first, shapes) => {
        expect(violationsOf(document, first, shapes)).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });

  it.each<[string, Policy, readonly InputShape[], readonly LawName[]]>([
    ['nothing in a session that compacts', document, [prompt, over, summarised, over], []],
    [
      'a prompt that is summarised before anybody answers it',
      document,
      [prompt, prompt, over, summarised],
      ['newest-request-visible'],
    ],
    [
      'a refused prompt that is summarised, for nothing precedes it',
      opencode,
      [prompt, refused, summarised],
      ['newest-request-visible'],
    ],
    [
      'nothing in a refused prompt that is replayed',
      opencode,
      [prompt, under, prompt, refused, summarised],
      [],
    ],
    [
      'an empty summary that is accepted',
      document,
      [prompt, over, answered(''), over],
      ['no-boundary-without-text'],
    ],
    [
      'what a failed summary leaves behind',
      opencode,
      [prompt, over, summaryFailed],
      ['failed-summary-changes-nothing'],
    ],
    [
      'what an aborted summary leaves behind',
      opencode,
      [prompt, over, aborted],
      ['failed-summary-changes-nothing'],
    ],
    ['nothing in an abort that is rolled back', document, [prompt, over, aborted], []],
    ['nothing in a step that is aborted', document, [prompt, aborted], []],
    [
      'a compaction right after another, which no longer replays the prompt',
      opencode,
      [prompt, under, prompt, refused, summarised, refused, summarised],
      ['one-compaction-per-step', 'newest-request-visible'],
    ],
    [
      'a compaction with auto off',
      resolvePolicy(opencode, { trigger: { auto: false } }),
      [prompt, under, prompt, refused],
      ['auto-off-means-never'],
    ],
  ])('finds %s', (...[, policy, shapes, expected]) => {
    const violations = violationsOf(policy, { contextTokens: 150, outputTokens: 50 }, shapes);
    expect(violations.map(({ law }) => law)).toEqual(expected);
  });

  it('finds what a prune does against its options', () => {
    const tools = testTools();
    const [first, second] = [prompt, under].map((shape, index) => shape(`i${index}`));
    const start = createState(document, { contextTokens: 0 });
    const before = [first, second].reduce(
      (state, input) => transition(state, input!, tools).state,
      start,
    );
    const input = { type: 'turn-ended' } as const;
    const plan: PrunePlan = { state: 'fire', partIds: ['i1-2'], estimatedTokens: 50 };
    const history = applyPrune(before.history, plan, 9);
    const next = {
      state: { ...before, history },
      commands: [],
      events: [{ type: 'pruned', plan }],
    } as const;
    expect(createLawChecker()({ before, input, next }).map(({ law }) => law)).toEqual([
      'prune-keeps-guarded-turns',
      'prune-keeps-protected-tools',
    ]);
  });

  it('passes the sizes of a pivot on', () => {
    const moves = movesOf(document, { contextTokens: 150, outputTokens: 50 }, [
      prompt,
      over,
      summarised,
    ]);
    const sizes = { summaryInputTokens: 2, summaryWindowTokens: 1 };
    const violations = createLawChecker()({ ...moves.at(-1)!, sizes });
    expect(violations.map(({ law }) => law)).toEqual(['summary-request-fits']);
  });
});
