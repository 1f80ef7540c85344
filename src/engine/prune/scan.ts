import { estimateText } from '../estimate.ts';
import { itemAt, type List, toArray } from '../history.ts';
import { isSummary, isWithout, type Message, type ToolPart } from '../message.ts';
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

/** Judges tool outputs, newest first, also behind the end of the scan. */
export function* judgeByAge(
  messages: List<Message>,
  options: ByAgeOptions,
  estimator: EstimatorOptions,
): Generator<Judgement> {
  const { skipNewestMessages = 0, guardTurns, protectTokens } = options;
  const firstSkipped = messages.length - skipNewestMessages;
  let [turns, seenTokens, hasEnded] = [0, 0, false];
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const message = itemAt(messages, index) as Message;
    const { id: messageId, parts } = message;
    const isSkipped = index >= firstSkipped;
    if (!isSkipped && message.role === 'user') turns += 1;
    const isPassedOver = isSkipped || turns < guardTurns;
    if (isSummary(message) && (isSkipped || !hasEnded) && endsScan(options, isPassedOver)) {
      hasEnded = true;
      const givesUp = !isSkipped && options.atSummary === 'abort';
      yield { type: 'end', at: 'summary', messageId, givesUp };
      continue;
    }
    let rest = placeOfMessage({ isSkipped, hasEnded, isPassedOver });
    for (let place = parts.length - 1; place >= 0; place -= 1) {
      const part = parts[place];
      if (part?.type !== 'tool') continue;
      const verdict = rest ?? placeOf(part, options);
      if (verdict === undefined) {
        const tokens = weigh(part, estimator);
        seenTokens += tokens;
        yield {
          tokens,
          seenTokens,
          type: 'output',
          messageId,
          part,
          verdict: seenTokens <= protectTokens ? 'within-protect' : 'beyond-protect',
        };
        continue;
      }
      yield { type: 'output', messageId, part, verdict };
      if (verdict !== 'already-cleared') continue;
      rest = options.atCleared === 'next-message' ? 'behind-cleared' : 'not-reached';
      if (rest === 'behind-cleared') continue;
      hasEnded = true;
      yield { type: 'end', at: 'already-cleared', messageId, givesUp: false };
    }
  }
}

/** Judges every tool output of some messages, newest first. */
export function judgeOutputs(
  messages: List<Message>,
  judge: (part: ToolPart) => Pick<JudgedOutput, 'verdict' | 'tokens' | 'seenTokens'>,
): readonly JudgedOutput[] {
  return toArray(messages)
    .toReversed()
    .flatMap(({ id: messageId, parts }) =>
      parts
        .toReversed()
        .flatMap((part): readonly JudgedOutput[] =>
          part.type === 'tool' ? [{ type: 'output', messageId, part, ...judge(part) }] : [],
        ),
    );
}

/** Tokens of the output of a call; 0 where it has none. */
export function weigh({ state }: ToolPart, estimator: EstimatorOptions): number {
  return state.status === 'completed' ? estimateText(state.output, { estimator }) : 0;
}

/** Why an output is kept whatever it weighs, if it is. */
export function placeOf(part: ToolPart, options: ByAgeOptions): Verdict | undefined {
  const { tool, state } = part;
  if (state.status !== 'completed') return 'not-completed';
  if (options.protectedTools.includes(tool)) return 'protected-tool';
  // An output that a clean-up took out says nothing of how far the pass came.
  if (isWithout(part, 'output')) return 'cleaned-up';
  const isCleared = state.compactedAt !== undefined;
  return isCleared && options.atCleared !== 'go-on' ? 'already-cleared' : undefined;
}

function endsScan({ summaryInGuard }: ByAgeOptions, isPassedOver: boolean): boolean {
  return !isPassedOver || summaryInGuard === 'stop';
}

function placeOfMessage(at: {
  readonly isSkipped: boolean;
  readonly hasEnded: boolean;
  readonly isPassedOver: boolean;
}): Verdict | undefined {
  if (at.isSkipped) return 'newest-message';
  if (at.hasEnded) return 'not-reached';
  return at.isPassedOver ? 'guarded-turn' : undefined;
}
