import { type EstimatorOptions, estimateTokens } from '../estimate.ts';
import { isSummary, type Message, type ToolPart } from '../message.ts';
import type { ByAgeOptions } from './by-age.ts';

/** What a prune makes of one tool output. Only those beyond the protected tokens are chosen. */
export type Verdict =
  | 'newest-message'
  | 'guarded-turn'
  | 'not-completed'
  | 'protected-tool'
  | 'within-protect'
  | 'beyond-protect'
  | 'already-cleared'
  | 'behind-cleared'
  | 'not-reached';

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

/** An output before it is weighed. */
interface Placed {
  readonly type: 'output';
  readonly messageId: string;
  readonly part: ToolPart;
  readonly verdict: Verdict | 'weighed';
}

/**
 * Judges tool outputs, newest first: whole messages first, then what their place lets in by its weight.
 * After the end of the scan it goes on with what was not reached, for those who want to know.
 */
export function* judgeByAge(
  messages: readonly Message[],
  options: ByAgeOptions,
  estimator: EstimatorOptions,
): Generator<Judgement, void, void> {
  let seenTokens = 0;
  for (const placed of placeOutputs(messages, options)) {
    if (placed.type === 'end') yield placed;
    else if (placed.verdict === 'weighed') {
      const tokens = estimateTokens(outputLength(placed.part), estimator);
      seenTokens += tokens;
      const verdict = seenTokens <= options.protectTokens ? 'within-protect' : 'beyond-protect';
      yield { ...placed, verdict, tokens, seenTokens };
    } else yield { ...placed, verdict: placed.verdict };
  }
}

/** Outputs by their place alone, and the place at which the scan ends. */
function* placeOutputs(messages: readonly Message[], options: ByAgeOptions) {
  const oldestSkippedIndex = messages.length - (options.skipNewestMessages ?? 0);
  let turns = 0;
  let hasEnded = false;
  for (const [message, index] of newestFirst(messages)) {
    if (hasEnded || index >= oldestSkippedIndex) {
      yield* toPlaced(message, hasEnded ? 'not-reached' : 'newest-message');
      continue;
    }
    if (message.role === 'user') turns += 1;
    const isGuarded = turns < options.guardTurns;
    if (isSummary(message) && !(isGuarded && options.summaryInGuard !== 'stop')) {
            yield endAt('summary', message, options.atSummary === 'abort');
    } else if (isGuarded) yield* toPlaced(message, 'guarded-turn');
    else hasEnded = yield* placeInMessage(message, options);
  }
}

/** The outputs of a message that the scan looks into; whether the scan ended there. */
function* placeInMessage(message: Message, options: ByAgeOptions) {
  let rest: 'not-reached' | 'behind-cleared' | undefined;
  for (const placed of toPlaced(message, 'weighed')) {
    const verdict = rest ?? placeOf(placed.part, options);
    yield { ...placed, verdict };
    if (verdict !== 'already-cleared') continue;
    rest = options.atCleared === 'next-message' ? 'behind-cleared' : 'not-reached';
    if (rest === 'not-reached') yield endAt('already-cleared', message, false);
  }
  return rest === 'not-reached';
}

function placeOf({ tool, state }: ToolPart, options: ByAgeOptions): Placed['verdict'] {
  if (state.status !== 'completed') return 'not-completed';
  if (options.protectedTools.includes(tool)) return 'protected-tool';
  const isCleared = state.compactedAt !== undefined;
  return isCleared && options.atCleared !== 'go-on' ? 'already-cleared' : 'weighed';
}

function* toPlaced({ id, parts }: Message, verdict: Placed['verdict']): Generator<Placed> {
  for (const [part] of newestFirst(parts)) {
    if (part.type === 'tool') yield { type: 'output', messageId: id, part, verdict };
  }
}

function endAt(at: ScanEnd['at'], { id }: Message, givesUp: boolean): ScanEnd {
  return { type: 'end', at, messageId: id, givesUp };
}

function outputLength({ state }: ToolPart): number {
  return state.status === 'completed' ? state.output.length : 0;
}

function* newestFirst<Item>(items: readonly Item[]): Generator<readonly [Item, number]> {
  for (let index = items.length - 1; index >= 0; index -= 1) {
    const item = items[index];
    if (item !== undefined) yield [item, index];
  }
}
