import { compareTexts } from '../../compare-texts.ts';
import { quotedLong } from '../../names.ts';
import {
  type CheckReport,
  type CheckShard,
  toCheckReport,
} from '../../report/check/check-report.ts';
import type { GatePart } from '../../report/check/gate-report.ts';
import type { UnreadInput } from '../../report/report.ts';
import { describeMissing, nameShard } from '../store/shard.ts';
import { concludeGate } from './conclude.ts';

/** A report with the name by which the user knows it. */
export interface NamedCheck {
  readonly name: string;
  readonly report: CheckReport;
}

/** What became of the parts of a check that were to become one. */
export type MergedCheck =
  | { readonly state: 'merged'; readonly report: CheckReport }
  /** Words that follow "but". */
  | { readonly state: 'refused'; readonly reason: string };

interface Part extends NamedCheck {
  readonly shard: CheckShard;
}

/** The report that one machine would have made of all scenarios; the order of the parts does not matter. */
export function mergeChecks(checks: readonly NamedCheck[]): MergedCheck {
  const parts = checks.flatMap(({ name, report }): readonly Part[] =>
    report.shard === undefined ? [] : [{ name, report, shard: report.shard }],
  );
  const reason = findMisfit(checks, parts);
  if (reason !== undefined) return { state: 'refused', reason };
  const ordered = parts.toSorted((a, b) => a.shard.index - b.shard.index);
  const scenarios = ordered.flatMap(({ report }) => report.scenarios).toSorted(byFile);
  const unread = mergeUnread(ordered);
  if (scenarios.length + unread.length === 0) {
    return { state: 'refused', reason: 'none of them has checked a scenario' };
  }
  const gate = mergeGates(ordered.flatMap(({ shard }) => shard.gate ?? []));
  const report = toCheckReport({ ...mergeOrigins(ordered), scenarios, unread });
  return { state: 'merged', report: { ...report, ...(gate && { gate: concludeGate(gate) }) } };
}

function findMisfit(checks: readonly NamedCheck[], parts: readonly Part[]): string | undefined {
  const whole = checks.find(({ report }) => report.shard === undefined);
  if (whole !== undefined)
    return `${quotedLong(whole.name)} is none; 'check --shard i/n' writes some`;
  const [first] = parts;
  if (first === undefined) return 'there is none';
  const { count, check, version } = first.shard;
  for (const [position, { name, shard }] of parts.entries()) {
    if (shard.count !== count) {
      return `${quotedLong(name)} is one of ${shard.count} shards, ${quotedLong(first.name)} one of ${count}`;
    }
    if (shard.version !== version) {
      return `${quotedLong(name)} is of ${releaseOf(shard)}, ${quotedLong(first.name)} of ${releaseOf(first.shard)}`;
    }
    if (shard.check !== check) {
      return `${quotedLong(name)} is of other scenarios or options than ${quotedLong(first.name)}`;
    }
    const twin = parts.slice(0, position).find((one) => one.shard.index === shard.index);
    if (twin) {
      return `${quotedLong(twin.name)} and ${quotedLong(name)} are both shard ${nameShard(shard)}`;
    }
  }
  return describeMissing(
    parts.map(({ shard }) => shard.index),
    count,
  );
}

function releaseOf({ version }: CheckShard): string {
  return `release ${version}`;
}

/** Parts of one check differ in the models that they met alone. */
function mergeOrigins(parts: readonly Part[]): Pick<CheckReport, 'origin'> {
  const origins = parts.flatMap(({ report }) => report.origin ?? []);
  const [first] = origins;
  const tokenizers = Object.assign({}, ...origins.map((origin) => origin.tokenizers));
  return first === undefined ? {} : { origin: { ...first, tokenizers } };
}

/** What none of them could read was an input of all, and is told once. */
function mergeUnread(parts: readonly Part[]): readonly UnreadInput[] {
  const [first, ...others] = parts.map(({ report }) => report.unread);
  if (first === undefined) return [];
  const isInAll = (one: UnreadInput) => others.every((unread) => unread.some(isSame(one)));
  const shared = first.filter(isInAll);
  const own = parts
    .flatMap(({ report }) => report.unread)
    .filter((one) => !shared.some(isSame(one)));
  return [...shared, ...own.toSorted(byFile)];
}

function isSame({ file, reason }: UnreadInput): (other: UnreadInput) => boolean {
  return (other) => other.file === file && other.reason === reason;
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

function byFile(a: { readonly file: string }, b: { readonly file: string }): number {
  return compareTexts(a.file, b.file);
}
