import { estimateText } from '../estimate.ts';
import { type Fold, foldOver, itemAt, type List } from '../history.ts';
import {
  type CompletedPart,
  isCleared,
  isCompleted,
  isSummary,
  type Message,
  type Part,
  type ToolPart,
} from '../message.ts';
import type { EstimatorOptions, KeepLastOptions } from '../policy.ts';
import { push, type Stack } from '../stack.ts';
import type { PrunePlan } from '../state.ts';
import type { PlacedPlan } from './plan.ts';
import type { JudgedOutput, Verdict } from './scan.ts';

interface Placed {
  readonly part: CompletedPart;
  readonly index: number;
}

/** A message with outputs that count, or a summary. */
interface Stop {
  readonly index: number;
  /** Outputs that count and are not cleared, from the newest summary to here. */
  readonly shownOutputs: number;
}

/** Where a policy does not say how many. */
export const KEEP_ALL: KeepLastOptions = { outputs: Number.MAX_SAFE_INTEGER };

/**
 * Chooses every output but the newest ones that is not cleared yet, back to the newest summary. Sources: Claude Code and
 * Qwen Code, micro-compaction; SWE-agent, `last_n_observations`.
 */
export function placeKeepLast(
  messages: List<Message>,
  options: KeepLastOptions,
  estimator: EstimatorOptions,
): PlacedPlan {
  const chosen: Placed[] = [];
  let passed = 0;
  let shown = foldOver(messages, stopsFor(options))?.item.shownOutputs ?? 0;
  for (const output of newestFirst(messages, options)) {
    if (shown === 0) break;
    passed += 1;
    if (isCleared(output.part)) continue;
    shown -= 1;
    if (passed > options.outputs) chosen.push(output);
  }
  const plan: PrunePlan = {
    state: chosen.length === 0 ? 'nothing' : 'fire',
    partIds: chosen.map(({ part }) => part.id),
    estimatedTokens: chosen.reduce((total, { part }) => total + weigh(part, estimator), 0),
  };
  return { plan, length: (chosen[0]?.index ?? -1) + 1 };
}

/** Judges every tool output, newest first, as the pass does. */
export function judgeKeepLast(
  messages: readonly Message[],
  options: KeepLastOptions,
  estimator: EstimatorOptions,
): readonly JudgedOutput[] {
  const chosen = new Set(placeKeepLast(messages, options, estimator).plan.partIds);
  const kept = newestOutputs(messages, options);
  return messages.toReversed().flatMap(({ id, parts }) =>
    parts.toReversed().flatMap((part): readonly JudgedOutput[] => {
      if (part.type !== 'tool') return [];
      const output = { type: 'output', messageId: id, part } as const;
      return isCompleted(part) && chosen.has(part.id)
        ? [{ ...output, verdict: 'beyond-kept', tokens: weigh(part, estimator) }]
        : [{ ...output, verdict: verdictOf(part, kept, options) }];
    }),
  );
}

/** Ids of the newest outputs, which the pass never clears. */
export function newestOutputs(
  messages: List<Message>,
  options: KeepLastOptions,
): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const { part } of newestFirst(messages, options)) {
    if (ids.size >= options.outputs) break;
    ids.add(part.id);
  }
  return ids;
}

/** Tests if the pass may clear the output of a part, and counts it among those that it keeps. */
export function countsFor(part: Part, { tools }: KeepLastOptions): part is CompletedPart {
  return isCompleted(part) && isOf(part, tools);
}

/** Chooses every tool output that is still sent, newest first. Source: design document 004, selective pruning. */
export function planAllOutputs(
  messages: readonly Message[],
  estimator: EstimatorOptions,
): PrunePlan {
  const chosen = judgeAllOutputs(messages, estimator).filter(
    ({ verdict }) => verdict === 'beyond-protect',
  );
  return {
    state: chosen.length === 0 ? 'nothing' : 'fire',
    partIds: chosen.map(({ part }) => part.id),
    estimatedTokens: chosen.reduce((total, { tokens = 0 }) => total + tokens, 0),
  };
}

/** Judges every tool output, newest first; nothing is protected. */
export function judgeAllOutputs(
  messages: readonly Message[],
  estimator: EstimatorOptions,
): readonly JudgedOutput[] {
  let seenTokens = 0;
  return messages
    .flatMap(({ id, parts }) => parts.map((part) => ({ messageId: id, part })))
    .toReversed()
    .flatMap(({ messageId, part }): readonly JudgedOutput[] => {
      if (part.type !== 'tool') return [];
      const output = { type: 'output', messageId, part } as const;
      const verdict = verdictOfAllOutputs(part);
      if (part.state.status !== 'completed' || verdict !== 'beyond-protect') {
        return [{ ...output, verdict }];
      }
      const tokens = estimateText(part.state.output, { estimator });
      seenTokens += tokens;
      return [{ ...output, verdict, tokens, seenTokens }];
    });
}

function stopsFor(options: KeepLastOptions): Fold<Message, Stack<Stop> | undefined> {
  return {
    by: { name: 'kept', rules: [options] },
    start: undefined,
    add: (stops, message, { index }) => {
      if (isSummary(message)) return push(stops, { index, shownOutputs: 0 });
      const outputs = message.parts.filter((part) => countsFor(part, options));
      if (outputs.length === 0) return stops;
      const shown = outputs.filter((part) => !isCleared(part)).length;
      return push(stops, { index, shownOutputs: (stops?.item.shownOutputs ?? 0) + shown });
    },
  };
}

/** Outputs that count, newest first, back to the newest summary. */
function* newestFirst(messages: List<Message>, options: KeepLastOptions): Generator<Placed> {
  for (let at = foldOver(messages, stopsFor(options)); at !== undefined; at = at.older) {
    const { index } = at.item;
    const message = itemAt(messages, index);
    if (message === undefined || isSummary(message)) return;
    const outputs = message.parts.filter((part) => countsFor(part, options));
    for (const part of outputs.toReversed()) yield { part, index };
  }
}

function weigh({ state }: CompletedPart, estimator: EstimatorOptions): number {
  return estimateText(state.output, { estimator });
}

function verdictOf(part: ToolPart, kept: ReadonlySet<string>, { tools }: KeepLastOptions): Verdict {
  if (part.state.status !== 'completed') return 'not-completed';
  if (!isOf(part, tools)) return 'protected-tool';
  if (part.state.compactedAt !== undefined) return 'already-cleared';
  return kept.has(part.id) ? 'among-kept' : 'not-reached';
}

function isOf({ tool }: ToolPart, tools: KeepLastOptions['tools']): boolean {
  return tools === undefined || tools.includes(tool.toLowerCase());
}

function verdictOfAllOutputs({ state }: ToolPart): Verdict {
  if (state.status !== 'completed') return 'not-completed';
  return state.compactedAt === undefined ? 'beyond-protect' : 'already-cleared';
}
