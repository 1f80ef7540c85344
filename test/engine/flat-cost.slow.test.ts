import { beforeAll, describe, expect, it } from 'vitest';
import type { LoopInput, LoopState, Move, PolicyName, Transition } from '../../src/engine/index.ts';
import { type OperationCount, withOperationCount } from '../support/count-operations.ts';
import { step, text, tool, usage, user } from '../support/history.ts';
import { testTools } from '../support/tools.ts';

const STEPS_OF_TURN = 20;
/** Steps that are counted, early in a session and late in it. */
const COUNTED_STEPS = 100;
const EARLY = 100;
const LATE = 900;
/** A scan over the session would make nine times as many. */
const MOST_GROWTH = 1.1;
const TOKENS_OF_MESSAGE = 1_000;
const OUTPUT_CHARS = 4_000;
const SMALL = { contextTokens: 32_000, outputTokens: 4_000 };
const UNLIMITED = { contextTokens: 0 };
const load = () => import('../../src/engine/index.ts');
type Engine = Awaited<ReturnType<typeof load>>;

/** A policy in a session that it has to compact or to prune again and again, or in which nothing may go. */
interface Case {
  readonly policy: PolicyName;
  readonly limits: typeof SMALL | typeof UNLIMITED;
  readonly toolName: string;
}

const CASES = {
  'with pivots': { policy: 'opencode-1.2.16', limits: SMALL, toolName: 'read' },
  'with pivots that keep a tail': { policy: 'opencode-1.18', limits: SMALL, toolName: 'read' },
  'with checkpoints': { policy: 'opencode-2.0', limits: SMALL, toolName: 'read' },
  'with summaries without a marker': { policy: 'opencode-0.8', limits: SMALL, toolName: 'read' },
  'with prunes': { policy: 'opencode-1.2.16', limits: UNLIMITED, toolName: 'read' },
  'with protected output': { policy: 'opencode-1.2.16', limits: UNLIMITED, toolName: 'skill' },
} as const satisfies Record<string, Case>;

type CaseName = keyof typeof CASES;

describe('the loop and its laws', () => {
  const names = Object.keys(CASES) as CaseName[];
  let counts: ReadonlyMap<CaseName, ReturnType<typeof countSteps>>;
  beforeAll(async () => {
    counts = await withOperationCount(
      load,
      (engine, count) =>
        new Map(names.map((name) => [name, countSteps(engine, count, CASES[name])])),
    );
  });

  it.each(names)('do as much for a step late in a session as early in it: %s', (name) => {
    const { early = 0, late = 0, isReached = false } = counts.get(name) ?? {};
    expect(isReached).toBe(true);
    expect(early).toBeGreaterThan(COUNTED_STEPS);
    expect(late / early).toBeLessThan(MOST_GROWTH);
  });
});

/** What some steps take early in a session and late in it, and whether the session is what it is to be. */
function countSteps(engine: Engine, count: OperationCount, { policy, limits, toolName }: Case) {
  const events = new Set<string>();
  const session = openSession(engine, { policy, limits }, ({ next }) => {
    for (const event of next.events) {
      if (event.type !== 'pruned' || event.plan.state === 'fire') events.add(event.type);
    }
  });
  const stepsFrom = (first: number, end: number) => () => {
    for (let nth = first; nth < end; nth++) session.step(nth, toolName);
  };
  stepsFrom(0, EARLY)();
  const early = count.during(stepsFrom(EARLY, EARLY + COUNTED_STEPS));
  stepsFrom(EARLY + COUNTED_STEPS, LATE)();
  const late = count.during(stepsFrom(LATE, LATE + COUNTED_STEPS));
  const isPivoted = events.has('compacted');
  const isReached = limits === SMALL ? isPivoted : events.has('pruned') === (toolName === 'read');
  return { early, late, isReached };
}

/** A session that is fed with steps, each checked against all laws. */
function openSession(
  engine: Engine,
  { policy, limits }: Omit<Case, 'toolName'>,
  onMove: (move: Move) => void,
) {
  const tools = testTools();
  const checkLaws = engine.createLawChecker();
  const rules = engine.resolvePolicy(engine.policies[policy], { prune: { enabled: true } });
  const summary = engine.headingsOf(rules.summary.instruction).join('\n');
  let state: LoopState = engine.createState(rules, limits);
  const feed = (input: LoopInput) => {
    const before = state;
    const next: Transition = engine.transition(before, input, tools);
    state = next.state;
    checkLaws({ before, input, next });
    onMove({ before, input, next });
    if (next.commands.some(({ type }) => type === 'summarise'))
      feed({ type: 'summary-finished', result: { text: summary, finish: 'stop' } });
  };
  return {
    step: (nth: number, toolName: string) => {
      const isLast = (nth + 1) % STEPS_OF_TURN === 0;
      if (nth % STEPS_OF_TURN === 0) feed({ type: 'user-message', message: user(`u${nth}`) });
      const parts = [
        text(`s${nth}-0`, 'Next.'),
        tool(`s${nth}-1`, OUTPUT_CHARS, { tool: toolName }),
      ];
      const input = engine.viewOf(state).length * TOKENS_OF_MESSAGE;
      const finish = isLast ? 'stop' : 'tool-calls';
      const message = step(`s${nth}`, parts, { finish, usage: usage({ input }) });
      feed({ type: 'step-finished', message });
      if (isLast) feed({ type: 'turn-ended' });
    },
  };
}
