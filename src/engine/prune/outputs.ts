import type { EstimatorOptions } from '../estimate.ts';
import { isSummary, type Message, type Part } from '../message.ts';
import type { Fold } from '../series/fold.ts';
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

/** What a scan of one message finds. */
interface Found {
  readonly tokens: number;
  readonly hasEnded: boolean;
}

type OutputFold = Fold<Message, Outputs>;
type FindIn = (message: Message) => Found;

const NONE: Outputs = { turns: undefined, summaries: undefined, stops: undefined };
const NO_STOP: Found = { tokens: 0, hasEnded: false };
const SUMMARY: Found = { tokens: 0, hasEnded: true };
const NOBODY: ScanVisitor = { output: () => {}, end: () => {} };

/** One fold for the same rules, so that a history is gone through once. */
const folds = new WeakMap<ByAgeOptions, WeakMap<EstimatorOptions, OutputFold>>();

/** Sums up the outputs of a history as the by-age pass weighs them. */
export function outputFold(options: ByAgeOptions, estimator: EstimatorOptions): OutputFold {
  const known = folds.get(options) ?? new WeakMap<EstimatorOptions, OutputFold>();
  folds.set(options, known);
  const fold = known.get(estimator) ?? createFold(createFinder(options, estimator));
  known.set(estimator, fold);
  return fold;
}

/** Parts never change, and runs of one recording share them. */
function createFinder(options: ByAgeOptions, estimator: EstimatorOptions): FindIn {
  const known = new WeakMap<readonly Part[], Found>();
  return (message) => {
    if (isSummary(message)) return SUMMARY;
    const found = known.get(message.parts);
    if (found !== undefined) return found;
    const scan = startScan(options, estimator);
    scan.turns = Infinity;
    scanMessage(message, scan, NOBODY);
    const { weighed, hasEnded, seenTokens: tokens } = scan;
    const seen = weighed > 0 || hasEnded ? { tokens, hasEnded } : NO_STOP;
    known.set(message.parts, seen);
    return seen;
  };
}

function createFold(findIn: FindIn): OutputFold {
  return {
    start: NONE,
    add: (outputs, message, { index }) => {
      const found = findIn(message);
      const isTurn = message.role === 'user';
      if (!isTurn && found === NO_STOP) return outputs;
      const { turns, summaries, stops } = outputs;
      return {
        turns: isTurn ? addTo(turns, index) : turns,
        summaries: found === SUMMARY ? addTo(summaries, index) : summaries,
        stops: found === NO_STOP ? stops : addStop(stops, found, index),
      };
    },
  };
}

function addStop(stops: List<Stop>, { tokens, hasEnded }: Found, index: number): List<Stop> {
  const place = countOf(stops);
  const before = itemOf(stops, place - 1);
  return addTo(stops, {
    index,
    throughTokens: (before?.throughTokens ?? 0) + tokens,
    endPlace: hasEnded ? place : (before?.endPlace ?? -1),
  });
}
