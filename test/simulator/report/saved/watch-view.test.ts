import { describe, expect, it } from 'vitest';
import { policies, type PolicyName } from '../../../../src/engine/index.ts';
import { runTrace } from '../../../../src/simulator/replay/run-trace.ts';
import { PART_STATES, type RunView } from '../../../../src/simulator/report/saved/run-view.ts';
import { watchView } from '../../../../src/simulator/report/saved/watch-view.ts';
import { answer, ask, call, fixed, modelOf, traceOf } from '../../replay/lab.ts';

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
function* statesOf({ tokens, came, changes }: RunView) {
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
  const numbers = new Set([...statesOf(view)].flat().map(({ state }) => state));
  return new Set(NAMES.flatMap(([name, number]) => (numbers.has(number) ? [name] : [])));
}

describe('watchView', () => {
  it.each(Object.keys(policies) as PolicyName[])(
    'accounts for every token of every request of %s',
    (name) => {
      const { events, view } = watch(name);
      const steps = events.filter((event) => event.type === 'step-end');
      const sums = [...statesOf(view)].map((parts) =>
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

  it('knows of what a pivot took before any request could show it', () => {
    const { view } = watch('opencode-1.2.16');
    const outputs = view.kind.filter((kind) => view.kinds[kind] === 'tool bash');
    expect(outputs).toHaveLength(2 * TURNS);
    const recorded = new Set(watch('none').view.kinds);
    expect([...recorded].every((kind) => view.kinds.includes(kind))).toBe(true);
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
