import type { AssistantMessage, Message, Usage } from '../../engine/index.ts';
import { contextTokensOf, type RecordedCompaction, type Session } from '../session/session.ts';
import { calibrate, type Calibration, type GrowthPair } from './calibrate.ts';
import { countAdded, type CountText } from './count.ts';

/** A step whose usage was recorded; a context of no tokens is no record. */
export type MeasuredStep = AssistantMessage & { readonly usage: Usage };

/** Two measured steps with none between them. */
export interface StepPair {
  readonly from: MeasuredStep;
  readonly to: MeasuredStep;
  /** What was added in between, as counted, and what the context grew by, as recorded. */
  readonly growth: GrowthPair;
  /** What the recording agent did to its context in between; the newest, if several. */
  readonly cut?: RecordedCompaction;
  /** `provider/model` of the second step; absent where that is not known. */
  readonly model?: string;
  /** Whether the first step is of another model, which counts otherwise and has a cache of its own. */
  readonly isOtherModel: boolean;
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
    const added = countAdded(session.messages.slice(fromIndex, toIndex), count);
    const recordedTokens = contextTokensOf(to.usage) - contextTokensOf(from.usage);
    const cut = session.recordedCompactions.findLast(
      ({ messageIndex }) => messageIndex > fromIndex && messageIndex <= toIndex,
    );
    const model = to.model ?? session.model;
    const isOtherModel = model !== (from.model ?? session.model);
    return [
      {
        from,
        to,
        growth: { recordedTokens, ...added },
        ...(cut && { cut }),
        ...(model !== undefined && { model }),
        isOtherModel,
      },
    ];
  });
}

/** Calibrates on the pairs of which the one step follows from the other. */
export function calibrateOn(pairs: readonly StepPair[]): Calibration {
  return calibrate(pairs.filter(isContinued).map(({ growth }) => growth));
}

/** Whether a pair's second context is its first with what was added: what stands behind a cut is not recorded, and another model counts otherwise. */
export function isContinued({ cut, isOtherModel }: StepPair): boolean {
  return cut === undefined && !isOtherModel;
}

/** Whether a message is a step whose usage was recorded. */
export function isMeasured(message: Message | undefined): message is MeasuredStep {
  if (message?.role !== 'assistant' || message.usage === undefined) return false;
  return contextTokensOf(message.usage) > 0;
}
