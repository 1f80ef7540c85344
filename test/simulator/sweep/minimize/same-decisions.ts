import { policies, type Policy } from '../../../../src/engine/index.ts';
import type { RunEvent } from '../../../../src/simulator/events.ts';
import { readCatalog } from '../../../../src/simulator/provider/catalog.ts';
import { createProfile } from '../../../../src/simulator/provider/model-profile.ts';
import { compileFitted } from '../../../../src/simulator/replay/compile.ts';
import type { CountText } from '../../../../src/simulator/replay/count.ts';
import { runTrace } from '../../../../src/simulator/replay/run-trace.ts';
import type { Trace } from '../../../../src/simulator/replay/trace.ts';
import { scenarioOf } from '../../../../src/simulator/scenario/file/read-scenario.ts';
import type { Session } from '../../../../src/simulator/session/session.ts';
import { createPrepare, resolveRun } from '../../../../src/simulator/sweep/gate/run-scenario.ts';
import { outlineOf, fileOf } from '../../../../src/simulator/sweep/minimize/search.ts';
import { fixed } from '../../replay/lab.ts';

const PIECE = / ?[A-Za-z]+|[^A-Za-z]/g;

/** Counts words with the space before them, and whatever is none: filler has as many tokens as it should, other texts more or fewer. */
export const countPieces: CountText = (text) => text.match(PIECE)?.length ?? 0;

const catalog = readCatalog();
const MODEL = 'anthropic/claude-sonnet-4-5';

/** A session as it is replayed, and as its outline is. */
export interface TracePair {
  readonly recorded: Trace;
  readonly outlined: Trace;
}

/** A session and the scenario of its outline, both compiled. */
export function pairOf(session: Session, count: CountText): TracePair {
  const recorded = compileFitted(session, {
    tokenizer: 'lab',
    tokenizerEvidence: 'measured',
    count,
  });
  const { overheadTokens } = recorded.basis;
  const frame = { why: 'It decides the same.', model: MODEL, policy: 'none' as const, expect: {} };
  const value = fileOf(outlineOf(recorded), { frame, overheadTokens });
  const { file, runs } = scenarioOf('a.yaml', value);
  const [run] = runs;
  if (run === undefined) throw new TypeError('Expected a scenario with a run.');
  const prepared = createPrepare()(resolveRun(run, file, { catalog }), count);
  if (prepared.state === 'failed') throw new TypeError(prepared.reason);
  return { recorded, outlined: prepared.trace };
}

/** Events that tell what a step needed of earlier ones, which is a matter of words. */
const ABOUT_WORDS: readonly RunEvent['type'][] = ['reference', 'stale-kept', 'standing'];

/** What a run decides, each with the step behind which it does, and what each step held. */
export interface Decisions {
  readonly events: readonly string[];
  readonly stepTokens: readonly string[];
}

/** The decisions of a run of a trace under a policy, in a window of that many tokens. */
export function decide(
  trace: Trace,
  { policy, contextTokens }: { readonly policy: Policy; readonly contextTokens: number },
): Decisions {
  const model = createProfile(MODEL, { contextTokens, outputTokens: 4_000 });
  const run = runTrace(trace, { policy, model, summarizer: fixed, seed: 1, isBlind: true });
  let step = 0;
  const events: string[] = [];
  const stepTokens: string[] = [];
  for (const event of run) {
    if (event.type === 'step-end') {
      step = event.step;
      stepTokens.push(`${event.contextTokens} + ${event.outputTokens}`);
    }
    if (!ABOUT_WORDS.includes(event.type)) events.push(`${event.type} after step ${step}`);
  }
  return { events, stepTokens };
}

/** Tokens of the largest request of a session that nobody compacts. */
export function largestStep({ recorded }: TracePair): number {
  const whole = decide(recorded, { policy: policies.none, contextTokens: 0 });
  return Math.max(0, ...whole.stepTokens.map((text) => Number.parseInt(text, 10)));
}
