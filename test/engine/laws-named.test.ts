import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ALL_GUARDS,
  type AssistantMessage,
  checkOverflow,
  createState,
  type Cut,
  type EngineEvent,
  filterCompacted,
  isSummary,
  type Limits,
  type LoopInput,
  type LoopState,
  type Message,
  markerOf,
  type ModelMessage,
  type Move,
  overflowRules,
  planCut,
  type Policy,
  policies,
  type PolicyOverrides,
  render,
  resolvePolicy,
  transition,
  type Usage,
  type ViewRuleName,
  viewRules,
} from '../../src/engine/index.ts';
import { longHistories, pivotedHistories, toolHistories } from '../support/arbitraries.ts';
import { frozen } from '../support/frozen.ts';
import { step, text, tool, usage, user } from '../support/history.ts';
import {
  byAge,
  type InputShape,
  inputsWith,
  limits,
  movesOf,
  prompts,
  stepped,
} from '../support/sessions.ts';
import { testTools } from '../support/tools.ts';

const SESSIONS = 50;
const error = { name: 'APIError', message: 'overloaded' };
const presets = Object.values<Policy>(policies).map((preset) => [preset.name, preset] as const);
/** Every preset as it is, and with all guards. */
const guarded = presets.flatMap(([name, preset]) => [
  [name, preset] as const,
  [`${name}, guarded`, resolvePolicy(preset, { guards: ALL_GUARDS })] as const,
]);
const sessions = fc.tuple(limits, inputsWith(prompts));
/** A prune that fires in many of those sessions, whatever the preset has. */
const eagerPrune = { enabled: true, when: 'turn-end', pass: 'by-age', byAge } as const;

/** Checks what a policy does in many sessions, and gives all of their moves. */
function play(
  policy: Policy,
  check: (moves: readonly Move[]) => void,
  list = sessions,
): readonly Move[] {
  const played: Move[] = [];
  fc.assert(
    fc.property(list, ([first, shapes]) => {
      const moves = movesOf(policy, first, shapes);
      check(moves);
      played.push(...moves);
    }),
    { numRuns: SESSIONS },
  );
  return played;
}

function eventsOf<Type extends EngineEvent['type']>(moves: readonly Move[], type: Type) {
  return moves
    .flatMap(({ next }) => next.events)
    .filter((event): event is EngineEvent & { readonly type: Type } => event.type === type);
}

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

/** A window in which the sessions below fit many times. */
const wide: Limits = { contextTokens: 100_000, outputTokens: 4_000 };
/** Tokens that the messages of such a session could be estimated at. */
const ESTIMATED_TOKENS = 5_000;
/** An output in tokens; exactly fifteen of them are no more than what is protected and the minimum. */
const OUTPUT_TOKENS = 10;
const MOST_OUTPUTS = 15;
const tight: PolicyOverrides = {
  prune: { byAge: { protectTokens: 100, minimumTokens: 50, guardTurns: 0 } },
};

/** The largest count that a policy lets pass. */
function largestCount({ trigger }: Policy): number {
  const rule = overflowRules[trigger.overflow];
  const usableTokens = Math.floor(rule.usable(wide, trigger));
  const newer = trigger.countsNewerMessages ? ESTIMATED_TOKENS : 0;
  return usableTokens - newer - (rule.comparison === '>' ? 0 : 1);
}

/** Turns by the outputs of each of their steps, and where in the range each step's usage lies. */
const turns = fc.array(
  fc.array(fc.record({ outputs: fc.nat({ max: 3 }), share: fc.constantFrom(0, 0.5, 1, 1) }), {
    minLength: 1,
    maxLength: 4,
  }),
  { minLength: 1, maxLength: 5, size: 'max' },
);
type Turns = typeof turns extends fc.Arbitrary<infer Value> ? Value : never;

function inputsOf(list: Turns, largest: number): readonly LoopInput[] {
  let outputs = 0;
  return list.flatMap((stepsOfTurn, turnIndex): readonly LoopInput[] => [
    { type: 'user-message', message: user(`u${turnIndex}`) },
    ...stepsOfTurn.map((shape, index): LoopInput => {
      const id = `s${turnIndex}-${index}`;
      const count = Math.min(shape.outputs, MOST_OUTPUTS - outputs);
      outputs += count;
      const finish = index === stepsOfTurn.length - 1 ? 'stop' : 'tool-calls';
      const message = step(id, outputsOf(id, count), {
        finish,
        usage: spread(Math.floor(largest * shape.share)),
      });
      return { type: 'step-finished', message };
    }),
    { type: 'turn-ended' },
    { type: 'idle', sinceMs: 1 },
    { type: 'model-changed', limits: wide },
  ]);
}

function outputsOf(id: string, count: number) {
  const outputs = Array.from({ length: count }, (_, index) =>
    tool(`${id}-${index + 1}`, OUTPUT_TOKENS * 4),
  );
  return [text(`${id}-0`, id), ...outputs];
}

/** A count in the kinds that every rule adds up. */
function spread(tokens: number): Usage {
  const cacheRead = Math.floor(tokens / 2);
  const output = Math.min(100, tokens - cacheRead);
  return usage({ input: tokens - cacheRead - output, cacheRead, output });
}

function run(policy: Policy, inputs: readonly LoopInput[]): readonly Move[] {
  const tools = testTools();
  let state = frozen(createState(policy, wide));
  return inputs.map((input) => {
    const before = state;
    const next = transition(before, frozen(input), tools);
    state = frozen(next.state);
    return { before, input, next };
  });
}

describe('below every trigger', () => {
  it.each(guarded)('nothing changes to the byte: %s', (_, preset) => {
    const policy = resolvePolicy(preset, tight);
    let atTheEdge = 0;
    fc.assert(
      fc.property(turns, (list) => {
        const inputs = inputsOf(list, largestCount(policy));
        const given = inputs.flatMap((input) =>
          'message' in input && input.message ? [input.message] : [],
        );
        const bytes = JSON.stringify(given);
        const moves = run(policy, inputs);
        const { history } = moves.at(-1)!.next.state;
        expect(JSON.stringify(history)).toBe(bytes);
        expect(history.every((message, index) => message === given[index])).toBe(true);
        expect(moves.flatMap(({ next }) => next.events).filter((event) => !isQuiet(event))).toEqual(
          [],
        );
        const asked = moves.flatMap(({ next }) => next.commands);
        const views = moves.map(({ next }) => next.state.history);
        const expected = moves.flatMap(({ next }, index) =>
          next.commands.map(({ type }) =>
            type === 'request'
              ? { type, view: views[index] }
              : { type: 'stop', reason: 'finished' },
          ),
        );
        expect(asked).toEqual(expected);
        if (given.flatMap(({ parts }) => parts).filter(isTool).length === MOST_OUTPUTS)
          atTheEdge += 1;
      }),
    );
    expect(atTheEdge).toBeGreaterThan(5);
  });

  const triggered = guarded.filter(([, { trigger }]) => trigger.auto);

  it.each(triggered)('and one token more is an overflow: %s', (_, policy) => {
    const { trigger } = policy;
    const largest = largestCount(policy) + (trigger.countsNewerMessages ? ESTIMATED_TOKENS : 0);
    const paths = [largest, largest + 1].map((count) => {
      const message = step('s1', [], { finish: 'tool-calls', usage: spread(count) });
      const moves = run(policy, [
        { type: 'user-message', message: user('u1') },
        { type: 'step-finished', message },
      ]);
      return eventsOf(moves, 'overflow').length;
    });
    expect(paths).toEqual([0, 1]);
  });

  const pruning = guarded.filter(([, { prune }]) => prune.enabled && prune.when === 'turn-end');

  it.each(pruning)('and one output more is a prune: %s', (_, preset) => {
    const policy = resolvePolicy(preset, tight);
    const states = [MOST_OUTPUTS, MOST_OUTPUTS + 1].map((count) => {
      const moves = run(policy, [
        { type: 'user-message', message: user('u1') },
        { type: 'step-finished', message: step('s1', outputsOf('s1', count)) },
        { type: 'turn-ended' },
      ]);
      return eventsOf(moves, 'pruned').map(({ plan }) => plan.state);
    });
    expect(states).toEqual([['below-minimum'], ['fire']]);
  });
});

function isTool({ type }: { readonly type: string }): boolean {
  return type === 'tool';
}

/** A prune that clears nothing, or a usage that a guard does not believe, changes nothing either. */
function isQuiet(event: EngineEvent): boolean {
  if (event.type === 'pruned') return event.plan.state !== 'fire';
  return event.type === 'usage-ignored';
}

const ruleNames = Object.keys(viewRules) as readonly ViewRuleName[];
/** Histories whose markers keep tails that start anywhere before them. */
const tailedHistories = fc
  .tuple(
    fc.oneof(pivotedHistories, toolHistories),
    fc.array(fc.nat({ max: 30 }), { minLength: 30, maxLength: 30 }),
  )
  .map(([history, starts]) =>
    history.map((message, index) => withTail(message, history[starts[index]! % (index + 1)]!.id)),
  );
const anyHistories = fc.oneof(pivotedHistories, tailedHistories, toolHistories);

function withTail(message: Message, tailStartId: string): Message {
  const marker = markerOf(message);
  return marker === undefined ? message : user(message.id, { ...marker, tailStartId });
}

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
    fc.assert(
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
    fc.assert(
      fc.property(anyHistories, fc.boolean(), fc.nat(), (history, mayReplay, at) => {
        const view = filterCompacted(history, policy.view);
        const parent = view[at % view.length]!;
        const cut = planCut({ view, parentId: parent.id, mayReplay }, policy, {
          contextTokens: 2_000,
        });
        const sides = [cut.head, tailOf(view, cut)].map((side) => render(side, policy.render));
        expect(sides.flatMap(unpaired)).toEqual([]);
        if (cut.tailStartId !== undefined || cut.recent !== undefined || cut.replay !== undefined) {
          divided += 1;
        }
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

/** Rules that start at a summary and hide the user messages before it, or that count messages only. */
const HIDES_NEWEST: readonly ViewRuleName[] = [
  'v0.8.0',
  'v1.0.40',
  'v2.0',
  'document-004',
  'rolling-window',
];
const ids = (messages: readonly Message[]) => messages.map(({ id }) => id);

describe.each(ruleNames)('the view by rule %s', (rule) => {
  const source = rule === 'rolling-window' ? longHistories : anyHistories;
  const holds = (law: (view: readonly Message[], history: readonly Message[]) => void) => {
    fc.assert(
      fc.property(source, (history) => {
        const view = filterCompacted(frozen(history), rule);
        fc.pre(view.length < history.length);
        law(view, history);
      }),
      { numRuns: 200 },
    );
  };

  const isRearranged = rule === 'v1.14.40' || rule === 'document-004';
  const name = isRearranged ? ', where its tail holds no older pivot' : '';

  it(`is its own view${name}`, () => {
    holds((view) => {
      fc.pre(!isRearranged || view.filter(isSummary).length === 1);
      expect(ids(filterCompacted(view, rule))).toEqual(ids(view));
    });
  });

  it('shows no message twice, and none that is not in the history', () => {
    holds((view, history) => {
      expect(new Set(view).size).toBe(view.length);
      expect(new Set(ids(view)).size).toBe(view.length);
      expect(view.filter((message) => !history.includes(message))).toEqual([]);
    });
  });

  it.skipIf(HIDES_NEWEST.includes(rule))('contains the newest user message', () => {
    holds((view, history) => {
      expect(view).toContain(history.findLast(({ role }) => role === 'user'));
    });
  });

  it('contains whatever is newer than the newest summary', () => {
    holds((view, history) => {
      const newer = history.slice(history.findLastIndex(isSummary) + 1);
      const shown = rule === 'rolling-window' ? newer.slice(-view.length) : newer;
      expect(view).toEqual(expect.arrayContaining([...shown]));
    });
  });

  it.skipIf(rule === 'rolling-window')('shows nothing before the newest pivot and its tail', () => {
    holds((view, history) => {
      const start = pivotStart(history, rule);
      expect(view.filter((message) => history.indexOf(message) < start)).toEqual([]);
    });
  });
});

/** Where the newest pivot that a rule accepts, or the tail that it keeps, begins. */
function pivotStart(history: readonly Message[], rule: ViewRuleName): number {
  if (rule === 'v0.8.0' || rule === 'v1.0.40') return Math.max(0, history.findLastIndex(isSummary));
  const isComplete = (message: Message): message is AssistantMessage =>
    isSummary(message) &&
    Boolean(message.finish) &&
    (rule === 'v1.0.69' || message.error === undefined);
  const newest = history.findLastIndex(isComplete);
  if (rule === 'v2.0') return Math.max(0, newest);
  const markerIndex =
    rule === 'document-004'
      ? history.findIndex(({ id }) => id === (history[newest] as AssistantMessage).parentId)
      : history.findLastIndex(
          (message, index) =>
            markerOf(message) !== undefined &&
            history
              .slice(index)
              .some((other) => isComplete(other) && other.parentId === message.id),
        );
  const keepsTail = rule !== 'v1.0.69' && rule !== 'v1.2.16';
  const marker = history[markerIndex];
  const tailStartId = marker && keepsTail ? markerOf(marker)?.tailStartId : undefined;
  if (tailStartId !== undefined) return history.findIndex(({ id }) => id === tailStartId);
  return rule === 'document-004' ? newest : Math.max(0, markerIndex);
}

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

describe('a summary that failed, was rejected or aborted', () => {
  /** Where a release keeps what is left of a failed attempt, this shows that nothing else does. */
  const restoring = guarded
    .filter(([, { cut }]) => cut.keep !== 'everything')
    .map(([name, preset]) => {
      const isListed = lists(preset, 'failed-summary-changes-nothing');
      const policy = resolvePolicy(preset, {
        trigger: { reservedTokens: 20 },
        ...(isListed && { summary: { onFailure: 'roll-back' } }),
      });
      return [isListed ? `${name}, rolling back` : name, policy] as const;
    });

  it.each(restoring)('leaves the history as it was, to the byte: %s', (_, policy) => {
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

function lists({ breaks }: Policy, law: string): boolean {
  return breaks.some((broken) => broken.law === law);
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
    const options = { ...trigger, rule: trigger.overflow };
    return checkOverflow(input.message.usage, before.limits, options).isOverflow;
  };
}
