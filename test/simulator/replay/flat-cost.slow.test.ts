import { beforeAll, describe, expect, it } from 'vitest';
import { type OperationCount, withOperationCount } from '../../support/count-operations.ts';

/** From the first on, a session has its share of prunes and pivots. */
const LENGTHS = [200, 400, 1_200];
/** A scan over the session would make the steps after the second length three times as dear as those before. */
const MOST_GROWTH = 1.15;
/** Far fewer would mean that not everything is counted. */
const LEAST_OPERATIONS = 300;
const SMALL = { id: 'openai/small', limits: { contextTokens: 32_000, outputTokens: 4_000 } };
const UNLIMITED = { id: 'anthropic/unlimited', limits: { contextTokens: 0 } };

/** Modules of which everything that they do is counted. */
async function load() {
  const { policies, resolvePolicy } = await import('../../../src/engine/index.ts');
  const { createProfile } = await import('../../../src/simulator/provider/model-profile.ts');
  const { runTrace } = await import('../../../src/simulator/replay/run-trace.ts');
  const { longTrace } = await import('../../../bench/support/traces.ts');
  return { policies, resolvePolicy, createProfile, runTrace, longTrace };
}

type Modules = Awaited<ReturnType<typeof load>>;

const SESSIONS = {
  'with pivots': { model: SMALL, tool: 'read', outputChars: 4_000 },
  'with prunes and no pivot': { model: UNLIMITED, tool: 'read', outputChars: 4_000 },
  'without pivots, all output protected': { model: UNLIMITED, tool: 'skill', outputChars: 40 },
  'with calls that are made again and again': {
    model: UNLIMITED,
    tool: 'read',
    outputChars: 400,
    differentCalls: 20,
  },
} as const;

type Kind = keyof typeof SESSIONS;

describe('what a step costs', () => {
  const kinds = Object.keys(SESSIONS) as Kind[];
  let costs: ReadonlyMap<Kind, readonly number[]>;
  beforeAll(async () => {
    costs = await withOperationCount(
      load,
      (modules, count) =>
        new Map(
          kinds.map((kind) => [
            kind,
            LENGTHS.map((steps) => countOperations(modules, count, { steps, kind })),
          ]),
        ),
    );
  });

  it.each(kinds)('is the same however long the session is: %s', (kind) => {
    const [earlier = 0, later = 0] = costsBetween(costs.get(kind) ?? []);
    expect(earlier).toBeGreaterThan(LEAST_OPERATIONS);
    expect(later / earlier).toBeLessThan(MOST_GROWTH);
  });
});

/** What a step costs that one session has beyond the next shorter one. */
function costsBetween(operations: readonly number[]): readonly number[] {
  return LENGTHS.slice(1).map((length, index) => {
    const [shorter = 0, longer = 0] = operations.slice(index, index + 2);
    return (longer - shorter) / (length - (LENGTHS[index] ?? 0));
  });
}

function countOperations(
  modules: Modules,
  count: OperationCount,
  { steps, kind }: { readonly steps: number; readonly kind: Kind },
): number {
  const { replay, last } = prepare(modules, steps, SESSIONS[kind]);
  // What is worked out once for a trace is not part of a run.
  replay();
  const operations = count.during(replay);
  expect(last()).toMatchObject({ type: 'run-end', state: 'completed' });
  return operations;
}

function prepare(modules: Modules, steps: number, { model, ...options }: (typeof SESSIONS)[Kind]) {
  const { policies, resolvePolicy, createProfile, runTrace, longTrace } = modules;
  const trace = longTrace(steps, options);
  const base = 'differentCalls' in options ? policies.dcp : policies['opencode-1.2.16'];
  const policy = resolvePolicy(base, { prune: { enabled: true } });
  const profile = createProfile(model.id, model.limits);
  const summarizer = {
    name: 'constant',
    summarise: () => ({ state: 'finished', text: 'x'.repeat(400), finish: 'stop' }) as const,
  };
  let newest: unknown;
  return {
    replay: () => {
      const events = runTrace(trace, { policy, model: profile, summarizer, seed: 1 });
      for (const event of events) newest = event;
    },
    last: () => newest,
  };
}
