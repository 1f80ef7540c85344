/** The pass that asks a scorer what becomes of each old output. */

import { estimateText } from '../estimate.ts';
import { findNewest, type List } from '../history.ts';
import {
  type CompletedPart,
  isCompleted,
  isSummary,
  isWithout,
  type Message,
  type Part,
  standIn,
} from '../message.ts';
import type { EstimatorOptions } from '../policy.ts';
import type { ByVerdictOptions, OutputVerdict, ScoredOutput, ScorerName } from '../prune-policy.ts';
import {
  chosenOf,
  clearOutput,
  type PassResult,
  planOf,
  judgeOutputs,
  type Verdict,
} from './plan.ts';

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
