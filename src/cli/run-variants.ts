import type { RunEvent } from '../simulator/events.ts';
import { known } from '../simulator/lib/collections.ts';
import { HarnessError } from '../simulator/lib/errors.ts';
import { missCurve } from '../simulator/metrics/miss-curve.ts';
import { recordUnrun, type RunRecord } from '../simulator/metrics/record.ts';
import type { ModelProfile } from '../simulator/provider/model-profile.ts';
import { hasUsage, RECORDED, recordedArm } from '../simulator/replay/recorded.ts';
import { surroundingsOf } from '../simulator/replay/run-trace.ts';
import { countSteps, type Trace } from '../simulator/replay/trace.ts';
import type { RunView } from '../simulator/report/saved/run-view.ts';
import { type Curve, sawtoothOf, toCurve, type Variant } from '../simulator/report/whatif.ts';
import type { Session } from '../simulator/session/session.ts';
import { contentFor } from '../simulator/summarizer/summarizers.ts';
import { isPolicy } from '../simulator/sweep/grid.ts';
import {
  loadCounts,
  type PreparedSession,
  prepareSession,
} from '../simulator/sweep/run/prepare.ts';
import {
  type ArmOptions,
  keyOfArm,
  runArm,
  type RunnableArm,
} from '../simulator/sweep/run/run-arm.ts';
import { withCounters } from './inputs.ts';
import { toAdapterArm } from './plan/adapter.ts';
import { type LivePlan, meetPlan, onlyPolicy } from './plan/plan.ts';
import { type CliIo, isStopped } from './process/io.ts';
import { inTurn } from './process/progress.ts';

export interface VariantRun {
  readonly variant: Variant;
  readonly isRecorded: boolean;
  readonly events: readonly RunEvent[];
  /** Absent where no policy ran. */
  readonly view?: RunView | undefined;
}

/** Runs a session under each plan, and as recorded at each model's prices; `undefined` if stopped. */
export async function runVariants(
  session: Session,
  { plans, hasCurve }: { readonly plans: readonly LivePlan[]; readonly hasCurve: boolean },
  io: CliIo,
): Promise<readonly VariantRun[] | undefined> {
  const met = plans.map((plan) => meetPlan(plan, session).plan);
  const modelIds = new Set(met.map(({ model }) => model.id));
  return await withCounters(io, async (counters) => {
    const prepared = prepareSession(session, await loadCounts(counters, modelIds));
    const run = (plan: LivePlan, arm: RunnableArm) => {
      const views = isPolicy(arm) ? { hasTexts: false } : undefined;
      const options = { arm, ...surroundingsOf(plan), views, signal: io.signal };
      return runVariant(session.name, prepared, { ...options, hasCurve });
    };
    const runs: VariantRun[] = [];
    for (const plan of inTurn(met, ({ model }) => model.id, io)) {
      runs.push(await run(plan, toAdapterArm(plan.adapter, io) ?? onlyPolicy(plan)));
      if (await isStopped(io)) return undefined;
    }
    const byModel = new Map(met.toReversed().map((plan) => [plan.model.id, plan]));
    for (const plan of [...byModel.values()].toReversed()) {
      const ready = prepared.against({ model: plan.model }, 'texts');
      const isTold = ready.state === 'ready' && hasUsage(ready.trace);
      if (isTold) runs.push(await run(plan, recordedArm));
    }
    return runs;
  });
}

async function runVariant(
  session: string,
  shared: PreparedSession,
  { hasCurve, ...options }: ArmOptions & { readonly hasCurve: boolean },
): Promise<VariantRun> {
  const { arm, model } = options;
  const key = keyOfArm({ session }, options);
  const content = isPolicy(arm) ? contentFor(options.summarizer.name) : 'texts';
  const prepared = shared.against(options, content);
  const failed = (reason: string) => {
    const variant = toVariant(model, recordUnrun(key, 'failed', reason), []);
    return { variant, isRecorded: false, events: [] };
  };
  if (prepared.state === 'failed') return failed(prepared.reason);
  try {
    const { events, record, view } = await runArm(prepared, key, options);
    const curve = hasCurve && isPolicy(arm) && curveOf(prepared.trace, options, events);
    const variant = toVariant(model, record, events);
    return {
      variant: curve === false ? variant : { ...variant, missCurve: curve },
      isRecorded: arm.name === RECORDED,
      events,
      view,
    };
  } catch (error) {
    if (isPolicy(arm) || !(error instanceof HarnessError)) throw error;
    return failed(error.message);
  }
}

/** Needs a whole run in an open loop whose messages left by prunes and pivots alone. */
function curveOf(trace: Trace, { arm, mode }: ArmOptions, events: readonly RunEvent[]): Curve {
  const lastStep = events.findLast((event) => event.type === 'step-end')?.step ?? 0;
  const isWhole = mode !== 'closed-loop' && lastStep >= countSteps(trace);
  const hasSlid = events.some(
    (event) => event.type === 'eviction' && event.by !== 'prune' && event.by !== 'pivot',
  );
  if (!isPolicy(arm) || !isWhole || hasSlid) return null;
  return toCurve(missCurve(trace, { policy: arm, events }), arm.prune.byAge.minimumTokens);
}

function toVariant(
  { id, limits }: Pick<ModelProfile, 'id' | 'limits'>,
  { state, reason, impossible, baseline, metrics }: RunRecord,
  events: readonly RunEvent[],
): Variant {
  return {
    model: id,
    limits,
    state,
    ...known({ reason, impossible, baseline }),
    metrics,
    sawtooth: sawtoothOf(events),
  };
}
