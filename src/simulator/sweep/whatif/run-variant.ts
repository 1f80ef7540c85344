import type { RunEvent } from '../../events.ts';
import { isSlide } from '../../eviction-cause.ts';
import { prepareBounds } from '../../metrics/bound/find-bounds.ts';
import { keyOfRun, recordRun, recordUnrun } from '../../metrics/record.ts';
import { missCurve } from '../../metrics/regret/miss-curve.ts';
import { type AsyncRunOptions, collectRun } from '../../replay/run-trace.ts';
import { countSteps, type Trace } from '../../replay/trace.ts';
import { watchView } from '../../report/saved/watch-view.ts';
import { plotSawtooth } from '../../report/sawtooth-plot.ts';
import type { CurveResult, VariantResult } from '../../report/whatif/what-if-report.ts';
import type { PreparedSession } from '../run/controls.ts';

/** One session under one window of one model. Its variants share what does not depend on that. */
export async function runVariant(
  { session, prepared: shared }: { readonly session: string; readonly prepared: PreparedSession },
  options: AsyncRunOptions,
): Promise<VariantResult> {
  const { model } = options;
  const key = keyOfRun({ session }, options);
  const prepared = shared.against(model);
  if (prepared.state === 'failed') {
    const record = recordUnrun(key, 'failed', prepared.reason);
    return { model: model.id, limits: model.limits, record, plot: plotSawtooth([]), events: [] };
  }
  const { trace, control } = prepared;
  const watch = watchView(trace, { render: options.policy.render, hasTexts: false });
  const events = await collectRun(trace, { ...options, onTransition: watch.onTransition });
  const record = recordRun(key, events, { control, runBounds: prepareBounds(trace, options) });
  const curve = curveOf(trace, options, events);
  const told = { plot: plotSawtooth(events), events, view: watch.tell(events) };
  return { model: model.id, limits: model.limits, record, ...told, ...(curve && { curve }) };
}

/**
 * Nothing of a closed loop, which puts outputs in between, nor of a run whose later pivots nobody knows, or in which
 * messages went without a prune or a pivot.
 */
function curveOf(
  trace: Trace,
  { policy, mode }: AsyncRunOptions,
  events: readonly RunEvent[],
): CurveResult | undefined {
  if (mode === 'closed-loop' || lastStepOf(events) < countSteps(trace)) return undefined;
  if (events.some((event) => event.type === 'eviction' && isSlide(event.by))) return undefined;
  const curve = missCurve(trace, { policy, events });
  return curve && { ...curve, minimumTokens: policy.prune.byAge.minimumTokens };
}

function lastStepOf(events: readonly RunEvent[]): number {
  return events.findLast((event) => event.type === 'step-end')?.step ?? 0;
}
