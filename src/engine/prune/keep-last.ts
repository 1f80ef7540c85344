import { type Fold, foldOver, itemAt, type List } from '../history.ts';
import {
  type CompletedPart,
  isCleared,
  isCompleted,
  isSummary,
  type Message,
  type Part,
  standIn,
} from '../message.ts';
import type { EstimatorOptions } from '../policy.ts';
import type { KeepLastOptions } from '../prune-policy.ts';
import {
  chosenOf,
  clearOutput,
  type JudgedOutput,
  judgeOutputs,
  type PassResult,
  planOf,
  weigh,
} from './plan.ts';

interface Counted {
  readonly outputs: number;
  readonly shown: number;
  /** Index behind the newest summary. */
  readonly start: number;
}

/** Where a policy does not say how many. */
export const KEEP_ALL: KeepLastOptions = { outputs: Number.MAX_SAFE_INTEGER };

/** Chooses all outputs but the newest. Sources: Claude Code, Qwen Code, SWE-agent, Anthropic's API, LangChain. */
export function passKeepLast(
  messages: List<Message>,
  options: KeepLastOptions,
  estimator: EstimatorOptions,
): PassResult {
  const { leastTokens = 0, clearsInputs = false } = options;
  const plan = planOf(choose(messages, options, estimator), (tokens) => {
    if (tokens >= leastTokens) return true;
    const cleared = [...newestFirst(messages, options)].filter(isCleared);
    return cleared.reduce((total, part) => total + weigh(part, estimator), tokens) >= leastTokens;
  });
  return {
    plan,
    ...(clearsInputs !== false && { change: clearCall(clearsInputs) }),
    judge: () => judgeKeepLast(messages, options, estimator),
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
  return (
    countsFor(part, options) && options.excludedTools?.includes(part.tool.toLowerCase()) !== true
  );
}

/** Chooses every tool output that is still sent. Source: design document 004, selective pruning. */
export function passAllOutputs(messages: List<Message>, estimator: EstimatorOptions): PassResult {
  let seenTokens = 0;
  const judged = [
    ...judgeOutputs(messages, (part) => {
      if (!isCompleted(part)) return { verdict: 'not-completed' };
      if (isCleared(part)) return { verdict: 'already-cleared' };
      const tokens = weigh(part, estimator);
      seenTokens += tokens;
      return { verdict: 'beyond-protect', tokens, seenTokens };
    }),
  ];
  return { plan: planOf(chosenOf(judged)), judge: () => judged };
}

function choose(messages: List<Message>, options: KeepLastOptions, estimator: EstimatorOptions) {
  let { shown } = foldOver(messages, countFold(options));
  const judged: JudgedOutput[] = [];
  for (const one of judgeKeepLast(messages, options, estimator)) {
    if (shown === 0) break;
    judged.push(one);
    if (isShown(one.part, options)) shown -= 1;
  }
  return chosenOf(judged);
}

function judgeKeepLast(
  messages: List<Message>,
  options: KeepLastOptions,
  estimator: EstimatorOptions,
) {
  const { outputs, start } = foldOver(messages, countFold(options));
  const isEnough = outputs > (options.aboveOutputs ?? -1);
  let passed = 0;
  return judgeOutputs(messages, (part, index) => {
    if (!isCompleted(part)) return { verdict: 'not-completed' };
    const isReached = index >= start;
    if (isReached && countsFor(part, options)) passed += 1;
    if (!mayClear(part, options)) return { verdict: 'protected-tool' };
    if (isCleared(part)) return { verdict: 'already-cleared' };
    if (isReached && passed <= options.outputs) return { verdict: 'among-kept' };
    if (!isReached || !isEnough) return { verdict: 'not-reached' };
    return { verdict: 'beyond-kept', tokens: weigh(part, estimator) };
  });
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
    start: { outputs: 0, shown: 0, start: 0 },
    add: ({ outputs, shown, start }, message, { index }) => {
      if (isSummary(message)) return { outputs: 0, shown: 0, start: index + 1 };
      const found = message.parts.filter((part) => countsFor(part, options));
      const sent = found.filter((part) => isShown(part, options));
      return { outputs: outputs + found.length, shown: shown + sent.length, start };
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

function isShown(part: Part, options: KeepLastOptions): boolean {
  return mayClear(part, options) && !isCleared(part);
}

function countsFor(part: Part, { tools }: KeepLastOptions): part is CompletedPart {
  return isCompleted(part) && tools?.includes(part.tool.toLowerCase()) !== false;
}
