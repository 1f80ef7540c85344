import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { firstItems, type List, toArray } from '../../../src/engine/history.ts';
import {
  applyPrune,
  checkPrune,
  checkRequest,
  createLawChecker,
  createRequestChecker,
  createState,
  type EngineEvent,
  filterCompacted,
  isSummary,
  type LawName,
  type LoopState,
  type Message,
  type ModelContent,
  type ModelMessage,
  planByAge,
  policies,
  type Policy,
  type PrunePlan,
  type RequestChecker,
  resolvePolicy,
  transition,
  type ViewRuleName,
  viewRules,
} from '../../../src/engine/index.ts';
import { pairingProblems } from '../../../src/engine/invariants/check.ts';
import { changeState } from '../../../src/engine/state.ts';
import {
  byAgeOptions,
  longHistories,
  pivotedHistories,
  toolHistories,
} from '../../support/arbitraries.ts';
import { growAll } from '../../support/grow-all.ts';
import { marker, step, summary, tool, usage, user } from '../../support/history.ts';
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
import { withTails } from '../../support/tailed-histories.ts';
import { testTools } from '../../support/tools.ts';
import {
  c1,
  empty,
  type History,
  outputs,
  s1,
  stateOf,
  u1,
  u2,
  x1,
} from './examples/situations.ts';

const ruleNames = Object.keys(viewRules) as readonly ViewRuleName[];
const anyHistories = fc.oneof(pivotedHistories, withTails(pivotedHistories));

describe('checkRequest', () => {
  it.each(ruleNames)('finds nothing in what the view rule %s shows', (rule) => {
    const sessions = rule === 'rolling-window' ? longHistories : anyHistories;
    fc.assert(
      fc.property(sessions, (history) => {
        const view = filterCompacted(history, rule);
        fc.pre(view.length < history.length);
        // What an earlier pivot had kept may be kept again, behind the summary of that one.
        const isKeptTwice =
          ['document-004', 'marker-first'].includes(rule) && view.filter(isSummary).length > 1;
        const known = isKeptTwice ? ['nothing-before-the-pivot', 'ordered-by-time'] : [];
        const found = checkRequest({ state: stateOf(history), view });
        expect(found.filter(({ law }) => !known.includes(law))).toEqual([]);
      }),
    );
  });

  it('finds the same bit by bit as at once, in any history', () => {
    fc.assert(
      fc.property(pivotedHistories, (history) => {
        const check = createRequestChecker();
        const twice = [...history, ...history.slice(0, 1)];
        const bits = twice.flatMap((_, index) =>
          check({ state: stateOf(history), view: twice.slice(0, index + 1) }),
        );
        const atOnce = checkRequest({ state: stateOf(history), view: twice });
        expect(bits.map(({ law }) => law)).toEqual(
          expect.arrayContaining(atOnce.map(({ law }) => law)),
        );
      }),
    );
  });
});

describe('checkPrune', () => {
  it('finds nothing in what the pass by age does', () => {
    fc.assert(
      fc.property(toolHistories, byAgeOptions, (before, options) => {
        const estimator = { charsPerToken: 4, rounding: 'round' } as const;
        const plan = planByAge(before, options, estimator);
        fc.pre(plan.state === 'fire');
        const after = applyPrune(before, plan, 9);
        expect(checkPrune({ before, after, plan, isEnabled: true, options, estimator })).toEqual(
          [],
        );
      }),
    );
  });

  it('sees that a plan which fires changed nothing', () => {
    const history = [u1];
    const found = checkPrune({
      before: history,
      after: history,
      plan: { state: 'fire', partIds: ['t1'], estimatedTokens: 1 },
      isEnabled: true,
      options: { guardTurns: 0, protectedTools: [], minimumTokens: 0 },
      estimator: { charsPerToken: 4, rounding: 'round' },
    });
    expect(found.map(({ law }) => law)).toEqual(['prune-clears-what-it-planned']);
  });

  it('takes no output for cleared by a pass that was so before, whoever made it anew', () => {
    const history = [u1, step('s1', [tool('t1', 9, { compactedAt: 1 })])];
    const found = checkPrune({
      before: history,
      after: structuredClone(history),
      plan: { state: 'nothing', partIds: [], estimatedTokens: 0 },
      isEnabled: false,
      options: { guardTurns: 0, protectedTools: [], minimumTokens: 0 },
      estimator: { charsPerToken: 4, rounding: 'round' },
    });
    expect(found).toEqual([]);
  });

  it('sees a cleared output in a message that a pass has put behind the others', () => {
    const estimator = { charsPerToken: 4, rounding: 'round' } as const;
    const plan = { state: 'nothing', partIds: [], estimatedTokens: 0 } as const;
    const added = outputs('s2', tool('t2', 'b', { compactedAt: 1 }));
    const found = checkPrune({
      before: [u1],
      after: [u1, added],
      plan,
      isEnabled: true,
      options: { guardTurns: 0, protectedTools: [], minimumTokens: 0 },
      estimator,
    });
    expect(found.map(({ law }) => law)).toContain('prune-clears-what-it-planned');
  });
});

const at = (check: RequestChecker, view: List<Message>, history: List<Message> = view) =>
  check({ state: changeState(stateOf([]), { history }), view }).map(({ law, messageIds }) => [
    law,
    ...messageIds,
  ]);

describe('createRequestChecker', () => {
  it('says once what a growing view breaks', () => {
    const check = createRequestChecker();
    expect(at(check, [u1, s1, u1], [u1, s1])).toEqual([
      ['ordered-by-time', 'u1'],
      ['no-message-twice', 'u1'],
    ]);
    expect(at(check, [u1, s1, u1, u2], [u1, s1, u2])).toEqual([]);
  });

  it('compares what is new with what was seen before', () => {
    const check = createRequestChecker();
    const first = outputs('s1', tool('t1', 'a'));
    const second = outputs('s2', tool('t1', 'b'));
    expect(at(check, [u1, first])).toEqual([]);
    expect(at(check, [u1, first, second])).toEqual([['calls-paired', 's2']]);
    expect(at(check, [u1, first, second, u1])).toEqual(
      expect.arrayContaining([['no-message-twice', 'u1']]),
    );
  });

  it('sees that what is new stands before what was seen', () => {
    const check = createRequestChecker();
    expect(at(check, [u2], [u1, u2])).toEqual([]);
    expect(at(check, [u2, u1], [u1, u2])).toEqual([['ordered-by-time', 'u1']]);
  });

  it('looks at everything again where a summary is new, and only then', () => {
    const check = createRequestChecker();
    expect(at(check, [u1, c1])).toEqual([]);
    expect(at(check, [u1, c1, x1, u2])).toEqual([['nothing-before-the-pivot', 'u1']]);
    expect(at(check, [u1, c1, x1, u2, s1])).toEqual([]);
  });

  it('says once that a pivot is empty', () => {
    const check = createRequestChecker();
    const boundary = empty('x1', 'c1');
    expect(at(check, [boundary], [u1, c1, boundary])).toEqual([['no-boundary-without-text', 'x1']]);
    expect(at(check, [boundary, u2], [u1, c1, boundary, u2])).toEqual([]);
  });

  it('says once that an old message is shown', () => {
    const check = createRequestChecker();
    expect(at(check, [u1], [u1, c1, x1])).toEqual([['nothing-before-the-pivot', 'u1']]);
    expect(at(check, [u1, u2], [u1, c1, x1, u2])).toEqual([]);
  });

  it.each<[string, History, History, readonly string[]]>([
    ['another order', [u2, u1], [u1, u2], ['ordered-by-time u1']],
    ['the end of its history', [u1, u2], [u1, c1, x1, u1, u2], []],
    ['what a pivot hides', [u1], [u1, c1, x1], ['nothing-before-the-pivot u1']],
    ['a pivot behind it', [u1, c1, x1], [u1, c1, x1], ['nothing-before-the-pivot u1']],
    ['a pivot before it', [c1, x1, u1], [u1, c1, x1], ['nothing-before-the-pivot u1']],
    [
      'a queued marker behind it',
      [user('u7'), marker('c1')],
      [x1, user('u7'), marker('c1')],
      ['nothing-before-the-pivot u7'],
    ],
    [
      'the newest of two under one id',
      [u1, s1, u1],
      [u1, s1, u1],
      ['ordered-by-time s1', 'no-message-twice u1'],
    ],
  ])('looks at all of the first view of a session: %s', (...[, view, history, expected]) => {
    const found = at(createRequestChecker(), view, history);
    expect(found.map((law) => law.join(' '))).toEqual(expected);
  });

  it('lets the marker of the newest summary show what a later marker of an older one would hide', () => {
    const [one, other, between] = [marker('c8'), marker('c9'), user('u8')];
    const summaries = [summary('x8', 'c8'), summary('x9', 'c9')];
    const history = [...summaries, u1, other, between, one];
    expect(at(createRequestChecker(), [other, between, one], history)).toEqual([]);
    expect(at(createRequestChecker(), [u1, other, between, one], history)).toEqual([
      ['nothing-before-the-pivot', 'u1'],
    ]);
  });

  it('compares a message that grew in with calls that were seen out of order', () => {
    const check = createRequestChecker();
    const views = [[u2], [outputs('s1', tool('t1', 'a'))], [outputs('s2', tool('t1', 'b'))]];
    const [first, second, third] = seriesOf(views);
    expect(at(check, first!)).toEqual([]);
    expect(at(check, second!, [...toArray(second!), u1])).toEqual([]);
    expect(at(check, third!)).toEqual([['calls-paired', 's2']]);
  });

  it('sees what follows a message that was changed in its place', () => {
    const check = createRequestChecker();
    expect(at(check, [u1, s1])).toEqual([]);
    expect(at(check, [u1, { ...s1 }, u1], [u1, { ...s1 }])).toContainEqual([
      'no-message-twice',
      'u1',
    ]);
  });

  it('does not take a call for used that was never sent', () => {
    const check = createRequestChecker();
    const failed = step('s1', [tool('t1', 'a')], { error: { name: 'APIError', message: '' } });
    expect(at(check, [u1, failed])).toEqual([]);
    expect(at(check, [u1, failed, outputs('s2', tool('t1', 'a'))])).toEqual([]);
  });

  it('looks at everything again where the view starts otherwise', () => {
    const check = createRequestChecker();
    expect(at(check, [u1, s1])).toEqual([]);
    expect(at(check, [c1, x1, s1], [u1, c1, x1, s1])).toEqual([]);
    expect(at(check, [c1, x1, s1, x1], [u1, c1, x1, s1])).toEqual(
      expect.arrayContaining([['no-message-twice', 'x1']]),
    );
  });

  it('forgets the messages that are no longer shown', () => {
    const check = createRequestChecker();
    const first = outputs('s1', tool('t1', 'a'));
    expect(at(check, [u1, first])).toEqual([]);
    expect(at(check, [u2, outputs('s2', tool('t1', 'b'))])).toEqual([]);
  });

  it('takes a message that was changed for another', () => {
    const check = createRequestChecker();
    const history = [u1, outputs('s1', tool('t1', 'a')), u2];
    expect(at(check, history)).toEqual([]);
    expect(
      at(
        check,
        history.map((message) => ({ ...message })),
      ),
    ).toEqual([]);
  });

  it('looks at what stands in the place of another message, and at what is new behind it', () => {
    const check = createRequestChecker();
    const [first, second] = [outputs('s1', tool('t1', 'a')), outputs('s2', tool('t2', 'b'))];
    expect(at(check, [u1, first, u2, second])).toEqual([]);
    const changed = outputs('s1', tool('t2', 'a'));
    expect(at(check, [u1, changed, u2, second])).toEqual([['calls-paired', 's1']]);
    const other = createRequestChecker();
    expect(at(other, [u1, first, u2])).toEqual([]);
    expect(
      at(other, [u1, outputs('s1', tool('t3', 'a')), u2, outputs('s3', tool('t3', 'b'))]),
    ).toEqual([['calls-paired', 's3']]);
  });

  it('knows a message that stands in the place of another by its own id', () => {
    const check = createRequestChecker();
    const renamed = { ...s1, id: 's9' };
    expect(at(check, [u1, s1, u2])).toEqual([]);
    expect(at(check, [u1, renamed, u2])).toEqual([]);
    expect(at(check, [u1, renamed, u2, user('s9')])).toContainEqual(['no-message-twice', 's9']);
  });

  it('takes the ids of calls that are gone with a message for free', () => {
    const check = createRequestChecker();
    expect(at(check, [u1, outputs('s1', tool('t1', 'a')), u2])).toEqual([]);
    const history = [u1, outputs('s1', tool('t3', 'a')), u2, outputs('s2', tool('t1', 'b'))];
    expect(at(check, history)).toEqual([]);
  });

  it('looks again at what follows a change where a law was broken', () => {
    const check = createRequestChecker();
    const [first, second] = [outputs('s1', tool('t1', 'a')), outputs('s2', tool('t1', 'b'))];
    expect(at(check, [u1, first, second])).toEqual([['calls-paired', 's2']]);
    expect(at(check, [{ ...u1 }, first, second])).toEqual([['calls-paired', 's2']]);
  });

  it('finds after any change of a view what it finds in all of it', () => {
    const replaced = fc.tuple(toolHistories, fc.nat(), fc.nat(), fc.nat(3));
    fc.assert(
      fc.property(replaced, ([history, one, other, kept]) => {
        fc.pre(history.length > 2);
        const check = createRequestChecker();
        const before = history.slice(0, Math.max(1, history.length - kept));
        fc.pre(at(check, before, history).length === 0);
        const place = one % before.length;
        const source = history[other % history.length]!;
        const view = history.with(place, { ...history[place]!, parts: source.parts });
        // Of two messages with one id either may be named.
        const lawsOf = (checker: RequestChecker) => at(checker, view).map(([law]) => law);
        expect(lawsOf(check)).toEqual(lawsOf(createRequestChecker()));
      }),
    );
  });
});

/** Views of which each grew out of the one before by some messages. */
function seriesOf(added: readonly History[]): readonly List<Message>[] {
  let view: List<Message> = [];
  return added.map((messages) => (view = growAll(view, messages)));
}

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

const call = (callId: string): ModelContent => ({
  type: 'tool-call',
  callId,
  tool: 'bash',
  input: {},
});
const result = (callId: string): ModelContent => ({
  type: 'tool-result',
  callId,
  tool: 'bash',
  output: '',
  isError: false,
  attachments: [],
});
const said: ModelContent = { type: 'text', text: 'a' };
const by = (role: ModelMessage['role'], ...content: readonly ModelContent[]): ModelMessage => ({
  role,
  content,
});

const USED_TWICE = 'a call id is used twice';
const NO_CALL = 'a result has no call before it';
const NO_RESULT = 'a call has no result';

describe('pairingProblems', () => {
  it.each<[string, readonly ModelMessage[], readonly string[]]>([
    ['nothing in no messages', [], []],
    ['nothing in texts', [by('user', said), by('assistant', said)], []],
    ['nothing in a pair', [by('assistant', said, call('a')), by('tool', result('a'))], []],
    [
      'nothing in pairs of any order',
      [by('assistant', call('a'), call('b')), by('tool', result('b'), result('a'))],
      [],
    ],
    [
      'a call without a result',
      [by('assistant', call('a')), by('tool', result('b'))],
      [NO_CALL, NO_RESULT],
    ],
    ['a call at the end', [by('assistant', call('a'))], [NO_RESULT]],
    ['a result without a call', [by('tool', result('a'))], [NO_CALL]],
    [
      'a result before its call',
      [by('tool', result('a')), by('assistant', call('a'))],
      [NO_CALL, NO_RESULT],
    ],
    [
      'two results of a call',
      [by('assistant', call('a')), by('tool', result('a'), result('a'))],
      [NO_CALL],
    ],
    [
      'an id that was used before',
      [by('assistant', call('old')), by('tool', result('old'))],
      [USED_TWICE],
    ],
  ])('finds %s', (_, sent, expected) => {
    expect(pairingProblems(sent, (callId) => callId === 'old')).toEqual(expected);
  });
});
