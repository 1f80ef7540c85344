import { prepareBounds } from '../../metrics/bound/find-bounds.ts';
import { recordRun } from '../../metrics/record.ts';
import { type AsyncRunOptions, collectRun } from '../../replay/run-trace.ts';
import { digestEvents } from './event-digest.ts';
import type { Outcome } from './outcomes.ts';
import type { Prepared } from './prepare-runs.ts';
import { NO_KEY, outcomeOf } from './row.ts';
import type { LeewayWatch } from './thresholds.ts';

/** Makes a run, and measures it against its control; a watch sees its events, and then those of its bounds. */
export async function measureRun(
  { trace, control }: Extract<Prepared, { readonly state: 'ready' }>,
  options: AsyncRunOptions,
  watch?: LeewayWatch,
): Promise<Outcome> {
  const events = await collectRun(trace, options);
  for (const event of events) watch?.add(event);
  const runBounds = prepareBounds(trace, options, watch?.addBound);
  return outcomeOf(recordRun(NO_KEY, events, { control, runBounds }), digestEvents(events));
}
