import { estimateText } from '../estimate.ts';
import { isSummary, isWithout, type Message, type Part, type ToolPart } from '../message.ts';
import type { EstimatorOptions } from '../policy.ts';
import type { ByAgeOptions } from '../prune-policy.ts';

/** The judgement of one tool output. Those beyond what is protected or kept, first in rank, taken out, shortened and dropped are chosen. */
export type Verdict =
  | 'newest-message'
  | 'guarded-turn'
  | 'not-completed'
  | 'protected-tool'
  | 'within-protect'
  | 'beyond-protect'
  | 'already-cleared'
  | 'behind-cleared'
  | 'cleaned-up'
  | 'not-reached'
  | 'among-kept'
  | 'beyond-kept'
  | 'taken-out'
  | 'kept-by-verdict'
  | 'shortened'
  | 'dropped'
  | 'ranked-first'
  | 'outranked';

/** How far a scan by age has come, from the newest message on. */
export interface Scan {
  readonly options: ByAgeOptions;
  readonly estimator: EstimatorOptions;
  turns: number;
  seenTokens: number;
  /** Outputs that were weighed. */
  weighed: number;
  hasEnded: boolean;
  /** It ended by giving up everything chosen so far. */
  givesUp: boolean;
}

/** Who is told what a scan comes by. */
export interface ScanVisitor {
  /** Called with the verdict of a tool output, and its tokens where it was weighed. */
  readonly output: (part: ToolPart, verdict: Verdict, tokens?: number) => void;
  /** At what the scan ends. */
  readonly end: (at: 'summary' | 'already-cleared') => void;
}

/** One tool output with what a prune makes of it. */
export interface JudgedOutput {
  readonly type: 'output';
  readonly messageId: string;
  readonly part: ToolPart;
  readonly verdict: Verdict;
  /** The policy's estimate; absent where the pass does not weigh it. */
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

/** A scan that has seen nothing yet. */
export function startScan(options: ByAgeOptions, estimator: EstimatorOptions): Scan {
  return {
    options,
    estimator,
    turns: 0,
    seenTokens: 0,
    weighed: 0,
    hasEnded: false,
    givesUp: false,
  };
}

/** Judges the outputs of the next older message of a scan, newest first. */
export function scanMessage(message: Message, scan: Scan, visitor: ScanVisitor): void {
  if (scan.hasEnded) return scanAll(message, 'not-reached', visitor);
  const { options } = scan;
  if (message.role === 'user') scan.turns += 1;
  const isGuarded = scan.turns < options.guardTurns;
  if (isSummary(message) && !(isGuarded && options.summaryInGuard !== 'stop')) {
    scan.hasEnded = true;
    scan.givesUp = options.atSummary === 'abort';
    return visitor.end('summary');
  }
  if (isGuarded) scanAll(message, 'guarded-turn', visitor);
  else scanParts(message.parts, scan, visitor);
}

/** Judges the outputs of a message that a scan looks into, newest first; it may end at a cleared one. */
export function scanParts(parts: readonly Part[], scan: Scan, visitor: ScanVisitor): void {
  let rest: 'not-reached' | 'behind-cleared' | undefined;
  for (let index = parts.length - 1; index >= 0; index -= 1) {
    const part = parts[index];
    if (part?.type !== 'tool') continue;
    const verdict = rest ?? placeOf(part, scan.options);
    if (verdict === undefined) weigh(part, scan, visitor);
    else visitor.output(part, verdict);
    if (verdict !== 'already-cleared') continue;
    rest = scan.options.atCleared === 'next-message' ? 'behind-cleared' : 'not-reached';
    if (rest === 'behind-cleared') continue;
    scan.hasEnded = true;
    visitor.end('already-cleared');
  }
}

/**
 * Judges tool outputs, newest first, by where they stand and then by what they weigh. After the end of
 * the scan it goes on with what was not reached, for those who want to know.
 */
export function judgeByAge(
  messages: readonly Message[],
  options: ByAgeOptions,
  estimator: EstimatorOptions,
): readonly Judgement[] {
  const { skipNewestMessages = 0 } = options;
  const scan = startScan(options, estimator);
  const judgements: Judgement[] = [];
  for (const [place, message] of messages.toReversed().entries()) {
    const { id: messageId } = message;
    const visitor = {
      output: (part: ToolPart, verdict: Verdict, tokens?: number) => {
        const output = { type: 'output', messageId, part, verdict } as const;
        const { seenTokens } = scan;
        judgements.push(tokens === undefined ? output : { tokens, seenTokens, ...output });
      },
      end: (at: ScanEnd['at']) => {
        judgements.push({ type: 'end', at, messageId, givesUp: scan.givesUp });
      },
    };
    if (place >= skipNewestMessages) scanMessage(message, scan, visitor);
    else skipMessage(message, scan, visitor);
  }
  return judgements;
}

/** Judges every tool output of some messages, newest first. */
export function judgeOutputs(
  messages: readonly Message[],
  judge: (part: ToolPart) => Pick<JudgedOutput, 'verdict' | 'tokens' | 'seenTokens'>,
): readonly JudgedOutput[] {
  return messages
    .toReversed()
    .flatMap(({ id: messageId, parts }) =>
      parts
        .toReversed()
        .flatMap((part): readonly JudgedOutput[] =>
          part.type === 'tool' ? [{ type: 'output', messageId, part, ...judge(part) }] : [],
        ),
    );
}

/** Judges all outputs of a message alike, newest first. */
function scanAll({ parts }: Message, verdict: Verdict, { output }: ScanVisitor): void {
  for (let index = parts.length - 1; index >= 0; index -= 1) {
    const part = parts[index];
    if (part?.type === 'tool') output(part, verdict);
  }
}

/** Why an output is kept whatever it weighs; nothing where its weight decides. */
function placeOf(part: ToolPart, options: ByAgeOptions): Verdict | undefined {
  const { tool, state } = part;
  if (state.status !== 'completed') return 'not-completed';
  if (options.protectedTools.includes(tool)) return 'protected-tool';
  // An output that a clean-up took out says nothing of how far the pass came.
  if (isWithout(part, 'output')) return 'cleaned-up';
  const isCleared = state.compactedAt !== undefined;
  return isCleared && options.atCleared !== 'go-on' ? 'already-cleared' : undefined;
}

function weigh(part: ToolPart, scan: Scan, { output }: ScanVisitor): void {
  const tokens = part.state.status === 'completed' ? estimateText(part.state.output, scan) : 0;
  scan.seenTokens += tokens;
  scan.weighed += 1;
  const isWithin = scan.seenTokens <= scan.options.protectTokens;
  output(part, isWithin ? 'within-protect' : 'beyond-protect', tokens);
}

/** Passes over one of the newest messages; a summary ends the scan where the rule heeds those that it passes over. */
function skipMessage(message: Message, scan: Scan, visitor: ScanVisitor): void {
  if (isSummary(message) && scan.options.summaryInGuard === 'stop') {
    scan.hasEnded = true;
    return visitor.end('summary');
  }
  scanAll(message, 'newest-message', visitor);
}
