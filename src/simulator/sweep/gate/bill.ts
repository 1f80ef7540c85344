import { policies, type Policy } from '../../../engine/index.ts';
import type { RunEvent } from '../../events.ts';
import { keepIn, known, perKey } from '../../lib/collections.ts';
import type { MetricValues } from '../../metrics/metrics.ts';
import type { RunRecord } from '../../metrics/record.ts';
import type { ModelProfile } from '../../provider/model-profile.ts';
import type { AsyncRunOptions } from '../../replay/run-trace.ts';
import type { Trace } from '../../replay/trace.ts';
import type { Bill, BillReference } from '../../report/check-bill.ts';
import { parseArm, recordingArm, settleArm } from '../../scenario/arms.ts';
import type { Session } from '../../session/session.ts';
import { findSummarizer } from '../../summarizer/summarizers.ts';
import type { Prepared } from '../run/prepare.ts';
import { keyOfArm, runArm } from '../run/run-arm.ts';

/** A finished run, and what its bill stands beside, never compacting apart. */
export interface BilledRun {
  readonly prepared: Extract<Prepared, { readonly state: 'ready' }>;
  readonly options: AsyncRunOptions;
  readonly events: readonly RunEvent[];
  readonly metrics: MetricValues;
  readonly others?: readonly Policy[];
}

export type FindBill = (run: BilledRun) => Promise<Bill>;

export function createBills(): FindBill {
  const found = perKey<Trace, Map<string, Promise<BillReference>>>(() => new Map());
  const referenceTo = (policy: Policy, { prepared, options }: BilledRun) => {
    const { model, summaryModel, seed, faults = [], findModel } = options;
    const about = { model, summaryModel, seed, faults };
    // The summarizer of the run may be a real model, which nobody asks for a comparison.
    const summarizer = findSummarizer('extractive');
    const run = { ...about, arm: policy, summarizer, isBlind: true, ...known({ findModel }) };
    const key = keyOfArm({ session: prepared.trace.session }, run);
    return keepIn(found(prepared.trace), JSON.stringify([policy, about]), async () =>
      toReference((await runArm(prepared, key, run)).record),
    );
  };
  return async (run) => {
    const { events, metrics, others = [] } = run;
    const against: BillReference[] = [];
    for (const policy of [policies.none, ...others]) against.push(await referenceTo(policy, run));
    const step = firstBreakOf(events);
    return {
      compactions: metrics.compactions ?? 0,
      ineffectiveCompactions: metrics.ineffectiveCompactions ?? 0,
      costUsd: metrics.costUsd,
      summariesUsd: metrics.costSummariesUsd,
      inputTokens: metrics.inputTokens ?? 0,
      cacheBreaks: metrics.prefixBreaks ?? 0,
      ...(step !== undefined && { firstCacheBreak: { step } }),
      sessions: 1,
      against,
    };
  };
}

export function usualPolicy({ format }: Pick<Session, 'format'>, { limits }: ModelProfile) {
  return settleArm(recordingArm({ format }) ?? parseArm('opencode'), { limits });
}

/** The first step whose request no longer began as the cache did. */
export function firstBreakOf(events: readonly RunEvent[]): number | undefined {
  const steps = events.filter((event) => event.type === 'step-end');
  return steps.find(({ lostTokens }) => Boolean(lostTokens))?.step;
}

function toReference({ policy, state, impossible, metrics }: RunRecord) {
  const isWhole = state === 'completed' && impossible === undefined;
  return {
    policy,
    ...(impossible !== undefined && { impossibleSessions: 1 }),
    costUsd: isWhole ? metrics.costUsd : null,
    inputTokens: isWhole ? metrics.inputTokens : null,
  };
}
