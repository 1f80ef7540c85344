import type { ByAgeOptions, EstimatorOptions } from '../policy.ts';
import type { Message } from '../message.ts';
import { foldOver, itemAt, type List } from '../history.ts';
import { backThrough, backTo, type Stack } from '../stack.ts';
import { outputFold, type Outputs, type Stop } from './outputs.ts';
import { type Scan, scanMessage, type ScanVisitor } from './scan.ts';

/** The part of the by-age scan that may choose: what it leaves out is guarded, protected or behind its end. */
export interface Unprotected {
  /** Back from the stop at which the protected tokens end. */
  readonly stops: Stack<Stop>;
  /** What outputs newer than the first stop weigh. */
  readonly newerTokens: number;
}

/** Where the by-age scan may choose, which sums over the history tell; nothing where all is protected. */
export function findUnprotected(
  messages: List<Message>,
  options: ByAgeOptions,
  estimator: EstimatorOptions,
): Unprotected | undefined {
  const outputs = foldOver(messages, outputFold(options, estimator));
  const { protectTokens } = options;
  // All output that there ever was is protected, wherever the scan begins and ends.
  if ((outputs.stops?.item.throughTokens ?? 0) <= protectTokens) return undefined;
  const newest = findNewestStop(outputs, options);
  if (newest === undefined) return undefined;
  const { throughTokens, behindTokens } = newest.item;
  if (throughTokens - behindTokens <= protectTokens) return undefined;
  const stops = backThrough(newest, (stop) => throughTokens - stop.throughTokens <= protectTokens);
  return { stops, newerTokens: throughTokens - stops.item.throughTokens };
}

/** Scans where something may be chosen, newest first, until the scan ends. */
export function scanUnprotected(
  messages: List<Message>,
  { stops, newerTokens }: Unprotected,
  { scan, visitor }: { readonly scan: Scan; readonly visitor: ScanVisitor },
): void {
  // Nothing in there is guarded any more.
  scan.turns = Infinity;
  scan.seenTokens = newerTokens;
  let at: Stack<Stop> | undefined = stops;
  while (at !== undefined && !scan.hasEnded) {
    const message = itemAt(messages, at.item.index);
    if (message !== undefined) scanMessage(message, scan, visitor);
    at = at.older;
  }
}

/** Back from the newest stop that is neither guarded nor skipped; nothing where a summary in front of it ends the scan. */
function findNewestStop(
  { length, turns, summaries, stops }: Outputs,
  { guardTurns, skipNewestMessages = 0, summaryInGuard }: ByAgeOptions,
): Stack<Stop> | undefined {
  const endIndex = length - skipNewestMessages;
  const isBefore = (index: number) => index < endIndex;
  const guardIndex =
    guardTurns > 0 ? back(backTo(turns, isBefore), guardTurns - 1)?.item : endIndex - 1;
  if (guardIndex === undefined) return undefined;
  if (summaryInGuard === 'stop') {
    if (summaries !== undefined && summaries.item > guardIndex) return undefined;
  }
  return backTo(stops, ({ index }) => index <= guardIndex);
}

function back<Item>(stack: Stack<Item> | undefined, items: number): Stack<Item> | undefined {
  let at = stack;
  for (let gone = 0; gone < items && at !== undefined; gone++) at = at.older;
  return at;
}
