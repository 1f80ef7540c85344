import type { Message, Policy } from '../../engine/index.ts';
import { createEnv } from '../env.ts';
import type { RunEvent } from '../events.ts';
import { createProfile, type ModelProfile } from '../provider/model-profile.ts';
import type { RecordedCompaction, Session } from '../session/session.ts';
import { type CompileOptions, compileSession } from './compile.ts';
import { simulate } from './simulate.ts';
import type { Trace } from './trace.ts';

/** A decision of an agent about its context, and where a policy would have done it. Steps count from 1; 0 is before the first. */
export interface Decision {
  /** No policy decides a compaction by hand. */
  readonly kind: 'compaction' | 'manual-compaction' | 'clearing';
  /** Steps before it; `null` if the agent did not do it. */
  readonly recordedAfterStep: number | null;
  /** Steps before it; `null` if the policy would not have done it. */
  readonly predictedAfterStep: number | null;
}

/** The policy that decides, and how its sessions are compiled. */
interface DecideOptions {
  readonly policy: Policy;
  /** The model that recorded the session. */
  readonly model: ModelProfile;
  readonly compile: CompileOptions;
}

/** A recording from one change by its agent to the next. */
interface Stretch {
  readonly startIndex: number;
  /** Steps before the change that ends it, or all. */
  readonly endStep: number;
  /** The change that ends it; absent at the end of the session. */
  readonly end: RecordedCompaction | undefined;
}

/** The decisions of a policy, by the steps before. */
interface Acts {
  readonly clearedAfter: readonly number[];
  /** The first compaction; absent if there was none. */
  readonly compactedAfter: number | undefined;
}

/** A model that takes requests of any size. */
const ROOMY = createProfile('any/any', { contextTokens: 0 });

/** A run ends where its summarizer would be asked. */
const UNASKED = { name: 'none' };

/**
 * Compares where an agent compacted or cleared with where a policy would have. Each stretch is replayed from its first recorded
 * context, so that one difference does not lead to the next. Only the first compaction of a stretch counts.
 */
export function compareDecisions(session: Session, options: DecideOptions): readonly Decision[] {
  const decisions: Decision[] = [];
  let earlier: number | undefined;
  for (const stretch of stretchesOf(session)) {
    const { end, endStep } = stretch;
    const { clearedAfter, compactedAfter } = actIn(session, stretch, options);
    const isAuto = end?.kind === 'full' && end.trigger !== 'manual';
    const isCounted = isAuto || (compactedAfter ?? Infinity) <= endStep;
    const predicted = earlier ?? (isCounted ? compactedAfter : undefined);
    const cleared = clearedAfter.filter((step) => step <= endStep);
    decisions.push(...clearings(cleared, end?.kind === 'micro' ? endStep : undefined));
    earlier = end?.kind === 'micro' ? predicted : undefined;
    if (end?.kind !== 'micro') decisions.push(...compactions(predicted, stretch));
  }
  return decisions;
}

function stretchesOf({ messages, recordedCompactions }: Session): readonly Stretch[] {
  const stepsBefore = (index: number) => messages.slice(0, index).filter(isStep).length;
  const starts = [0, ...recordedCompactions.map(({ messageIndex }) => messageIndex)];
  return starts.map((startIndex, index) => {
    const end = recordedCompactions[index];
    return { startIndex, end, endStep: stepsBefore(end?.messageIndex ?? messages.length) };
  });
}

/** Replays a session from a change by its agent on, until the policy compacts. */
function actIn(
  session: Session,
  { startIndex }: Stretch,
  { policy, model, compile }: DecideOptions,
): Acts {
  const { before, rest } = cutAt(session, startIndex);
  if (!rest.messages.some(isStep)) {
    return { clearedAfter: [], compactedAfter: undefined };
  }
  const { clearedAfter, compactedAfter } = act(compileSession(rest, compile), policy, model);
  return {
    clearedAfter: clearedAfter.map((step) => before + step),
    compactedAfter: compactedAfter === undefined ? undefined : before + compactedAfter,
  };
}

/** The rest of a session from a message on, and the steps before; a step comes with the prompt that it answers. */
function cutAt(
  session: Session,
  startIndex: number,
): { readonly before: number; readonly rest: Session } {
  const { messages, recordedCompactions, restarts = [] } = session;
  const opening = messages[startIndex];
  const prompt = messages.slice(0, startIndex).findLast(({ role }) => role === 'user');
  const lead = opening && isStep(opening) && prompt ? [prompt] : [];
  const shift = lead.length - startIndex;
  return {
    before: messages.slice(0, startIndex).filter(isStep).length,
    rest: {
      ...session,
      isPartial: startIndex === 0 && session.isPartial,
      messages: [...lead, ...messages.slice(startIndex)],
      recordedCompactions: recordedCompactions
        .filter(({ messageIndex }) => messageIndex > startIndex)
        .map((one) => ({ ...one, messageIndex: one.messageIndex + shift })),
      restarts: restarts.filter((index) => index > startIndex).map((index) => index + shift),
    },
  };
}

/** Runs a policy until it asks for its first summary, which no window refuses. */
function act(trace: Trace, policy: Policy, model: ModelProfile): Acts {
  const options = { policy, model, summaryModel: ROOMY, summarizer: UNASKED, seed: 1 };
  const run = simulate(trace, { ...options, isBlind: true }, createEnv(1));
  const clearedAfter: number[] = [];
  let steps = 0;
  for (const told of run) {
    if (told.type === 'ask') return { clearedAfter, compactedAfter: steps };
    for (const event of told.events) {
      if (event.type === 'step-end') steps += 1;
      if (isClearing(event)) clearedAfter.push(steps);
    }
  }
  return { clearedAfter, compactedAfter: undefined };
}

function isStep({ role }: Message): boolean {
  return role === 'assistant';
}

function isClearing(event: RunEvent): boolean {
  return event.type === 'prune-end' && event.state === 'fired';
}

/** Clearings of a stretch; the last predicted one is compared with the recorded one that ends it. */
function clearings(
  predicted: readonly number[],
  recordedAfterStep: number | undefined,
): readonly Decision[] {
  const all = predicted.map(
    (predictedAfterStep): Decision => ({
      kind: 'clearing',
      recordedAfterStep: null,
      predictedAfterStep,
    }),
  );
  if (recordedAfterStep === undefined) return all;
  const last = all.pop();
  const predictedAfterStep = last?.predictedAfterStep ?? null;
  return [...all, { kind: 'clearing', recordedAfterStep, predictedAfterStep }];
}

function compactions(
  predicted: number | undefined,
  { end, endStep }: Stretch,
): readonly Decision[] {
  const predictedAfterStep = predicted ?? null;
  const isManual = end?.trigger === 'manual';
  if (end !== undefined && !isManual) {
    return [{ kind: 'compaction', recordedAfterStep: endStep, predictedAfterStep }];
  }
  const unmet: Decision = { kind: 'compaction', recordedAfterStep: null, predictedAfterStep };
  const byHand: Decision = {
    kind: 'manual-compaction',
    recordedAfterStep: endStep,
    predictedAfterStep: null,
  };
  return [...(predicted === undefined ? [] : [unmet]), ...(isManual ? [byHand] : [])];
}
