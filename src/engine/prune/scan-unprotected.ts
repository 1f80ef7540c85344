import type { EstimatorOptions } from '../estimate.ts';
import type { Message } from '../message.ts';
import { foldOver } from '../series/fold.ts';
import { countFirst, countOf, itemOf, type List } from '../series/list.ts';
import { itemAt, lengthOf } from '../series/series.ts';
import type { ByAgeOptions } from './by-age.ts';
import { outputFold, type Outputs, type Stop } from './outputs.ts';
import { type Scan, scanMessage, type ScanVisitor } from './scan.ts';

/** The part of the by-age scan that may choose: what it leaves out is guarded, protected or behind its end. */
export interface Unprotected {
  readonly stops: List<Stop>;
  /** Place of the stop at which the protected tokens end. */
  readonly first: number;
  /** Index of the message at that place. */
  readonly newestIndex: number;
  /** Place of the oldest stop that is looked at. */
  readonly last: number;
  /** What outputs newer than the first stop weigh. */
  readonly newerTokens: number;
}

/** Where the by-age scan may choose, which sums over the history tell; nothing where all is protected. */
export function findUnprotected(
  messages: readonly Message[],
  options: ByAgeOptions,
  estimator: EstimatorOptions,
): Unprotected | undefined {
  const outputs = foldOver(messages, outputFold(options, estimator));
  const { stops } = outputs;
  const newestPlace = findNewestPlace(outputs, lengthOf(messages), options);
  const newest = itemOf(stops, newestPlace);
  if (newest === undefined) return undefined;
  const last = Math.max(0, newest.endPlace);
  const olderTokens = itemOf(stops, last - 1)?.throughTokens ?? 0;
  if (newest.throughTokens - olderTokens <= options.protectTokens) return undefined;
  const newerThan = ({ throughTokens }: Stop) => newest.throughTokens - throughTokens;
  const isBeyond = (stop: Stop) => newerThan(stop) > options.protectTokens;
  const first = Math.max(last, countFirst(stops, newestPlace, isBeyond));
  const start = itemOf(stops, first) ?? newest;
  return { stops, first, newestIndex: start.index, last, newerTokens: newerThan(start) };
}

/** Scans where something may be chosen, newest first, until the scan ends. */
export function scanUnprotected(
  messages: readonly Message[],
  { stops, first, last, newerTokens }: Unprotected,
  { scan, visitor }: { readonly scan: Scan; readonly visitor: ScanVisitor },
): void {
  // Nothing in there is guarded any more.
  scan.turns = Infinity;
  scan.seenTokens = newerTokens;
  for (let place = first; place >= last && !scan.hasEnded; place--) {
    const message = itemAt(messages, itemOf(stops, place)?.index ?? -1);
    if (message !== undefined) scanMessage(message, scan, visitor);
  }
}

/** The newest stop outside of the guarded turns; -1 where there is none, or where a summary in them ends the scan. */
function findNewestPlace(
  { turns, summaries, stops }: Outputs,
  length: number,
  { guardTurns, skipNewestMessages = 0, summaryInGuard }: ByAgeOptions,
): number {
  const endIndex = length - skipNewestMessages;
  const isBefore = (index: number) => index < endIndex;
  const seenTurns = countFirst(turns, countOf(turns), isBefore);
  const guardIndex = guardTurns > 0 ? itemOf(turns, seenTurns - guardTurns) : endIndex - 1;
  if (guardIndex === undefined) return -1;
  if (summaryInGuard === 'stop') {
    const seen = countFirst(summaries, countOf(summaries), isBefore);
    if ((itemOf(summaries, seen - 1) ?? -1) > guardIndex) return -1;
  }
  return countFirst(stops, countOf(stops), ({ index }) => index <= guardIndex) - 1;
}
