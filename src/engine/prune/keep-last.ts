import { estimateText } from '../estimate.ts';
import { type Fold, foldOver, itemAt, type List } from '../history.ts';
import {
  type CompletedPart,
  isCleared,
  isCompleted,
  isSummary,
  type Message,
  type Part,
  standIn,
  type ToolPart,
} from '../message.ts';
import type { EstimatorOptions } from '../policy.ts';
import type { KeepLastOptions } from '../prune-policy.ts';
import { push, type Stack } from '../stack.ts';
import { clearOutput, type PlacedPlan, planOf } from './plan.ts';
import { type JudgedOutput, judgeOutputs, type Verdict } from './scan.ts';

interface Placed {
  readonly part: CompletedPart;
  readonly index: number;
}

/** A message with outputs that count, or a summary. */
interface Stop {
  readonly index: number;
  /** Outputs that count, from the newest summary to here. */
  readonly outputs: number;
  /** Those of them that may be cleared and are not. */
  readonly shownOutputs: number;
}

/** Where a policy does not say how many. */
export const KEEP_ALL: KeepLastOptions = { outputs: Number.MAX_SAFE_INTEGER };

/**
 * Chooses every output but the newest ones that is not cleared yet, back to the newest summary. Sources: Claude Code and
 * Qwen Code, micro-compaction; SWE-agent, `last_n_observations`; Anthropic's API and LangChain, clearing of tool uses.
 */
export function placeKeepLast(
  messages: List<Message>,
  options: KeepLastOptions,
  estimator: EstimatorOptions,
): PlacedPlan {
  const { leastTokens = 0, clearsInputs = false } = options;
  const placed = planOf(
    choose(messages, options).map((one) => ({ ...one, tokens: weigh(one.part, estimator) })),
  );
  const { state, estimatedTokens } = placed.plan;
  const isEnough =
    state === 'nothing' ||
    estimatedTokens >= leastTokens ||
    estimatedTokens + clearedTokens(messages, options, estimator) >= leastTokens;
  return {
    ...placed,
    ...(!isEnough && { plan: { ...placed.plan, state: 'below-minimum' } }),
    ...(clearsInputs !== false && { change: clearCall(clearsInputs) }),
  };
}

/** Judges every tool output, newest first, as the pass does. */
export function judgeKeepLast(
  messages: readonly Message[],
  options: KeepLastOptions,
  estimator: EstimatorOptions,
): readonly JudgedOutput[] {
  const chosen = new Set(placeKeepLast(messages, options, estimator).plan.partIds);
  const kept = newestOutputs(messages, options);
  return judgeOutputs(messages, (part) =>
    isCompleted(part) && chosen.has(part.id)
      ? { verdict: 'beyond-kept', tokens: weigh(part, estimator) }
      : { verdict: verdictOf(part, kept, options) },
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

/** Tests if the pass may clear the output of a part. */
export function mayClear(part: Part, options: KeepLastOptions): part is CompletedPart {
  return countsFor(part, options) && !isExcluded(part, options);
}

/** Chooses every tool output that is still sent, newest first. Source: design document 004, selective pruning. */
export function placeAllOutputs(
  messages: readonly Message[],
  estimator: EstimatorOptions,
): PlacedPlan {
  const index = messages.length - 1;
  const chosen = judgeAllOutputs(messages, estimator).flatMap(({ part, verdict, tokens = 0 }) =>
    verdict === 'beyond-protect' ? [{ part, index, tokens }] : [],
  );
  return planOf(chosen);
}

/** Judges every tool output, newest first; nothing is protected. */
export function judgeAllOutputs(
  messages: readonly Message[],
  estimator: EstimatorOptions,
): readonly JudgedOutput[] {
  let seenTokens = 0;
  return judgeOutputs(messages, (part) => {
    if (!isCompleted(part)) return { verdict: 'not-completed' };
    if (isCleared(part)) return { verdict: 'already-cleared' };
    const tokens = weigh(part, estimator);
    seenTokens += tokens;
    return { verdict: 'beyond-protect', tokens, seenTokens };
  });
}

/** Outputs beyond the newest ones, newest first; none while there are too few. */
function choose(messages: List<Message>, options: KeepLastOptions): readonly Placed[] {
  const { outputs = 0, shownOutputs = 0 } = foldOver(messages, stopsFor(options))?.item ?? {};
  if (options.aboveOutputs !== undefined && outputs <= options.aboveOutputs) return [];
  const chosen: Placed[] = [];
  let passed = 0;
  let shown = shownOutputs;
  for (const output of newestFirst(messages, options)) {
    if (shown === 0) break;
    passed += 1;
    if (isCleared(output.part) || isExcluded(output.part, options)) continue;
    shown -= 1;
    if (passed > options.outputs) chosen.push(output);
  }
  return chosen;
}

/** Tokens of outputs that were cleared before. */
function clearedTokens(
  messages: List<Message>,
  options: KeepLastOptions,
  estimator: EstimatorOptions,
): number {
  let tokens = 0;
  for (const { part } of newestFirst(messages, options)) {
    if (isCleared(part)) tokens += weigh(part, estimator);
  }
  return tokens;
}

/** Clears outputs, and the inputs of the same calls. Source: LangChain, which leaves an empty object. */
function clearCall(clearsInputs: true | readonly string[]): (part: Part, now: number) => Part {
  return (part, now) => {
    if (!isCompleted(part)) return part;
    const cleared = clearOutput(part, now);
    if (clearsInputs !== true && !clearsInputs.includes(part.tool.toLowerCase())) return cleared;
    const state = { ...cleared.state, input: {} };
    return standIn({ ...cleared, state }, part, { what: 'input', now });
  };
}

function isExcluded({ tool }: ToolPart, { excludedTools }: KeepLastOptions): boolean {
  return excludedTools?.includes(tool.toLowerCase()) === true;
}

function stopsFor(options: KeepLastOptions): Fold<Message, Stack<Stop> | undefined> {
  return {
    by: { name: 'kept', rules: [options] },
    start: undefined,
    add: (stops, message, { index }) => {
      if (isSummary(message)) return push(stops, { index, outputs: 0, shownOutputs: 0 });
      const found = message.parts.filter((part) => countsFor(part, options));
      if (found.length === 0) return stops;
      const shown = found.filter((part) => !isCleared(part) && !isExcluded(part, options));
      const { outputs = 0, shownOutputs = 0 } = stops?.item ?? {};
      return push(stops, {
        index,
        outputs: outputs + found.length,
        shownOutputs: shownOutputs + shown.length,
      });
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

function verdictOf(part: ToolPart, kept: ReadonlySet<string>, options: KeepLastOptions): Verdict {
  if (part.state.status !== 'completed') return 'not-completed';
  if (!isOf(part, options.tools) || isExcluded(part, options)) return 'protected-tool';
  if (part.state.compactedAt !== undefined) return 'already-cleared';
  return kept.has(part.id) ? 'among-kept' : 'not-reached';
}

function isOf({ tool }: ToolPart, tools: KeepLastOptions['tools']): boolean {
  return tools === undefined || tools.includes(tool.toLowerCase());
}
