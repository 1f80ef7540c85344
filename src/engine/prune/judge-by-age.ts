import { type EstimatorOptions, estimateTokens } from '../estimate.ts';
import { isSummary, type Message, type ToolPart } from '../message.ts';
import type { ByAgeOptions } from './by-age.ts';

/** What a prune makes of one tool output. Only those beyond the protected tokens, or first in rank, are chosen. */
export type Verdict =
  | 'newest-message'
  | 'guarded-turn'
  | 'not-completed'
  | 'protected-tool'
  | 'within-protect'
  | 'beyond-protect'
  | 'already-cleared'
  | 'behind-cleared'
  | 'not-reached'
  | 'ranked-first'
  | 'outranked';

/** One tool output with what a prune makes of it. */
export interface JudgedOutput {
  readonly type: 'output';
  readonly messageId: string;
  readonly part: ToolPart;
  readonly verdict: Verdict;
  /** What the policy believes it weighs; absent where the pass does not weigh it. */
  readonly tokens?: number;
  /** All that was weighed so far, this output included; absent where the pass does not weigh it. */
  readonly seenTokens?: number;
}

/** Where a scan ends; it may give up what was chosen until then. */
export interface ScanEnd {
  readonly type: 'end';
  readonly at: 'summary' | 'already-cleared';
  readonly messageId: string;
  readonly givesUp: boolean;
}

/** One thing that a scan comes by. */
export type Judgement = JudgedOutput | ScanEnd;

/** How far a scan has come. */
export interface Scan {
  readonly options: ByAgeOptions;
  readonly estimator: EstimatorOptions;
  turns: number;
  seenTokens: number;
  /** Outputs that were weighed. */
  weighed: number;
  hasEnded: boolean;
}

/**
 * Judges tool outputs, newest first, by where they stand and then by what they weigh. After the end of
 * the scan it goes on with what was not reached, for those who want to know.
 */
export function* judgeByAge(
  messages: readonly Message[],
  options: ByAgeOptions,
  estimator: EstimatorOptions,
): Generator<Judgement, void, void> {
  const { skipNewestMessages = 0 } = options;
  const scan: Scan = { options, estimator, turns: 0, seenTokens: 0, weighed: 0, hasEnded: false };
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const message = messages[index];
    if (message === undefined) continue;
    const isSkipped = index >= messages.length - skipNewestMessages;
    const judgements = isSkipped
      ? judgeAll(message, 'newest-message')
      : judgeMessage(message, scan);
    for (const judged of judgements) yield judged;
  }
}

/** Judges the outputs of the next older message of a scan, newest first. */
export function judgeMessage(message: Message, scan: Scan): readonly Judgement[] {
  if (scan.hasEnded) return judgeAll(message, 'not-reached');
  const { options } = scan;
  if (message.role === 'user') scan.turns += 1;
  const isGuarded = scan.turns < options.guardTurns;
  if (isSummary(message) && !(isGuarded && options.summaryInGuard !== 'stop')) {
    const givesUp = options.atSummary === 'abort';
    return [endAt('summary', message, { givesUp, scan })];
  }
  return isGuarded ? judgeAll(message, 'guarded-turn') : judgeParts(message, scan);
}

/** The outputs of a message that the scan looks into, and its end where a cleared one is that. */
function judgeParts(message: Message, scan: Scan): readonly Judgement[] {
  const judgements: Judgement[] = [];
  let rest: 'not-reached' | 'behind-cleared' | undefined;
  for (let index = message.parts.length - 1; index >= 0; index -= 1) {
    const part = message.parts[index];
    if (part?.type !== 'tool') continue;
    const verdict = rest ?? placeOf(part, scan.options);
    judgements.push(
      verdict === undefined
        ? weigh(part, message.id, scan)
        : { type: 'output', messageId: message.id, part, verdict },
    );
    if (verdict !== 'already-cleared') continue;
    rest = scan.options.atCleared === 'next-message' ? 'behind-cleared' : 'not-reached';
    if (rest === 'behind-cleared') continue;
    judgements.push(endAt('already-cleared', message, { givesUp: false, scan }));
  }
  return judgements;
}

/** Why an output is kept whatever it weighs; nothing where its weight decides. */
function placeOf({ tool, state }: ToolPart, options: ByAgeOptions): Verdict | undefined {
  if (state.status !== 'completed') return 'not-completed';
  if (options.protectedTools.includes(tool)) return 'protected-tool';
  const isCleared = state.compactedAt !== undefined;
  return isCleared && options.atCleared !== 'go-on' ? 'already-cleared' : undefined;
}

function weigh(part: ToolPart, messageId: string, scan: Scan): JudgedOutput {
  const length = part.state.status === 'completed' ? part.state.output.length : 0;
  const tokens = estimateTokens(length, scan.estimator);
  scan.seenTokens += tokens;
  scan.weighed += 1;
  const { seenTokens, options } = scan;
  const verdict = seenTokens <= options.protectTokens ? 'within-protect' : 'beyond-protect';
  return { type: 'output', messageId, part, verdict, tokens, seenTokens };
}

function judgeAll({ id, parts }: Message, verdict: Verdict): readonly JudgedOutput[] {
  return parts
    .filter((part) => part.type === 'tool')
    .map((part): JudgedOutput => ({ type: 'output', messageId: id, part, verdict }))
    .toReversed();
}

function endAt(
  at: ScanEnd['at'],
  { id }: Message,
  { givesUp, scan }: { readonly givesUp: boolean; readonly scan: Scan },
): ScanEnd {
  scan.hasEnded = true;
  return { type: 'end', at, messageId: id, givesUp };
}
