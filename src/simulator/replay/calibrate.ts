import type { AssistantMessage, Message, Usage } from '../../engine/index.ts';
import type { Evidence } from '../events.ts';
import { known } from '../lib/collections.ts';
import { contextTokensOf, type RecordedCompaction, type Session } from '../session/session.ts';
import { tokenizerOf } from '../tokens/encodings.ts';
import { countAdded, type CountText } from './count.ts';

/** Growth of a request between two consecutive steps: as recorded, and as counted. */
export interface GrowthPair {
  /** Growth of the recorded context. */
  readonly recordedTokens: number;
  /** Counted tokens of the messages added in between. */
  readonly countedTokens: number;
  /** Messages that were added in between. */
  readonly messages: number;
}

/** How counted tokens of a session become true ones. */
export interface Calibration {
  /** True tokens per counted token. */
  readonly factor: number;
  /** Fixed cost of each message, in true tokens. */
  readonly perMessageTokens: number;
  readonly evidence: Evidence;
  readonly pairs: number;
}

type MeasuredStep = AssistantMessage & { readonly usage: Usage };

/** Two measured steps with none between them. */
export interface StepPair {
  readonly from: MeasuredStep;
  readonly to: MeasuredStep;
  readonly added: readonly Message[];
  readonly growth: GrowthPair;
  /** The newest recorded compaction in between, if any. */
  readonly cut?: RecordedCompaction;
  readonly addedBeforeCut?: number;
  /** `provider/model` of the second step; absent where that is not known. */
  readonly model?: string;
  /** True if the first step is of another model, which has its own tokenizer and cache. */
  readonly isOtherModel: boolean;
  readonly isOtherTokenizer: boolean;
  /** True if the agent was started anew in between, which changes what it holds in memory. */
  readonly isRestart: boolean;
}

const UNCALIBRATED: Calibration = {
  factor: 1,
  perMessageTokens: 0,
  evidence: 'estimated',
  pairs: 0,
};

/** Two unknowns need more pairs than this to mean anything. */
const MIN_PAIRS = 3;

/**
 * Fits `recorded = factor × counted + perMessage × messages` by least squares. Pairs whose context did not grow are left out:
 * content was removed that no count shows. A negative cost per message becomes 0.
 */
export function calibrate(all: readonly GrowthPair[]): Calibration {
  const pairs = all.filter(({ recordedTokens }) => recordedTokens > 0);
  if (pairs.length < MIN_PAIRS) return UNCALIBRATED;
  const { factor, perMessage } = fit(pairs);
  if (!Number.isFinite(factor) || factor <= 0) return UNCALIBRATED;
  return {
    factor,
    perMessageTokens: Math.round(perMessage),
    evidence: 'measured',
    pairs: pairs.length,
  };
}

/** All measured steps of a session but the first, each with the one before it. */
export function pairSteps(session: Session, count: CountText): readonly StepPair[] {
  const indices = session.messages.flatMap((message, index) =>
    isMeasured(message) ? [index] : [],
  );
  return indices.slice(1).flatMap((toIndex, position) => {
    const fromIndex = indices[position] ?? 0;
    const [from, to] = [session.messages[fromIndex], session.messages[toIndex]];
    if (!isMeasured(from) || !isMeasured(to)) return [];
    const added = session.messages.slice(fromIndex, toIndex);
    const recordedTokens = contextTokensOf(to.usage) - contextTokensOf(from.usage);
    const cut = session.recordedCompactions.findLast(
      ({ messageIndex }) => messageIndex > fromIndex && messageIndex <= toIndex,
    );
    const model = to.model ?? session.model;
    const modelBefore = from.model ?? session.model;
    return [
      {
        from,
        to,
        added,
        growth: { recordedTokens, ...countAdded(added, count) },
        ...(cut && { cut, addedBeforeCut: cut.messageIndex - fromIndex }),
        ...known({ model }),
        isOtherModel: model !== modelBefore,
        isOtherTokenizer: familyOf(model) !== familyOf(modelBefore),
        isRestart: session.restarts?.some((at) => at > fromIndex && at <= toIndex) === true,
      },
    ];
  });
}

/** Calibrates on the pairs of which the one step follows from the other. */
export function calibrateOn(pairs: readonly StepPair[]): Calibration {
  return calibrate(pairs.filter(isContinued).map(({ growth }) => growth));
}

/** Tests if a pair's second context is the first plus the added messages. */
export function isContinued({ cut, isOtherModel, isRestart }: StepPair): boolean {
  return cut === undefined && !isOtherModel && !isRestart;
}

/** Tests if a pair's second context has another measure than the first. */
export function isReplaced({ cut, isOtherTokenizer }: StepPair): boolean {
  return cut !== undefined || isOtherTokenizer;
}

/** Tests if a message is a step with recorded usage. */
export function isMeasured(message: Message | undefined): message is MeasuredStep {
  if (message?.role !== 'assistant' || message.usage === undefined) return false;
  return contextTokensOf(message.usage) > 0;
}

/** Models that count alike, as far as is known: those of one provider and one encoding. */
function familyOf(model = ''): string {
  return `${model.slice(0, model.indexOf('/'))} ${tokenizerOf(model).name}`;
}

function fit(pairs: readonly GrowthPair[]) {
  const sum = (of: (pair: GrowthPair) => number) =>
    pairs.reduce((total, pair) => total + of(pair), 0);
  // Sums of products: c is counted, m messages, r recorded.
  const cc = sum(({ countedTokens }) => countedTokens ** 2);
  const cm = sum(({ countedTokens, messages }) => countedTokens * messages);
  const mm = sum(({ messages }) => messages ** 2);
  const cr = sum(({ countedTokens, recordedTokens }) => countedTokens * recordedTokens);
  const mr = sum(({ messages, recordedTokens }) => messages * recordedTokens);
  const determinant = cc * mm - cm * cm;
  const perMessage = (cc * mr - cm * cr) / determinant;
  if (!(perMessage >= 0) || determinant === 0) return { factor: cr / cc, perMessage: 0 };
  return { factor: (mm * cr - cm * mr) / determinant, perMessage };
}
