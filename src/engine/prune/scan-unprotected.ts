import type { Message } from '../message.ts';
import { foldOver } from '../series/fold.ts';
import { countFirst, countOf, itemOf } from '../series/list.ts';
import { itemAt } from '../series/series.ts';
import type { ByAgeOptions } from './by-age.ts';
import { outputFold, type Outputs, type Stop } from './outputs.ts';
import { type Scan, scanMessage, type ScanVisitor } from './scan.ts';

/**
 * The part of the by-age scan that may choose: it begins where the protected tokens end, which sums over the
 * history tell, and stops with the scan. What it leaves out is guarded, protected or behind the end.
 */
export function scanUnprotected(
  messages: readonly Message[],
  scan: Scan,
  visitor: ScanVisitor,
): void {
  const { options } = scan;
  const outputs = foldOver(messages, outputFold(options, scan.estimator));
  const { stops } = outputs;
  const newestPlace = findNewestPlace(outputs, messages.length, options);
  const newest = itemOf(stops, newestPlace);
  if (newest === undefined) return;
  const newerThan = ({ throughTokens }: Stop) => newest.throughTokens - throughTokens;
  const isBeyond = (stop: Stop) => newerThan(stop) > options.protectTokens;
  const end = Math.max(0, newest.endPlace);
  const first = Math.max(end, countFirst(stops, newestPlace, isBeyond));
  const start = itemOf(stops, first);
  if (start === undefined) return;
  // Nothing in there is guarded any more.
  scan.turns = Infinity;
  scan.seenTokens = newerThan(start);
  for (let place = first; place >= end && !scan.hasEnded; place--) {
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
