import * as z from 'zod';
import { policies } from '../../engine/index.ts';
import { ADAPTER_NAME } from '../replay/foreign/compactor.ts';
import { countOf, formatCount, formatUsd } from './numbers.ts';
import type { Checked } from './saved/shapes.ts';

/** A bill as JSON reports have it, the sum of some sessions. */
export const BillShape = z.object({
  sessions: z.number(),
  compactions: z.number(),
  ineffectiveCompactions: z.number(),
  /** `null` where the model has no known price. */
  costUsd: z.number().nullable(),
  summariesUsd: z.number().nullable(),
  inputTokens: z.number(),
  cacheBreaks: z.number(),
  /** The first of them; its session where there are several. */
  firstCacheBreak: z
    .object({ step: z.number(), session: z.string().exactOptional() })
    .exactOptional(),
  against: z.array(
    z.object({
      policy: z.string(),
      /** Sessions in which no such run can exist; absent where there are none. */
      impossibleSessions: z.number().exactOptional(),
      /** `null` where a session did not complete or has no price. */
      costUsd: z.number().nullable(),
      inputTokens: z.number().nullable(),
    }),
  ),
});

export type Bill = Checked<typeof BillShape>;
export type BillReference = Bill['against'][number];

/** Costs closer than that are told as equal. */
const SAME_SHARE = 0.01;
const CONTROL = policies.none.name;

/** A bill in a line, and why it is a dear one. */
export function billLine(bill: Bill): string {
  const { costUsd, inputTokens, against } = bill;
  const dearer = dearerThan(bill);
  const reference = dearer === CONTROL ? 'not compacting' : dearer;
  const why = whyDear(bill).map((reason) => `; ${reason}`);
  const warning = dearer === undefined ? '' : ` ⚠ dearer than ${reference}${why.join('')}`;
  const cost =
    costUsd === null ? `${formatCount(inputTokens)} input tokens, unpriced` : formatUsd(costUsd);
  const others = against.map((one) => describeReference(one, costUsd !== null)).join(', ');
  return `${describeCompactions(bill)} · ${cost}; ${others}${warning}`;
}

/** All bills of an adapter, of presets the first that compacted. */
export function billedIn<Run extends { readonly policy: string; readonly bill?: Bill }>(
  runs: readonly Run[],
): readonly (Run & { readonly bill: Bill })[] {
  const billed = runs.filter((run): run is Run & { readonly bill: Bill } => run.bill !== undefined);
  if (billed.some(({ policy }) => policy === ADAPTER_NAME)) return billed;
  return billed.filter(({ bill }) => bill.compactions > 0).slice(0, 1);
}

/** The reference that a run is dearer than: never compacting, else the cheapest of the others. */
export function dearerThan({ costUsd, against }: Bill): string | undefined {
  if (costUsd === null) return undefined;
  const cheaper = against
    .flatMap(({ policy, costUsd: cost }) => (cost === null ? [] : [{ policy, cost }]))
    .filter(({ cost }) => costUsd > cost * (1 + SAME_SHARE))
    .toSorted((one, other) => one.cost - other.cost);
  return (cheaper.find(({ policy }) => policy === CONTROL) ?? cheaper[0])?.policy;
}

/** The compactions of an adapter and why they were dear. */
export function describeWork(bill: Bill, session: string): string {
  return `It made ${[describeCompactions(bill), ...whyDear(bill, session)].join('; ')}.`;
}

function describeCompactions({ compactions, ineffectiveCompactions }: Bill): string {
  const count = countOf(compactions, 'compaction');
  return ineffectiveCompactions === 0
    ? count
    : `${count}, ${formatCount(ineffectiveCompactions)} ineffective`;
}

function whyDear(
  { cacheBreaks, firstCacheBreak: first, summariesUsd }: Bill,
  name?: string,
): readonly string[] {
  const isOnce = cacheBreaks === 1;
  const times = isOnce ? 'once' : `${formatCount(cacheBreaks)} times`;
  const session = first?.session ? ` of ${name ?? first.session}` : '';
  const at = first ? `, ${isOnce ? '' : 'first '}at step ${formatCount(first.step)}${session}` : '';
  return [
    ...(cacheBreaks > 0 ? [`the cache was broken ${times}${at}`] : []),
    ...(summariesUsd ? [`summaries cost ${formatUsd(summariesUsd)}`] : []),
  ];
}

function describeReference(
  { policy, impossibleSessions, costUsd, inputTokens }: BillReference,
  isPriced: boolean,
): string {
  const name = policy === CONTROL ? 'never compacting' : policy;
  if (impossibleSessions !== undefined) return `${name} is impossible here`;
  const amount = isPriced ? costUsd : inputTokens;
  if (amount === null) return `${name} did not complete`;
  return `${name} ${isPriced ? formatUsd(amount) : formatCount(amount)}`;
}
