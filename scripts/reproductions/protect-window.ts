import { policies, resolvePolicy } from '../../src/engine/index.ts';
import type { RunEvent } from '../../src/simulator/events.ts';
import { sum } from '../../src/simulator/lib/collections.ts';
import { foldRun } from '../../src/simulator/metrics/fold.ts';
import { findModel, readCatalog } from '../../src/simulator/provider/catalog.ts';
import type { ModelProfile } from '../../src/simulator/provider/model-profile.ts';
import { runTrace } from '../../src/simulator/replay/run-trace.ts';
import type { Trace } from '../../src/simulator/replay/trace.ts';
import { generateSession } from '../../src/simulator/scenario/workload/generate-session.ts';
import { findWorkload } from '../../src/simulator/scenario/workload/workload.ts';
import { findSummarizer } from '../../src/simulator/summarizer/summarizers.ts';
import { compileFor } from '../../src/simulator/sweep/run/prepare.ts';

/** The outcome of one protect window over all sessions, in a closed loop. */
export interface WindowResult {
  readonly protectTokens: number;
  /** Recorded steps, and those that read again what a prune had taken. */
  readonly steps: number;
  readonly addedSteps: number;
  readonly usd: number;
  /** Runs that were given up, for they did nothing but read again. */
  readonly cappedRuns: number;
}

/** The windows, and the number of sessions that they are tried on. */
export interface ProtectOptions {
  readonly sessions: number;
  readonly windows: readonly number[];
}

const WORKLOAD = 'claude-code';
/** Its cache bills no writes and keeps what was sent at a quarter of the price, so that a prune costs little and a long context much. */
const MODEL = 'google/gemini-2.0-flash';
const SEED = 1;
/** Mean turns of the study's runs were 69 to 176, and at most 250: shorter and longer sessions are left out. */
const LEAST_STEPS = 60;
const MOST_STEPS = 250;
const USD_PER_NANO_USD = 1e-9;

/** Runs generated sessions in a closed loop under each protect window. No turn is guarded, and every prune fires. */
export async function tryWindows({
  sessions,
  windows,
}: ProtectOptions): Promise<readonly WindowResult[]> {
  const model = findModel(readCatalog(), MODEL);
  const traces: Trace[] = [];
  for (let index = 0; traces.length < sessions; index += 1) {
    const session = generateSession(findWorkload(WORKLOAD), { seed: SEED, index });
    const trace = await compileFor(model.id, session);
    if (isOfStudy(trace)) traces.push(trace);
  }
  return windows.map((protectTokens) => tryWindow(traces, model, protectTokens));
}

function isOfStudy({ turns }: Trace): boolean {
  const steps = sum(turns.map((turn) => turn.steps.length));
  return steps >= LEAST_STEPS && steps <= MOST_STEPS;
}

function tryWindow(
  traces: readonly Trace[],
  model: ModelProfile,
  protectTokens: number,
): WindowResult {
  const byAge = { protectTokens, minimumTokens: 0, guardTurns: 0 };
  const policy = resolvePolicy(policies['opencode-1.2.16'], { prune: { enabled: true, byAge } });
  const summarizer = findSummarizer('extractive');
  const runs = traces.map((trace) => [
    ...runTrace(trace, { policy, model, summarizer, seed: SEED, mode: 'closed-loop' }),
  ]);
  return { protectTokens, ...sumUp(runs) };
}

function sumUp(runs: readonly (readonly RunEvent[])[]) {
  const totals = runs.map(foldRun);
  return {
    steps: sum(totals.map(({ steps }) => steps)),
    addedSteps: sum(totals.map(({ regret }) => regret.rereadSteps)),
    usd: USD_PER_NANO_USD * sum(totals.map(({ costs }) => nanoUsdOf(costs))),
    cappedRuns: runs.filter((events) => events.some(isGivenUp)).length,
  };
}

function nanoUsdOf(costs: ReturnType<typeof foldRun>['costs']): number {
  return costs === undefined ? NaN : costs.stepsNanoUsd + costs.summariesNanoUsd;
}

function isGivenUp(event: RunEvent): boolean {
  return event.type === 'run-end' && event.state === 'loop';
}
