import type { ByAgeOptions, EstimatorOptions } from '../policy.ts';
import type { Message, ToolPart } from '../message.ts';
import { scanMessage, skipMessage, startScan, type Verdict } from './scan.ts';

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
