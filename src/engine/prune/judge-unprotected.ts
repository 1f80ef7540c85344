import type { EstimatorOptions } from '../estimate.ts';
import type { Message } from '../message.ts';
import { foldOver } from '../series/fold.ts';
import { itemAt } from '../series/series.ts';
import type { ByAgeOptions } from './by-age.ts';
import { judgeMessage, type Judgement } from './judge-by-age.ts';
import { outputFold, type Outputs, scanAfter, type Stop } from './outputs.ts';

/**
 * The part of the by-age scan that may choose: it begins where the protected tokens end, which sums over the
 * history tell, and stops with the scan. What it leaves out is guarded, protected or behind the end.
 */
export function* judgeUnprotected(
  messages: readonly Message[],
  options: ByAgeOptions,
  estimator: EstimatorOptions,
): Generator<Judgement, void, void> {
  const outputs = foldOver(messages, outputFold(options, estimator));
  const { stops } = outputs;
  const newestPlace = findNewestPlace(outputs, messages.length, options);
  const newest = itemAt(stops, newestPlace);
  if (newest === undefined) return;
  const newerThan = ({ throughTokens }: Stop) => newest.throughTokens - throughTokens;
  const isWithin = (stop: Stop) => newerThan(stop) <= options.protectTokens;
  const end = Math.max(0, newest.endPlace);
  const protectedFrom = countBelow(stops, newestPlace, (stop) => !isWithin(stop));
  const first = Math.max(end, protectedFrom);
  const start = itemAt(stops, first);
  if (start === undefined) return;
  const scan = scanAfter(newerThan(start), { options, estimator });
  for (let place = first; place >= end; place--) {
    const message = itemAt(messages, itemAt(stops, place)?.index ?? -1);
    if (message !== undefined) yield* judgeMessage(message, scan);
  }
}

/** The newest stop outside of the guarded turns; -1 where there is none, or where a summary in them ends the scan. */
function findNewestPlace(
  { turns, summaries, stops }: Outputs,
  length: number,
  { guardTurns, skipNewestMessages = 0, summaryInGuard }: ByAgeOptions,
): number {
  const endIndex = length - skipNewestMessages;
  const seenTurns = countBelow(turns, turns.length, (index) => index < endIndex);
  const guardIndex = guardTurns > 0 ? itemAt(turns, seenTurns - guardTurns) : endIndex - 1;
  if (guardIndex === undefined) return -1;
  if (summaryInGuard === 'stop') {
    const seen = countBelow(summaries, summaries.length, (index) => index < endIndex);
    if ((itemAt(summaries, seen - 1) ?? -1) > guardIndex) return -1;
  }
  return countBelow(stops, stops.length, ({ index }) => index <= guardIndex) - 1;
}

/** How many of the first items pass a test that none passes after one that does not. */
function countBelow<Item>(
  items: readonly Item[],
  length: number,
  test: (item: Item) => boolean,
): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const item = itemAt(items, middle);
    if (item !== undefined && test(item)) low = middle + 1;
    else high = middle;
  }
  return low;
}
