import { policies, type Policy } from '../../../../src/engine/index.ts';
import type { RunEvent } from '../../../../src/simulator/events.ts';
import { readCatalog } from '../../../../src/simulator/provider/catalog.ts';
import { createProfile } from '../../../../src/simulator/provider/model-profile.ts';
import { compileFitted } from '../../../../src/simulator/replay/compile.ts';
import type { CountText } from '../../../../src/simulator/replay/count.ts';
import { runTrace } from '../../../../src/simulator/replay/run-trace.ts';
import type { Trace } from '../../../../src/simulator/replay/trace.ts';
import type { Session } from '../../../../src/simulator/session/session.ts';
import type { Summarizer } from '../../../../src/simulator/summarizer/summarizer.ts';
import { findSummarizer } from '../../../../src/simulator/summarizer/summarizers.ts';
import { compileRun, resolveRun } from '../../../../src/simulator/sweep/gate/run-scenario.ts';
import { outlineOf } from '../../../../src/simulator/sweep/minimize/outline-of.ts';
import { createToScenario } from '../../../../src/simulator/sweep/minimize/write-scenario.ts';
import { fixed } from '../../replay/lab.ts';

/** What an outline keeps of a session, and a summarizer that goes by no more than that. */
export type Kept = 'sizes' | 'texts';
const SUMMARIZERS: Readonly<Record<Kept, Summarizer>> = {
  sizes: fixed,
  texts: findSummarizer('extractive'),
};

const PIECE = / ?[A-Za-z]+|[^A-Za-z]/g;

/** Counts words with the space before them, and whatever is none: filler has as many tokens as it should, other texts more or fewer. */
export const countPieces: CountText = (text) => text.match(PIECE)?.length ?? 0;

const catalog = readCatalog();
const MODEL = 'anthropic/claude-sonnet-4-5';

/** A session as it is replayed, and as its outline is. */
export interface TracePair {
  readonly kept: Kept;
  readonly recorded: Trace;
  readonly outlined: Trace;
}

/** A session and the scenario of its outline, both compiled. */
export function pairOf(session: Session, kept: Kept, count: CountText): TracePair {
  const recorded = compileFitted(session, {
    tokenizer: 'lab',
    tokenizerEvidence: 'measured',
    count,
  });
  const toScenario = createToScenario({
    why: 'It decides the same.',
    overheadTokens: recorded.basis.overheadTokens,
    model: MODEL,
    modelSet: {},
    policy: 'none',
    policySet: {},
    summarizer: 'extractive',
    seed: 1,
  });
  const { file, runs } = toScenario(outlineOf(recorded, { withTexts: kept === 'texts' }));
  const [run] = runs;
  if (run === undefined) throw new TypeError('Expected a scenario with a run.');
  return { kept, recorded, outlined: compileRun(resolveRun(run, file, { catalog }), count) };
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
  {
    kept,
    policy,
    contextTokens,
  }: { readonly kept: Kept; readonly policy: Policy; readonly contextTokens: number },
): Decisions {
  const model = createProfile(MODEL, { contextTokens, outputTokens: 4_000 });
  const summarizer = SUMMARIZERS[kept];
  const run = runTrace(trace, { policy, model, summarizer, seed: 1, isBlind: true });
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
export function largestStep({ kept, recorded }: TracePair): number {
  const whole = decide(recorded, { kept, policy: policies.none, contextTokens: 0 });
  return Math.max(0, ...whole.stepTokens.map((text) => Number.parseInt(text, 10)));
}
