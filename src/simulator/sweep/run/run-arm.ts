/** The one place that makes a run of an arm, whatever stands behind it. */

import type { Policy } from '../../../engine/index.ts';
import { createEnv } from '../../env.ts';
import type { RunEvent } from '../../events.ts';
import { known } from '../../lib/collections.ts';
import { badOption } from '../../lib/errors.ts';
import { prepareBounds } from '../../metrics/fold.ts';
import { keyOfRun, recordRun, type RunKey } from '../../metrics/record.ts';
import { ADAPTER_NAME, type AdapterPlace, OWN_SUMMARIES } from '../../replay/foreign/compactor.ts';
import { runForeign } from '../../replay/foreign/run-foreign.ts';
import { RECORDED, type RecordedArm, replayRecorded } from '../../replay/recorded.ts';
import { type AsyncRunOptions, collectRun } from '../../replay/run-trace.ts';
import type { Trace } from '../../replay/trace.ts';
import { watchView } from '../../report/saved/view-log.ts';
import type { Setup } from '../../setup/setup.ts';
import type { OpenCompactor } from '../adapter/command-compactor.ts';
import { isPolicy } from '../grid.ts';
import type { Prepared } from './prepare.ts';
import { fitOf, usableOf } from './recorded-fit.ts';

export interface AdapterArm extends AdapterPlace {
  open(): OpenCompactor;
}

export type RunnableArm = Policy | RecordedArm | AdapterArm;

export interface ArmOptions extends Omit<AsyncRunOptions, 'policy'> {
  readonly arm: RunnableArm;
  readonly onBound?: ((event: RunEvent) => void) | undefined;
  readonly hasBounds?: boolean | undefined;
  readonly setup?: Setup | undefined;
  readonly views?: { readonly hasTexts: boolean } | undefined;
}

export type AdapterRunOptions = Pick<AsyncRunOptions, 'model' | 'modelChanges' | 'seed' | 'faults'>;

export async function runArm(
  { trace, baseline }: Extract<Prepared, { readonly state: 'ready' }>,
  key: RunKey,
  { arm, onBound, hasBounds = true, setup, views, ...options }: ArmOptions,
) {
  if (isPolicy(arm)) {
    const run = { ...options, policy: arm };
    const watch = views && watchView(trace, { render: arm.render, ...views });
    const events = await collectRun(trace, {
      ...run,
      ...known({ onTransition: watch?.onTransition }),
    });
    const own = prepareBounds(trace, run, onBound);
    const runBounds = hasBounds ? own : own && { ...own, bounds: () => [] };
    const record = recordRun(key, events, { baseline, trace, runBounds });
    return { events, record, ...known({ view: watch?.tell(events) }) };
  }
  const events: RunEvent[] = [];
  if (isAdapter(arm)) {
    await collectAdapter(events, trace, { ...options, arm });
    return { events, record: recordRun(key, events, { baseline, trace }) };
  }
  for (const event of replayRecorded(trace, options)) events.push(event);
  const fit = setup && fitOf(trace, setup);
  const usableTokens = setup && usableOf(setup);
  return {
    events,
    record: {
      ...recordRun(key, events, { baseline, trace, usableTokens, setup }),
      ...known({ fit }),
    },
  };
}

export function keyOfArm(
  session: Pick<RunKey, 'session' | 'family'>,
  { arm, ...options }: Pick<ArmOptions, 'arm' | 'model' | 'summarizer' | 'seed' | 'mode'>,
) {
  const names = isPolicy(arm)
    ? { policy: arm.name, summarizer: options.summarizer.name }
    : isAdapter(arm)
      ? { policy: ADAPTER_NAME, summarizer: OWN_SUMMARIES }
      : { policy: RECORDED, summarizer: RECORDED };
  return keyOfRun(session, names, options);
}

export async function collectAdapter(
  events: RunEvent[],
  trace: Trace,
  {
    arm,
    model,
    modelChanges,
    seed,
    faults = [],
  }: AdapterRunOptions & { readonly arm: Pick<AdapterArm, 'open'> },
) {
  const { compact: compactor, end } = arm.open();
  const run = { compactor, name: ADAPTER_NAME, model, modelChanges, seed, faults };
  try {
    const env = createEnv(seed);
    for await (const event of runForeign(trace, { ...run, env })) events.push(event);
  } finally {
    end();
  }
}

export function armIn(place: Policy | RecordedArm | AdapterPlace, adapter: AdapterArm | undefined) {
  if (isPolicy(place) || place.name === RECORDED) return place;
  if (adapter !== undefined) return adapter;
  throw badOption("Expected an adapter for a run of one, got none: only '--adapter' starts it.");
}

function isAdapter(arm: RecordedArm | AdapterArm): arm is AdapterArm {
  return arm.name === ADAPTER_NAME;
}
