import { type Fold, foldOver, itemAt, type List, rewriteFrom, toArray } from '../history.ts';
import {
  type CompletedPart,
  isCompleted,
  type Message,
  type Part,
  isSummary,
  isWithout,
  type ToolPart,
} from '../message.ts';
import type { PrunePlan } from '../state.ts';
import { estimateText } from '../estimate.ts';
import type { EstimatorOptions } from '../policy.ts';
import type { ByAgeOptions } from '../prune-policy.ts';

/** A plan with what becomes of the parts that it chose. */
export interface PassResult {
  readonly plan: PrunePlan;
  /** Changes a chosen part; absent means that its output is cleared. */
  readonly change?: (part: Part, now: number) => Part;
  /** Judges every tool output, newest first. */
  readonly judge: () => Iterable<Judgement>;
}

/** A part that a pass chooses, with its estimated weight. */
export interface Chosen {
  readonly part: Part;
  readonly tokens: number;
}

type Change = (part: Part) => Part;

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

/** One version of the prune: how its pass chooses, and whether it runs where nothing is configured. */
export interface PruneRule {
  readonly byAge: ByAgeOptions;
  readonly isOnByDefault: boolean;
}

/** The name of a prune rule. */
export type PruneRuleName = keyof typeof pruneRules;

const STATES = ['fire', 'below-minimum', 'nothing'] as const;

/** The numbers of the released program, since the pass exists. */
export const DEFAULT_BY_AGE: ByAgeOptions = {
  protectTokens: 40_000,
  minimumTokens: 20_000,
  guardTurns: 2,
  protectedTools: ['skill'],
};

/** The options where nothing goes by age: no output is protected by it. */
export const ANY_AGE: ByAgeOptions = {
  protectTokens: 0,
  minimumTokens: 0,
  guardTurns: 0,
  protectedTools: [],
};

const withoutProtectedTools: ByAgeOptions = { ...DEFAULT_BY_AGE, protectedTools: [] };
const fromSecondNewestMessage: ByAgeOptions = {
  ...withoutProtectedTools,
  guardTurns: 0,
  skipNewestMessages: 1,
  atSummary: 'abort',
};

/** Prune rules by the release from which each holds. Source: OpenCode release history (P1–P4). */
export const pruneRules = {
  /** P1: a scan of all but the newest message, which a summary anywhere in its way gives up. */
  'v0.9.5': { byAge: fromSecondNewestMessage, isOnByDefault: true },
  /** P2: the two newest user turns are guarded, and a summary only ends the scan. */
  'v0.9.9': { byAge: withoutProtectedTools, isOnByDefault: true },
  /** P3: skills are skipped; design documents 000, 002 and 003. */
  'v1.0.190': { byAge: DEFAULT_BY_AGE, isOnByDefault: true },
  /** P4: the same pass, which must be asked for. */
  'v1.14.19': { byAge: DEFAULT_BY_AGE, isOnByDefault: false },
} satisfies Record<string, PruneRule>;

/** The plan that takes out what a pass chose, where its weight is enough. */
export function planOf(
  chosen: readonly Chosen[],
  isEnough: (tokens: number) => boolean = () => true,
): PrunePlan {
  const estimatedTokens = chosen.reduce((total, { tokens }) => total + tokens, 0);
  const state = isEnough(estimatedTokens) ? 'fire' : 'below-minimum';
  return {
    state: chosen.length === 0 ? 'nothing' : state,
    partIds: chosen.map(({ part }) => part.id),
    estimatedTokens,
  };
}

/** Joins the plans of several passes, those that fired if any did. */
export function joinPlans(plans: readonly PrunePlan[]): PrunePlan {
  const [only] = plans;
  if (only !== undefined && plans.length === 1) return only;
  const fired = plans.filter(({ state }) => state === 'fire');
  const joined = fired.length > 0 ? fired : plans;
  return {
    state: STATES.find((name) => plans.some(({ state }) => state === name)) ?? 'nothing',
    partIds: [...new Set(joined.flatMap(({ partIds }) => partIds))],
    estimatedTokens: joined.reduce((total, { estimatedTokens }) => total + estimatedTokens, 0),
  };
}

/** Marks the outputs of a firing plan as cleared. Stored output is kept; other plans change nothing. */
export function applyPrune(
  messages: readonly Message[],
  plan: PrunePlan,
  now: number,
): readonly Message[] {
  return toArray(markOutputs(messages, { plan }, now));
}

/** The messages after a pass. */
export function markOutputs(
  messages: List<Message>,
  {
    plan,
    change = (part, at) => (isCompleted(part) ? clearOutput(part, at) : part),
  }: Omit<PassResult, 'judge'>,
  now: number,
): List<Message> {
  return changeParts(messages, plan, (part) => change(part, now));
}

/** Replaces the stored outputs of a firing plan by a sentence. Source: design document 001. */
export function overwriteOutputs(
  messages: List<Message>,
  plan: PrunePlan,
  sentence: string,
): List<Message> {
  return changeParts(messages, plan, (part) =>
    isCompleted(part) ? { ...part, state: { ...part.state, output: sentence } } : part,
  );
}

/** Messages with the parts of a firing plan changed; no two parts have one id. */
export function changeParts(
  messages: List<Message>,
  plan: PrunePlan,
  change: Change,
): List<Message> {
  if (plan.state !== 'fire') return messages;
  const missing = new Set(plan.partIds);
  const changePart: Change = (part) => (missing.delete(part.id) ? change(part) : part);
  const changed: Message[] = [];
  let from = messages.length;
  while (from > 0 && missing.size > 0) {
    from -= 1;
    const message = itemAt(messages, from) as Message;
    const parts = message.parts.map(changePart);
    const isSame = parts.every((part, index) => part === message.parts[index]);
    changed.push(isSame ? message : { ...message, parts });
  }
  return rewriteFrom(messages, from, changed.toReversed());
}

/** The part with its output cleared at that time. */
export function clearOutput(part: CompletedPart, compactedAt: number): CompletedPart {
  return { ...part, state: { ...part.state, compactedAt } };
}

/**
 * Chooses old tool outputs to clear: those beyond the newest `protectTokens` of output, outside of the guarded turns,
 * back to the last summary or the last cleared output. The output that crosses the line is chosen whole. Source: design
 * documents 000, 002 and 003; OpenCode 1.0.190 to 1.14.18.
 */
export function planByAge(
  messages: List<Message>,
  options: ByAgeOptions,
  estimator: EstimatorOptions,
): PrunePlan {
  const chosen: Chosen[] = [];
  if (foldOver(messages, outputFold(options, estimator)) <= options.protectTokens)
    return planOf([]);
  for (const judged of judgeByAge(messages, options, estimator)) {
    if (judged.type === 'end') {
      if (judged.givesUp) return planOf([]);
      break;
    }
    const { part, verdict, tokens = 0 } = judged;
    if (verdict === 'beyond-protect') chosen.push({ part, tokens });
  }
  return planOf(chosen, (tokens) => tokens > options.minimumTokens);
}

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
    const isEnd = isSummary(message) && (!isPassedOver || options.summaryInGuard === 'stop');
    if (isEnd && (isSkipped || !hasEnded)) {
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

/** Judges every tool output of some messages, newest first, with the index of its message. */
export function* judgeOutputs(
  messages: List<Message>,
  judge: (part: ToolPart, index: number) => Pick<JudgedOutput, 'verdict' | 'tokens' | 'seenTokens'>,
): Generator<JudgedOutput> {
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const { id: messageId, parts } = itemAt(messages, index) as Message;
    for (const part of parts.toReversed()) {
      if (part.type === 'tool') yield { type: 'output', messageId, part, ...judge(part, index) };
    }
  }
}

/** The outputs that a pass weighed, which are those that it chose. */
export function chosenOf(judged: readonly JudgedOutput[]): readonly Chosen[] {
  return judged.flatMap(({ part, tokens }) => (tokens === undefined ? [] : [{ part, tokens }]));
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

function placeOfMessage(at: {
  readonly isSkipped: boolean;
  readonly hasEnded: boolean;
  readonly isPassedOver: boolean;
}): Verdict | undefined {
  if (at.isSkipped) return 'newest-message';
  if (at.hasEnded) return 'not-reached';
  return at.isPassedOver ? 'guarded-turn' : undefined;
}

function outputFold(options: ByAgeOptions, estimator: EstimatorOptions): Fold<Message, number> {
  return {
    by: { name: 'outputs', rules: [options, estimator] },
    start: 0,
    add: (total, { parts }) =>
      parts.reduce(
        (sum, part) =>
          part.type === 'tool' && placeOf(part, options) === undefined
            ? sum + weigh(part, estimator)
            : sum,
        total,
      ),
  };
}
