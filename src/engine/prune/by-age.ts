import { type EstimatorOptions, estimateTokens } from '../estimate.ts';
import { isSummary, type Message } from '../message.ts';
import type { PrunePlan } from './plan.ts';

/** How the by-age pass chooses. */
export interface ByAgeOptions {
  /** Newest tool output that is always kept, in estimated tokens. */
  readonly protectTokens: number;
  /** A saving must be larger than this, in estimated tokens. */
  readonly minimumTokens: number;
  /** Newest user turns that are never touched. */
  readonly guardTurns: number;
  /** Tools whose output is never cleared and does not count as protected output. */
  readonly protectedTools: readonly string[];
  /** Newest messages that the scan does not look at, whatever their role; absent means none. */
  readonly skipNewestMessages?: number;
  /** Whether a summary ends the scan or gives up the whole pass; absent means that it ends the scan. */
  readonly atSummary?: 'stop' | 'abort';
  /** Whether a summary inside of the guarded turns ends the scan too; absent means that it is passed over. */
  readonly summaryInGuard?: 'pass' | 'stop';
  /** Where the scan goes at a cleared output; absent means that it ends. */
  readonly atCleared?: 'stop' | 'next-message' | 'go-on';
}

const NOTHING: PrunePlan = { state: 'nothing', partIds: [], estimatedTokens: 0 };

/** The numbers of the released program, since the pass exists. */
export const DEFAULT_BY_AGE: ByAgeOptions = {
  protectTokens: 40_000,
  minimumTokens: 20_000,
  guardTurns: 2,
  protectedTools: ['skill'],
};

/**
 * Chooses old tool outputs to clear: those beyond the newest `protectTokens` of output, outside of the
 * guarded turns, back to the last summary or the last cleared output. The output that crosses the line
 * is chosen whole. Source: design documents 000, 002 and 003; OpenCode 1.0.190 to 1.14.18.
 */
export function planByAge(
  messages: readonly Message[],
  options: ByAgeOptions,
  estimator: EstimatorOptions,
): PrunePlan {
  const partIds: string[] = [];
  let seenTokens = 0;
  let estimatedTokens = 0;
  for (const found of clearableOutputs(messages, options)) {
    if (found === 'abort') return NOTHING;
    const { id, output } = found;
    const tokens = estimateTokens(output.length, estimator);
    seenTokens += tokens;
    if (seenTokens <= options.protectTokens) continue;
    estimatedTokens += tokens;
    partIds.push(id);
  }
  return {
    state: stateOf(partIds, estimatedTokens > options.minimumTokens),
    partIds,
    estimatedTokens,
  };
}

function stateOf(partIds: readonly string[], isEnough: boolean): PrunePlan['state'] {
  if (partIds.length === 0) return 'nothing';
  return isEnough ? 'fire' : 'below-minimum';
}

/** Completed outputs outside of the guarded turns, newest first, up to a summary or a cleared one. */
function* clearableOutputs(messages: readonly Message[], options: ByAgeOptions) {
  let turns = 0;
  for (const message of newestFirst(scannedMessages(messages, options))) {
    if (message.role === 'user') turns += 1;
    const isGuarded = turns < options.guardTurns;
    if (isSummary(message) && !(isGuarded && options.summaryInGuard !== 'stop')) {
      if (options.atSummary === 'abort') yield 'abort' as const;
      return;
    }
    if (isGuarded) continue;
    const { outputs, endsScan } = outputsOf(message, options);
    yield* outputs;
    if (endsScan) return;
  }
}

/** The outputs of one message, newest first, up to a cleared one where that ends the scan. */
function outputsOf(message: Message, options: ByAgeOptions) {
  const outputs: { readonly id: string; readonly output: string }[] = [];
  for (const part of newestFirst(message.parts)) {
    if (part.type !== 'tool' || part.state.status !== 'completed') continue;
    if (options.protectedTools.includes(part.tool)) continue;
    const isCleared = part.state.compactedAt !== undefined;
    if (isCleared && options.atCleared === 'next-message') break;
    if (isCleared && options.atCleared !== 'go-on') return { outputs, endsScan: true };
    outputs.push({ id: part.id, output: part.state.output });
  }
  return { outputs, endsScan: false };
}

function scannedMessages(messages: readonly Message[], { skipNewestMessages = 0 }: ByAgeOptions) {
  return messages.slice(0, Math.max(0, messages.length - skipNewestMessages));
}

function* newestFirst<Item>(items: readonly Item[]): Generator<Item> {
  for (let index = items.length - 1; index >= 0; index -= 1) {
    const item = items[index];
    if (item !== undefined) yield item;
  }
}
