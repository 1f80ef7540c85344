/** Passes that leave the newest outputs: the rest goes, or as a scorer judges it. */

import { estimateText } from '../estimate.ts';
import { findNewest, type Fold, foldOver, itemAt, type List } from '../history.ts';
import {
  type CompletedPart,
  isCleared,
  isCompleted,
  isSummary,
  isWithout,
  type Message,
  type Part,
  standIn,
} from '../message.ts';
import type { EstimatorOptions } from '../policy.ts';
import type {
  ByVerdictOptions,
  KeepLastOptions,
  OutputVerdict,
  ScoredOutput,
  ScorerName,
} from '../prune-policy.ts';
import {
  chosenOf,
  clearOutput,
  type JudgedOutput,
  judgeOutputs,
  type PassResult,
  planOf,
  type Verdict,
  weigh,
} from './plan.ts';

interface Counted {
  readonly outputs: number;
  readonly shown: number;
  /** Index behind the newest summary. */
  readonly start: number;
}

const OLD_OUTPUTS = 20;
const LONG_CHARS = 4_000;
const LAST_OF_ONE_UNIT = 0xff_ff;

/** Scorers that come with the engine, by name. */
export const scorers = {
  'size-and-age': {
    describes: `drops outputs with ${OLD_OUTPUTS} or more newer ones, shortens those above ${LONG_CHARS} characters`,
    judge: ({ output, newerOutputs }) => {
      if (newerOutputs >= OLD_OUTPUTS) return 'drop';
      return output.length > LONG_CHARS ? 'shorten' : 'keep';
    },
  },
} satisfies Record<
  ScorerName,
  { readonly describes: string; readonly judge: (output: ScoredOutput) => OutputVerdict }
>;

/** Where a policy does not say who judges. */
export const KEEP_WITHOUT_VERDICT: ByVerdictOptions = {
  outputs: Number.MAX_SAFE_INTEGER,
  scorer: 'size-and-age',
  headChars: 0,
  tailChars: 0,
};

const REASONS = {
  keep: 'kept-by-verdict',
  shorten: 'shortened',
  drop: 'dropped',
} as const satisfies Record<OutputVerdict, Verdict>;

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

/** Chooses the outputs that a scorer shortens or drops, back to the newest summary. */
export function passByVerdict(
  messages: List<Message>,
  options: ByVerdictOptions,
  estimator: EstimatorOptions,
): PassResult {
  const newestSummary = findNewest(messages, isSummary);
  let outputs = 0;
  const judged = [
    ...judgeOutputs(messages, (part, index) => {
      if (!isCompleted(part)) return { verdict: 'not-completed' };
      const isScored = index > newestSummary;
      const newerOutputs = outputs;
      if (isScored) outputs += 1;
      if (part.state.compactedAt !== undefined) return { verdict: 'already-cleared' };
      if (!isScored || newerOutputs < options.outputs) return { verdict: 'among-kept' };
      const verdict = REASONS[verdictOn(part, newerOutputs, options)];
      if (verdict === 'kept-by-verdict') return { verdict };
      const { output } = part.state;
      const left = verdict === 'dropped' ? '' : shortText(output, options);
      const tokens = estimateText(output, { estimator }) - estimateText(left, { estimator });
      return { verdict, tokens: Math.max(0, tokens) };
    }),
  ];
  const shortened = new Set(
    judged.flatMap(({ part, verdict }) => (verdict === 'shortened' ? part.id : [])),
  );
  const change = (part: Part, now: number) => {
    if (!isCompleted(part)) return part;
    if (!shortened.has(part.id)) return clearOutput(part, now);
    const state = { ...part.state, output: shortText(part.state.output, options) };
    return standIn({ ...part, state }, part, { what: 'middle', now });
  };
  return { plan: planOf(chosenOf(judged)), change, judge: () => judged };
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

function verdictOn(part: CompletedPart, newerOutputs: number, options: ByVerdictOptions) {
  const { tool } = part;
  const { input, output } = part.state;
  const { judge = scorers[options.scorer].judge, byTool } = options;
  const ofTool = byTool !== undefined && Object.hasOwn(byTool, tool.toLowerCase());
  const verdict =
    (ofTool ? byTool[tool.toLowerCase()] : undefined) ??
    judge({ tool, input, output, newerOutputs });
  if (verdict !== 'shorten') return verdict;
  const isShort = isWithout(part, 'middle') || shortText(output, options).length >= output.length;
  return isShort ? 'keep' : 'shorten';
}

function shortText(text: string, { headChars, tailChars }: ByVerdictOptions): string {
  const head = text.slice(0, wholeAt(text, headChars));
  const tail = text.slice(wholeAt(text, Math.max(headChars, text.length - tailChars)));
  const missing = text.length - head.length - tail.length;
  return `${head}\n[${missing} characters removed to save context]\n${tail}`;
}

/** The index, or the one before it where a character of two units stands across it. */
function wholeAt(text: string, index: number): number {
  return (text.codePointAt(index - 1) ?? 0) > LAST_OF_ONE_UNIT ? index - 1 : index;
}
