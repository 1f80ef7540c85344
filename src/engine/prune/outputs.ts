import type { EstimatorOptions } from '../estimate.ts';
import { isSummary, type Message, type Part } from '../message.ts';
import type { Fold, Place } from '../series/fold.ts';
import { addTo, countOf, itemOf, type List } from '../series/list.ts';
import type { ByAgeOptions } from './by-age.ts';
import { scanMessage, type ScanVisitor, startScan } from './scan.ts';

/** Where a history has what the by-age pass goes by, oldest first. */
export interface Outputs {
  /** Indices of user messages. */
  readonly turns: List<number>;
  /** Indices of summaries. */
  readonly summaries: List<number>;
  /** Messages with outputs that are weighed, or at which a scan ends. */
  readonly stops: List<Stop>;
}

/** A message at which the pass has something to weigh, or ends. */
export interface Stop {
  readonly index: number;
  /** What outputs weigh from the first message to this one. */
  readonly throughTokens: number;
  /** Place of the newest stop, up to this one, at which a scan ends; -1 where there is none. */
  readonly endPlace: number;
}

type OutputFold = Fold<Message, Outputs>;

const NONE: Outputs = { turns: undefined, summaries: undefined, stops: undefined };

/** One fold for the same rules, so that a history is gone through once. */
const folds = new WeakMap<ByAgeOptions, WeakMap<EstimatorOptions, OutputFold>>();

/** Sums up the outputs of a history as the by-age pass weighs them. */
export function outputFold(options: ByAgeOptions, estimator: EstimatorOptions): OutputFold {
  const known = folds.get(options) ?? new WeakMap<EstimatorOptions, OutputFold>();
  folds.set(options, known);
  const fold = known.get(estimator) ?? createFold(options, estimator);
  known.set(estimator, fold);
  return fold;
}

const NOBODY: ScanVisitor = { output: () => {}, end: () => {} };

function createFold(options: ByAgeOptions, estimator: EstimatorOptions): OutputFold {
  const addStop = (stops: List<Stop>, message: Message, index: number) => {
    const scan = startScan(options, estimator);
    scan.turns = Infinity;
    scanMessage(message, scan, NOBODY);
    if (scan.weighed === 0 && !scan.hasEnded) return stops;
    const length = countOf(stops);
    const before = itemOf(stops, length - 1);
    return addTo(stops, {
      index,
      throughTokens: (before?.throughTokens ?? 0) + scan.seenTokens,
      endPlace: scan.hasEnded ? length : (before?.endPlace ?? -1),
    });
  };
  return {
    start: NONE,
    add: (outputs, message, { index }: Place<Message>) => {
      const isTurn = message.role === 'user';
      if (!isTurn && !mayStop(message)) return outputs;
      const { turns, summaries, stops } = outputs;
      return {
        turns: isTurn ? addTo(turns, index) : turns,
        summaries: isSummary(message) ? addTo(summaries, index) : summaries,
        stops: mayStop(message) ? addStop(stops, message, index) : stops,
      };
    },
  };
}

function mayStop(message: Message): boolean {
  return isSummary(message) || message.parts.some(isToolPart);
}

function isToolPart({ type }: Part): boolean {
  return type === 'tool';
}
