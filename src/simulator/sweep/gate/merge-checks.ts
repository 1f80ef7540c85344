import { quotedLong } from '../../lib/names.ts';
import { compareTexts } from '../../lib/text.ts';
import {
  type CheckReport,
  type CheckShard,
  type GatePart,
  toCheckReport,
} from '../../report/check-report.ts';
import type { UnreadInput } from '../../report/report.ts';
import { describeMissing, nameShard } from '../store/header.ts';
import { toGateReport } from './gate-report.ts';

/** A report with the name by which the user knows it. */
export interface NamedCheck {
  readonly name: string;
  readonly report: CheckReport;
}

/** The parts of a check as one report, or why they are none: words that follow "but". */
type MergedCheck =
  | { readonly state: 'merged'; readonly report: CheckReport }
  | { readonly state: 'refused'; readonly reason: string };

type Part = NamedCheck & { readonly shard: CheckShard };

/** The report that one machine would have made of all scenarios; the order of the parts does not matter. */
export function mergeChecks(checks: readonly NamedCheck[]): MergedCheck {
  const parts = checks.flatMap(({ name, report }): readonly Part[] =>
    report.shard === undefined ? [] : [{ name, report, shard: report.shard }],
  );
  const reason = findMisfit(checks, parts);
  if (reason !== undefined) return { state: 'refused', reason };
  const ordered = parts.toSorted((a, b) => a.shard.index - b.shard.index);
  const scenarios = ordered.flatMap(({ report }) => report.scenarios).toSorted(byFile);
  const unread = mergeUnread(ordered.map(({ report }) => report.unread));
  if (scenarios.length + unread.length === 0) {
    return { state: 'refused', reason: 'none of them has checked a scenario' };
  }
  const gate = mergeGates(ordered.flatMap(({ shard }) => shard.gate ?? []));
  // Parts of one check differ in the models that they met alone.
  const origins = ordered.flatMap(({ report }) => report.origin ?? []);
  const tokenizers = Object.assign({}, ...origins.map((origin) => origin.tokenizers));
  const [first] = origins;
  const origin = first && { origin: { ...first, tokenizers } };
  const report = toCheckReport({ ...origin, scenarios, unread });
  return { state: 'merged', report: { ...report, ...(gate && { gate: toGateReport(gate) }) } };
}

function findMisfit(checks: readonly NamedCheck[], parts: readonly Part[]): string | undefined {
  const whole = checks.find(({ report }) => report.shard === undefined);
  if (whole !== undefined)
    return `${quotedLong(whole.name)} is none; 'check --shard i/n' writes some`;
  const [first] = parts;
  if (first === undefined) return 'there is none';
  const { count, check, version } = first.shard;
  const firstName = quotedLong(first.name);
  for (const [position, { name, shard }] of parts.entries()) {
    const own = quotedLong(name);
    if (shard.count !== count)
      return `${own} is one of ${shard.count} shards, ${firstName} one of ${count}`;
    if (shard.version !== version)
      return `${own} is of release ${shard.version}, ${firstName} of release ${version}`;
    if (shard.check !== check) return `${own} is of other scenarios or options than ${firstName}`;
    const twin = parts.slice(0, position).find((one) => one.shard.index === shard.index);
    if (twin) return `${quotedLong(twin.name)} and ${own} are both shard ${nameShard(shard)}`;
  }
  const present = parts.map(({ shard }) => shard.index);
  return describeMissing(present, count);
}

function byFile(a: { readonly file: string }, b: { readonly file: string }): number {
  return compareTexts(a.file, b.file);
}

/** The unread files of all parts; those that no part could read come first, once. */
function mergeUnread(lists: readonly (readonly UnreadInput[])[]): readonly UnreadInput[] {
  const shared = (lists[0] ?? []).filter((one) => lists.every((list) => has(list, one)));
  const others = lists.flat().filter((one) => !has(shared, one));
  return [...shared, ...others.toSorted(byFile)];
}

function has(list: readonly UnreadInput[], { file, reason }: UnreadInput): boolean {
  return list.some((other) => other.file === file && other.reason === reason);
}

function mergeGates(parts: readonly GatePart[]): GatePart | undefined {
  const [first, ...others] = parts;
  if (first === undefined) return undefined;
  return {
    ...first,
    missing: parts.flatMap(({ missing }) => missing),
    unasked: first.unasked.filter((key) => others.every(({ unasked }) => unasked.includes(key))),
    scenarios: parts.flatMap(({ scenarios }) => scenarios),
  };
}
