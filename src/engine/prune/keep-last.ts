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
import { clearOutput, type PassResult, planOf, judgeOutputs, type Verdict, weigh } from './plan.ts';

interface Counted {
  readonly outputs: number;
  readonly shown: number;
}

const NO_OUTPUTS: Counted = { outputs: 0, shown: 0 };

/** Where a policy does not say how many. */
export const KEEP_ALL: KeepLastOptions = { outputs: Number.MAX_SAFE_INTEGER };

/** Chooses all outputs but the newest. Sources: Claude Code, Qwen Code, SWE-agent, Anthropic's API, LangChain. */
export function passKeepLast(
  messages: List<Message>,
  options: KeepLastOptions,
  estimator: EstimatorOptions,
): PassResult {
  const { leastTokens = 0, clearsInputs = false } = options;
  const chosen = choose(messages, options).map((part) => ({
    part,
    tokens: weigh(part, estimator),
  }));
  const judge = () => {
    const going = new Map(chosen.map(({ part, tokens }) => [part.id, tokens]));
    const kept = newestOutputs(messages, options);
    return judgeOutputs(messages, (part) => {
      const tokens = going.get(part.id);
      if (tokens === undefined) return { verdict: verdictOf(part, kept, options) };
      return { verdict: 'beyond-kept', tokens };
    });
  };
  const clearedTokens = () =>
    [...newestFirst(messages, options)]
      .filter(isCleared)
      .reduce((total, part) => total + weigh(part, estimator), 0);
  return {
    plan: planOf(
      chosen,
      (tokens) => tokens >= leastTokens || tokens + clearedTokens() >= leastTokens,
    ),
    ...(clearsInputs !== false && { change: clearCall(clearsInputs) }),
    judge,
  };
}

/** Ids of the newest outputs, which the pass never clears. */
export function newestOutputs(
  messages: List<Message>,
  options: KeepLastOptions,
): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const { id } of newestFirst(messages, options)) {
    if (ids.size >= options.outputs) break;
    ids.add(id);
  }
  return ids;
}

/** Tests if the pass may clear the output of a part. */
export function mayClear(part: Part, options: KeepLastOptions): part is CompletedPart {
  return countsFor(part, options) && !isExcluded(part, options);
}

/** Chooses every tool output that is still sent. Source: design document 004, selective pruning. */
export function passAllOutputs(messages: List<Message>, estimator: EstimatorOptions): PassResult {
  let seenTokens = 0;
  const judged = judgeOutputs(messages, (part) => {
    if (!isCompleted(part)) return { verdict: 'not-completed' };
    if (isCleared(part)) return { verdict: 'already-cleared' };
    const tokens = weigh(part, estimator);
    seenTokens += tokens;
    return { verdict: 'beyond-protect', tokens, seenTokens };
  });
  const chosen = judged.flatMap(({ part, tokens }) =>
    tokens === undefined ? [] : [{ part, tokens }],
  );
  return { plan: planOf(chosen), judge: () => judged };
}

function choose(messages: List<Message>, options: KeepLastOptions): readonly CompletedPart[] {
  const { outputs, shown } = foldOver(messages, countFold(options));
  if (options.aboveOutputs !== undefined && outputs <= options.aboveOutputs) return [];
  const chosen: CompletedPart[] = [];
  let [passed, left] = [0, shown];
  for (const part of newestFirst(messages, options)) {
    if (left === 0) break;
    passed += 1;
    if (isCleared(part) || isExcluded(part, options)) continue;
    left -= 1;
    if (passed > options.outputs) chosen.push(part);
  }
  return chosen;
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

function countFold(options: KeepLastOptions): Fold<Message, Counted> {
  return {
    by: { name: 'kept', rules: [options] },
    start: NO_OUTPUTS,
    add: (counted, message) => {
      if (isSummary(message)) return NO_OUTPUTS;
      const found = message.parts.filter((part) => countsFor(part, options));
      const shown = found.filter((part) => !isCleared(part) && !isExcluded(part, options));
      return { outputs: counted.outputs + found.length, shown: counted.shown + shown.length };
    },
  };
}

function* newestFirst(messages: List<Message>, options: KeepLastOptions): Generator<CompletedPart> {
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const message = itemAt(messages, index) as Message;
    if (isSummary(message)) return;
    yield* message.parts.filter((part) => countsFor(part, options)).toReversed();
  }
}

function verdictOf(part: ToolPart, kept: ReadonlySet<string>, options: KeepLastOptions): Verdict {
  if (part.state.status !== 'completed') return 'not-completed';
  if (!mayClear(part, options)) return 'protected-tool';
  if (part.state.compactedAt !== undefined) return 'already-cleared';
  return kept.has(part.id) ? 'among-kept' : 'not-reached';
}

function countsFor(part: Part, { tools }: KeepLastOptions): part is CompletedPart {
  return isCompleted(part) && tools?.includes(part.tool.toLowerCase()) !== false;
}

function isExcluded({ tool }: ToolPart, { excludedTools }: KeepLastOptions): boolean {
  return excludedTools?.includes(tool.toLowerCase()) === true;
}
