/** The cost of compaction in a run, beside what never compacting and other policies would have cost. */

import * as z from 'zod';
import { policies } from '../../engine/index.ts';
import { ADAPTER_NAME } from '../replay/foreign/compactor.ts';
import { countOf, formatCount, formatUsd } from './numbers.ts';
import type { Checked } from './saved/shapes.ts';

/** Another policy over the same sessions. */
const ReferenceSchema = z.object({
  policy: z.string(),
  /** In how many sessions no such run can exist; absent where it can in all. */
  impossibleSessions: z.number().exactOptional(),
  /** `null` where it did not complete all sessions, or where a price is unknown. */
  costUsd: z.number().nullable(),
  inputTokens: z.number().nullable(),
});

/** A bill as JSON reports have it. */
export const BillShape = z.object({
  /** Those that it is the sum of. */
  sessions: z.number(),
  compactions: z.number(),
  ineffectiveCompactions: z.number(),
  /** `null` where the model has no known price. */
  costUsd: z.number().nullable(),
  /** The part of it for summaries; what an adapter spends by itself is unknown. */
  summariesUsd: z.number().nullable(),
  inputTokens: z.number(),
  /** Requests that no longer began as what was cached. */
  cacheBreaks: z.number(),
  /** The first of them; its session where there are several. */
  firstCacheBreak: z
    .object({ step: z.number(), session: z.string().exactOptional() })
    .exactOptional(),
  /** Never compacting first. */
  against: z.array(ReferenceSchema),
});

export type Bill = Checked<typeof BillShape>;
export type BillReference = Bill['against'][number];

/** A run that may have a bill. */
interface MaybeBilled {
  readonly policy: string;
  readonly bill?: Bill;
}

/** Costs closer than that are told as equal. */
const SAME_SHARE = 0.01;
const CONTROL = policies.none.name;

/** A bill in a line, and why it is a dear one. */
export function billLines(bill: Bill): readonly string[] {
  const dearer = dearerThan(bill);
  const warning =
    dearer === undefined ? '' : ` ⚠ dearer than ${dearer === CONTROL ? 'not compacting' : dearer}`;
  const others = bill.against.map((one) => describeReference(one, bill));
  const line = `${describeCompactions(bill)} · ${describeCost(bill)}; ${others.join(', ')}${warning}`;
  const why = dearer === undefined ? undefined : describeWhy(bill);
  return why === undefined ? [line] : [line, why];
}

/** The runs whose bills are told: all of an adapter; of presets, which are compared elsewhere, the first that compacted. */
export function billedIn<Run extends MaybeBilled>(
  runs: readonly Run[],
): readonly (Run & { readonly bill: Bill })[] {
  const billed = runs.filter((run): run is Run & { readonly bill: Bill } => run.bill !== undefined);
  if (billed.some(isOfAdapter)) return billed;
  return billed.filter(({ bill }) => bill.compactions > 0).slice(0, 1);
}

/** Tests if a run is of somebody's own compaction. */
export function isOfAdapter({ policy }: Pick<MaybeBilled, 'policy'>): boolean {
  return policy === ADAPTER_NAME;
}

/** How often a run compacted, and how often to no effect. */
export function describeCompactions({ compactions, ineffectiveCompactions }: Bill): string {
  const count = countOf(compactions, 'compaction');
  return ineffectiveCompactions === 0
    ? count
    : `${count}, ${formatCount(ineffectiveCompactions)} ineffective`;
}

/** Why a run is dear: what of the cache its compactions broke, and what summaries cost; nothing where neither is known. */
export function describeWhy({
  cacheBreaks,
  firstCacheBreak: first,
  summariesUsd,
}: Bill): string | undefined {
  const where =
    first && `step ${formatCount(first.step)}${first.session ? ` of ${first.session}` : ''}`;
  const times = cacheBreaks === 1 ? 'once' : `${formatCount(cacheBreaks)} times`;
  const at = where === undefined ? '' : cacheBreaks === 1 ? `, at ${where}` : `, first at ${where}`;
  const parts = [
    ...(cacheBreaks > 0 ? [`the cache was broken ${times}${at}`] : []),
    ...(summariesUsd ? [`summaries cost ${formatUsd(summariesUsd)}`] : []),
  ];
  return parts.length === 0 ? undefined : parts.join('; ');
}

/** The reference that a run is dearer than: never compacting, else the cheapest of the others; absent where there is none. */
export function dearerThan({
  costUsd,
  against,
}: Pick<Bill, 'costUsd' | 'against'>): string | undefined {
  const cheaper = against
    .filter((one) => costUsd !== null && one.costUsd !== null)
    .filter((one) => Number(costUsd) > Number(one.costUsd) * (1 + SAME_SHARE))
    .toSorted((one, other) => Number(one.costUsd) - Number(other.costUsd));
  return (cheaper.find(({ policy }) => policy === CONTROL) ?? cheaper[0])?.policy;
}

/** The compactions of an adapter and why they were dear, in a sentence; the session in which it first broke the cache by that name. */
export function describeWork(bill: Bill, session: string): string {
  const first = bill.firstCacheBreak;
  const named = first?.session === undefined ? {} : { firstCacheBreak: { ...first, session } };
  const why = describeWhy({ ...bill, ...named });
  return `It made ${describeCompactions(bill)}${why === undefined ? '' : `; ${why}`}.`;
}

function describeCost({ costUsd, inputTokens }: Bill): string {
  if (costUsd !== null) return formatUsd(costUsd);
  return `${formatCount(inputTokens)} input tokens, unpriced`;
}

function describeReference(
  { policy, impossibleSessions, costUsd, inputTokens }: BillReference,
  { costUsd: own }: Bill,
): string {
  const name = policy === CONTROL ? 'never compacting' : policy;
  if (impossibleSessions !== undefined) return `${name} is impossible here`;
  if (own !== null)
    return costUsd === null ? `${name} did not complete` : `${name} ${formatUsd(costUsd)}`;
  return inputTokens === null ? `${name} did not complete` : `${name} ${formatCount(inputTokens)}`;
}
