import type { EstimatorOptions } from '../estimate.ts';
import { isSummary, type Message, type Part } from '../message.ts';
import { perKey } from '../per-key.ts';
import type { Fold } from '../series/fold.ts';
import { type Shared, sharedFold } from '../series/shared-fold.ts';
import { push, type Stack } from '../series/stack.ts';
import type { ByAgeOptions } from './by-age.ts';
import { scanParts, type ScanVisitor, startScan } from './scan.ts';

/** Where a history has what the by-age pass goes by. */
export interface Outputs extends Shared<Outputs> {
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

/** What a scan of one message finds. */
interface Found {
  readonly isTurn: boolean;
  readonly isStop: boolean;
  readonly tokens: number;
  readonly hasEnded: boolean;
}

type OutputFold = Fold<Message, Outputs>;

const NO_STOP: Stop = { index: -1, throughTokens: 0, behindTokens: 0 };
const NOTHING: Found = { isTurn: false, isStop: false, tokens: 0, hasEnded: false };
const TURN: Found = { isTurn: true, isStop: false, tokens: 0, hasEnded: false };
const SUMMARY: Found = { isTurn: false, isStop: true, tokens: 0, hasEnded: true };
const NOBODY: ScanVisitor = { output: () => {}, end: () => {} };

/** One fold for rules that find the same, so that a history is gone through once however its policies were made. */
const folds = new Map<string, OutputFold>();
const foldsOf = perKey((options: ByAgeOptions) =>
  perKey((estimator: EstimatorOptions) => findFold(options, estimator)),
);

/** Sums up the outputs of a history as the by-age pass weighs them. */
export function outputFold(options: ByAgeOptions, estimator: EstimatorOptions): OutputFold {
  return foldsOf(options)(estimator);
}

function findFold(options: ByAgeOptions, estimator: EstimatorOptions): OutputFold {
  const { protectedTools, atCleared } = options;
  const { charsPerToken, rounding } = estimator;
  const key = JSON.stringify([protectedTools, atCleared, charsPerToken, rounding]);
  const fold = folds.get(key) ?? createFold(options, estimator);
  folds.set(key, fold);
  return fold;
}

function createFold(options: ByAgeOptions, estimator: EstimatorOptions): OutputFold {
  const meaningOf = createFinder(options, estimator);
  const start = noOutputs();
  return {
    ...sharedFold<Message, Found, Outputs>({
      start,
      contentOf,
      meaningOf,
      keptBy: 'content',
      add: addFound,
    }),
    // Such a list is often made for one look. Kept by its messages, what it came to would stay for as long as their recording.
    ofPlain: (messages) =>
      messages.reduce(
        (outputs, message) => addFound(outputs, meaningOf(message), contentOf(message)),
        start,
      ),
  };
}

/** Of a step its parts, which runs of one recording share. */
function contentOf(message: Message): object {
  return message.role === 'assistant' && message.summary !== true ? message.parts : message;
}

function createFinder(options: ByAgeOptions, estimator: EstimatorOptions) {
  const findIn = perKey((parts: readonly Part[]): Found => {
    const scan = startScan(options, estimator);
    scanParts(parts, scan, NOBODY);
    const { weighed, hasEnded, seenTokens: tokens } = scan;
    const isStop = weighed > 0 || hasEnded;
    return isStop ? { isTurn: false, isStop, tokens, hasEnded } : NOTHING;
  });
  return (message: Message): Found => {
    if (isSummary(message)) return SUMMARY;
    const found = findIn(message.parts);
    if (message.role !== 'user') return found;
    return found === NOTHING ? TURN : { ...found, isTurn: true };
  };
}

function noOutputs(): Outputs {
  return {
    length: 0,
    turns: undefined,
    summaries: undefined,
    stops: undefined,
    content: undefined,
    meaning: undefined,
    next: undefined,
    others: undefined,
  };
}

function addFound(outputs: Outputs, meaning: Found, content: object): Outputs {
  const { length, turns, summaries, stops } = outputs;
  return {
    length: length + 1,
    turns: meaning.isTurn ? push(turns, length) : turns,
    summaries: meaning === SUMMARY ? push(summaries, length) : summaries,
    stops: meaning.isStop ? addStop(stops, meaning, length) : stops,
    content,
    meaning,
    next: undefined,
    others: undefined,
  };
}

function addStop(stops: Outputs['stops'], { tokens, hasEnded }: Found, index: number): Stack<Stop> {
  const { throughTokens, behindTokens } = stops?.item ?? NO_STOP;
  return push(stops, {
    index,
    throughTokens: throughTokens + tokens,
    behindTokens: hasEnded ? throughTokens : behindTokens,
  });
}
