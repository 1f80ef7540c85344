import { describe, expect, it } from 'vitest';
import { policies, type PolicyName } from '../../../../src/engine/index.ts';
import { runTrace } from '../../../../src/simulator/replay/run-trace.ts';
import {
  createPartReader,
  createViewLog,
  type ShownPart,
  watchView,
} from '../../../../src/simulator/report/saved/view-log.ts';
import { step, text, user } from '../../../support/history.ts';
import { answer, ask, call, fixed, modelOf, traceOf } from '../../replay/lab.ts';
import { PART_STATES, type RunView } from '../../../../src/simulator/report/plots.ts';

const { pruned, left, injected, summary } = PART_STATES;

/** How a part is shown by a request; nothing where it is not. */
type Look = Partial<Pick<ShownPart, 'tokens' | 'isCleared' | 'kind'>>;

/** What becomes of one part that requests show like this, one after another. */
function statesOf(looks: readonly (Look | undefined)[], isOwn = false) {
  const shownBy = new Map(looks.map((look, index) => [`m${index}`, look]));
  const plain = { key: 'p', kind: 'answer', tokens: 100, isCleared: false, isOwn };
  const log = createViewLog(({ id }) => {
    const look = shownBy.get(id);
    return look === undefined ? [] : [{ ...plain, text: () => id, ...look }];
  }, true);
  for (const index of looks.keys()) {
    const view = [user(`m${index}`)];
    log.add({ view, history: view, sentAt: -index }, false);
  }
  return log.end();
}

describe('createViewLog', () => {
  it.each<[string, readonly (Look | undefined)[], readonly (readonly number[])[]]>([
    ['a part that stays', [{}, {}], []],
    ['one that comes cleared', [{ isCleared: true, tokens: 9 }], [[0, pruned, 0, 1, 9]]],
    ['one that is cleared', [{}, { isCleared: true, tokens: 9 }], [[1, pruned, 0, 1, 9]]],
    [
      'one that is rewritten, and stays so',
      [{}, { tokens: 50 }, { tokens: 50 }],
      [[1, pruned, 0, 1, 50]],
    ],
    [
      'one that goes and comes back',
      [{}, undefined, {}],
      [
        [1, left, 0, 1, 0],
        [2, injected, 0, 1, 100],
      ],
    ],
    [
      'one that comes back and is cleared then',
      [{}, undefined, { isCleared: true, tokens: 9 }],
      [
        [1, left, 0, 1, 0],
        [2, pruned, 0, 1, 9],
      ],
    ],
    ['a summary', [{ kind: 'summary' }], [[0, summary, 0, 1, 100]]],
  ])('tells of %s', (...[, looks, changes]) => {
    expect(statesOf(looks).changes).toEqual(changes);
  });

  it('tells what a policy puts there from what was recorded', () => {
    expect(statesOf([{}], true).changes).toEqual([[0, injected, 0, 1, 100]]);
  });

  it('has no pause that runs backwards', () => {
    expect(statesOf([{}, {}, {}]).pauses).toEqual([0, 0, 0]);
  });

  it('has the text of every form', () => {
    const { texts, tokens } = statesOf([{}, undefined, { isCleared: true, tokens: 9 }]);
    expect(texts).toEqual({ pool: ['m0', 'm2'], parts: [0], changes: [-1, 1] });
    expect(tokens).toEqual([100]);
  });
});

describe('createPartReader', () => {
  const read = createPartReader(traceOf([]), policies.none.render);

  it('shows nothing of a step that failed before it wrote anything', () => {
    const failed = { error: { name: 'APIError', message: 'overloaded' } };
    expect(read(step('s1', [text('t1', 'half')], failed), false)).toEqual([]);
    expect(read(step('s1', [text('t1', 'whole')]), false)).toHaveLength(1);
  });
});

const TURNS = 8;
const NAMES = Object.entries(PART_STATES);

/** Turns of two calls and an answer; a minute lies between two of them. */
const messages = Array.from({ length: TURNS }, (_, turn) => {
  const at = turn * 60_000;
  return [
    ask(`u${turn}`, 10, at),
    call(`c${turn}`, 900, { createdAt: at + 1_000 }),
    call(`d${turn}`, 700, { createdAt: at + 2_000 }),
    answer(`s${turn}`, 300, { createdAt: at + 3_000 }),
  ];
}).flat();

const { basis } = traceOf(messages);
/** Messages cost nothing by themselves, so that parts are all there is besides the overhead. */
const trace = traceOf(messages, { basis: { ...basis, perMessageTokens: 0 } });

function watch(name: PolicyName, hasTexts = false) {
  const policy = policies[name];
  const { onTransition, tell } = watchView(trace, { render: policy.render, hasTexts });
  const events = [
    ...runTrace(trace, { policy, model: modelOf(), summarizer: fixed, seed: 1, onTransition }),
  ];
  return { events, view: tell(events) };
}

/** What each part is at each request. */
function* statesOfWatchView({ tokens, came, changes }: RunView) {
  const parts: { state: number; tokens: number }[] = [];
  for (const [step, count] of came.entries()) {
    const from = parts.length;
    for (const size of tokens.slice(from, from + count)) parts.push({ state: 0, tokens: size });
    for (const [at, state, first, many, size] of changes) {
      if (at !== step) continue;
      for (const part of parts.slice(first, first + many))
        Object.assign(part, { state, tokens: size });
    }
    yield parts.map((part) => ({ ...part }));
  }
}

function namesOf(view: RunView): ReadonlySet<string | undefined> {
  const numbers = new Set([...statesOfWatchView(view)].flat().map(({ state }) => state));
  return new Set(NAMES.flatMap(([name, number]) => (numbers.has(number) ? [name] : [])));
}

describe('watchView', () => {
  it.each(Object.keys(policies) as PolicyName[])(
    'accounts for every token of every request of %s',
    (name) => {
      const { events, view } = watch(name);
      const steps = events.filter((event) => event.type === 'step-end');
      const sums = [...statesOfWatchView(view)].map((parts) =>
        parts.reduce((total, part) => total + part.tokens * Number(isShown(part.state)), 0),
      );
      expect(sums).toEqual(steps.map(({ contextTokens }) => contextTokens - basis.overheadTokens));
      expect(sums.length).toBeGreaterThanOrEqual(TURNS);
    },
  );

  it('tells what a pivot hides from what it puts there, and a prune from both', () => {
    expect(namesOf(watch('none').view)).toEqual(new Set(['kept']));
    expect(namesOf(watch('opencode-1.2.16').view)).toEqual(
      new Set(['kept', 'summarised', 'injected', 'summary']),
    );
  });

  it('tells how long after the one before each request was sent', () => {
    expect(watch('none').view.pauses.slice(0, 5)).toEqual([0, 1_000, 1_000, 58_000, 1_000]);
  });

  it('has no text of the session unless somebody asks for it', () => {
    expect(JSON.stringify(watch('opencode-1.2.16').view)).not.toContain('word');
    const { view } = watch('opencode-1.2.16', true);
    const { pool = [], parts = [] } = view.texts ?? {};
    const summary = view.kinds.indexOf('summary');
    expect(pool[parts[view.kind.indexOf(summary)] ?? -1]).toBe('## Goal\nAll of it.');
    expect(parts).toHaveLength(view.kind.length);
    expect(view.texts?.changes).toHaveLength(view.changes.length);
  });
});

function isShown(state: number): boolean {
  return state !== PART_STATES.summarised && state !== PART_STATES.left;
}
