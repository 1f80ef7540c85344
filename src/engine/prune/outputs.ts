import type { ByAgeOptions, EstimatorOptions } from '../policy.ts';
import { isSummary, type Message } from '../message.ts';
import type { Fold } from '../history.ts';
import { push, type Stack } from '../stack.ts';
import { type Scan, scanParts, type ScanVisitor, startScan } from './scan.ts';

/** Where a history has what the by-age pass goes by. */
export interface Outputs {
  /** How many messages there are. */
  readonly length: number;
  /** Indices of user messages. */
  readonly turns: Stack<number> | undefined;
  /** Indices of summaries. */
  readonly summaries: Stack<number> | undefined;
  /** Messages with outputs that are weighed, or at which a scan ends. */
  readonly stops: Stack<Stop> | undefined;
}

/** A message at which the pass has something to weigh, or ends. */
export interface Stop {
  readonly index: number;
  /** What outputs weigh from the first message to this one. */
  readonly throughTokens: number;
  /** What those weigh that no scan reaches from here, for it ends in front of them. */
  readonly behindTokens: number;
}

const NO_STOP: Stop = { index: -1, throughTokens: 0, behindTokens: 0 };
const NO_OUTPUTS: Outputs = { length: 0, turns: undefined, summaries: undefined, stops: undefined };
const NOBODY: ScanVisitor = { output: () => {}, end: () => {} };

/** Sums up the outputs of a history as the by-age pass weighs them. */
export function outputFold(
  options: ByAgeOptions,
  estimator: EstimatorOptions,
): Fold<Message, Outputs> {
  return {
    by: { name: 'outputs', rules: [options, estimator] },
    start: NO_OUTPUTS,
    add: ({ length, turns, summaries, stops }, message) => {
      const isEnd = isSummary(message);
      return {
        length: length + 1,
        turns: message.role === 'user' ? push(turns, length) : turns,
        summaries: isEnd ? push(summaries, length) : summaries,
        stops: isEnd
          ? addStop(stops, { tokens: 0, hasEnded: true }, length)
          : scanStop(stops, message, length, startScan(options, estimator)),
      };
    },
  };
}

/** Adds a message in which a scan weighs something, or ends. */
function scanStop(stops: Outputs['stops'], message: Message, index: number, scan: Scan) {
  if (!message.parts.some(({ type }) => type === 'tool')) return stops;
  scanParts(message.parts, scan, NOBODY);
  const { weighed, hasEnded, seenTokens: tokens } = scan;
  return weighed > 0 || hasEnded ? addStop(stops, { tokens, hasEnded }, index) : stops;
}

function addStop(
  stops: Outputs['stops'],
  { tokens, hasEnded }: { readonly tokens: number; readonly hasEnded: boolean },
  index: number,
): Stack<Stop> {
  const { throughTokens, behindTokens } = stops?.item ?? NO_STOP;
  return push(stops, {
    index,
    throughTokens: throughTokens + tokens,
    behindTokens: hasEnded ? throughTokens : behindTokens,
  });
}
