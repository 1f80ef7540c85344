import { type Fold, foldOver, itemAt, type List } from '../history.ts';
import { isSummary, type Message } from '../message.ts';
import type { EstimatorOptions } from '../policy.ts';
import type { ByAgeOptions } from '../prune-policy.ts';
import { backThrough, backTo, push, type Stack } from '../stack.ts';
import type { PrunePlan } from '../state.ts';
import type { PlacedPlan } from './plan.ts';
import { type Scan, scanMessage, scanParts, type ScanVisitor, startScan } from './scan.ts';

/** One version of the prune: how its pass chooses, and whether it runs where nothing is configured. */
export interface PruneRule {
  readonly byAge: ByAgeOptions;
  readonly isOnByDefault: boolean;
}

/** The name of a prune rule. */
export type PruneRuleName = keyof typeof pruneRules;

/** The part of the by-age scan that may choose: what it leaves out is guarded, protected or behind its end. */
interface Unprotected {
  /** Back from the stop at which the protected tokens end. */
  readonly stops: Stack<Stop>;
  /** Tokens of outputs newer than the first stop. */
  readonly newerTokens: number;
}

/** Where a history has what the by-age pass goes by. */
interface Outputs {
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
interface Stop {
  readonly index: number;
  /** Tokens of outputs from the first message to this one. */
  readonly throughTokens: number;
  /** Tokens of outputs that no scan from here reaches, since it ends in front of them. */
  readonly behindTokens: number;
}

export /** The weight of a message, and whether a scan ends in it. */
interface Found {
  readonly tokens: number;
  readonly hasEnded: boolean;
}

const NOWHERE: PlacedPlan = {
  plan: { state: 'nothing', partIds: [], estimatedTokens: 0 },
  length: 0,
};

/** The numbers of the released program, since the pass exists. */
export const DEFAULT_BY_AGE: ByAgeOptions = {
  protectTokens: 40_000,
  minimumTokens: 20_000,
  guardTurns: 2,
  protectedTools: ['skill'],
};

/** The options where nothing goes by age: no output is protected by it. */
export const ANY_AGE: ByAgeOptions = {
  protectTokens: 0,
  minimumTokens: 0,
  guardTurns: 0,
  protectedTools: [],
};

const withoutProtectedTools: ByAgeOptions = { ...DEFAULT_BY_AGE, protectedTools: [] };
const fromSecondNewestMessage: ByAgeOptions = {
  ...withoutProtectedTools,
  guardTurns: 0,
  skipNewestMessages: 1,
  atSummary: 'abort',
};

/** Prune rules by the release from which each holds. Source: OpenCode release history (P1–P4). */
export const pruneRules = {
  /** P1: a scan of all but the newest message, which a summary anywhere in its way gives up. */
  'v0.9.5': { byAge: fromSecondNewestMessage, isOnByDefault: true },
  /** P2: the two newest user turns are guarded, and a summary only ends the scan. */
  'v0.9.9': { byAge: withoutProtectedTools, isOnByDefault: true },
  /** P3: skills are skipped; design documents 000, 002 and 003. */
  'v1.0.190': { byAge: DEFAULT_BY_AGE, isOnByDefault: true },
  /** P4: the same pass, which must be asked for. */
  'v1.14.19': { byAge: DEFAULT_BY_AGE, isOnByDefault: false },
} satisfies Record<string, PruneRule>;

const NO_STOP: Stop = { index: -1, throughTokens: 0, behindTokens: 0 };

const NO_OUTPUTS: Outputs = {
  length: 0,
  turns: undefined,
  summaries: undefined,
  stops: undefined,
};

const NOBODY: ScanVisitor = { output: () => {}, end: () => {} };

/**
 * Chooses old tool outputs to clear: those beyond the newest `protectTokens` of output, outside of the
 * guarded turns, back to the last summary or the last cleared output. The output that crosses the line
 * is chosen whole. Source: design documents 000, 002 and 003; OpenCode 1.0.190 to 1.14.18.
 */
export function planByAge(
  messages: List<Message>,
  options: ByAgeOptions,
  estimator: EstimatorOptions,
): PrunePlan {
  return placeByAge(messages, options, estimator).plan;
}

/** The outputs that a pass by age clears, with the messages in which they lie. */
export function placeByAge(
  messages: List<Message>,
  options: ByAgeOptions,
  estimator: EstimatorOptions,
): PlacedPlan {
  const unprotected = findUnprotected(messages, options, estimator);
  if (unprotected === undefined) return NOWHERE;
  const partIds: string[] = [];
  let estimatedTokens = 0;
  const scan = startScan(options, estimator);
  const visitor: ScanVisitor = {
    output: ({ id }, verdict, tokens = 0) => {
      if (verdict !== 'beyond-protect') return;
      estimatedTokens += tokens;
      partIds.push(id);
    },
    end: () => {},
  };
  scanUnprotected(messages, unprotected, { scan, visitor });
  if (scan.givesUp) return NOWHERE;
  const state = stateOf({ partIds, estimatedTokens }, options);
  const plan: PrunePlan = { state, partIds, estimatedTokens };
  return { plan, length: unprotected.stops.item.index + 1 };
}

/** Tests if a release prunes, given its setting; `undefined` means that nothing is configured. */
export function isPruneOn(rule: PruneRuleName, configured: boolean | undefined): boolean {
  return configured ?? pruneRules[rule].isOnByDefault;
}

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
          : addStop(stops, scanStop(message, startScan(options, estimator)), length),
      };
    },
  };
}

/** Where the by-age scan may choose, which sums over the history tell; nothing where all is protected. */
function findUnprotected(
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

/** Scans where something may be chosen, newest first, until the scan ends. */
function scanUnprotected(
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

function stateOf(
  { partIds, estimatedTokens }: Omit<PrunePlan, 'state'>,
  { minimumTokens }: ByAgeOptions,
): PrunePlan['state'] {
  if (partIds.length === 0) return 'nothing';
  return estimatedTokens > minimumTokens ? 'fire' : 'below-minimum';
}

function addStop(
  stops: Outputs['stops'],
  found: Found | undefined,
  index: number,
): Outputs['stops'] {
  if (found === undefined) return stops;
  const { tokens, hasEnded } = found;
  const { throughTokens, behindTokens } = stops?.item ?? NO_STOP;
  return push(stops, {
    index,
    throughTokens: throughTokens + tokens,
    behindTokens: hasEnded ? throughTokens : behindTokens,
  });
}

/** The weight of a message in a scan; absent where it neither weighs anything nor ends there. */
function scanStop(message: Message, scan: Scan): Found | undefined {
  if (!message.parts.some(({ type }) => type === 'tool')) return undefined;
  scanParts(message.parts, scan, NOBODY);
  const { weighed, hasEnded, seenTokens: tokens } = scan;
  return weighed > 0 || hasEnded ? { tokens, hasEnded } : undefined;
}
