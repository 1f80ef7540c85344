import type { Part, Policy } from '../../engine/index.ts';
import { createEnv } from '../env.ts';
import { known, sum } from '../lib/collections.ts';
import { createProfile, type ModelProfile } from '../provider/model-profile.ts';
import type { RecordedCompaction } from '../session/session.ts';
import { simulate } from './simulate.ts';
import { countSteps, type Trace, type TraceStep, type TraceTurn } from './trace.ts';

/** A decision of an agent, and where a policy would have done it; steps count from 1. */
export interface Decision {
  /** No policy decides a compaction by hand. */
  readonly kind: 'compaction' | 'manual-compaction' | 'clearing';
  readonly recordedAfterStep: number | null;
  readonly predictedAfterStep: number | null;
  readonly recordedTokens?: number | undefined;
  readonly predictedTokens?: number | undefined;
  readonly edgeTokens?: number | undefined;
  readonly cause?: MissCause | undefined;
}

/** Why a prediction missed; `unknown-output`: an answer whose count is not final passes the edge. */
export type MissCause = 'no-steps' | 'missing-content' | 'unknown-output' | 'unexplained';

interface DecideOptions {
  readonly policy: Policy;
  readonly modelFor: (judged: RecordedCompaction | undefined) => ModelProfile;
}

type Stretch = ReturnType<typeof stretchesOf>[number];

interface Compacted {
  readonly step: number;
  /** Absent where something else than tokens was the reason. */
  readonly tokens: number | undefined;
}

interface Acts {
  readonly clearedAfter: readonly number[];
  readonly compacted?: Compacted | undefined;
  readonly edgeTokens?: number | undefined;
}

const ROOMY = createProfile('any/any', { contextTokens: 0 });

const UNASKED = { name: 'none' };

/** Compares where an agent compacted or cleared with where a policy would have. */
export function compareDecisions(trace: Trace, options: DecideOptions): readonly Decision[] {
  const decisions: Decision[] = [];
  let earlier: Compacted | undefined;
  for (const stretch of stretchesOf(trace)) {
    const { end, endStep } = stretch;
    const { clearedAfter, compacted, edgeTokens } = actIn(trace, stretch, options);
    const isAuto = end?.kind === 'full' && end.trigger !== 'manual';
    const isCounted = isAuto || (compacted?.step ?? Infinity) <= endStep;
    const predicted = earlier ?? (isCounted ? compacted : undefined);
    const cleared = clearedAfter.filter((step) => step <= endStep);
    decisions.push(...clearings(cleared, end?.kind === 'micro' ? endStep : undefined));
    earlier = end?.kind === 'micro' ? predicted : undefined;
    if (end?.kind === 'micro') continue;
    const found = compactions(predicted, edgeTokens, stretch);
    decisions.push(...found.map((decision) => ({ ...decision, cause: causeOf(decision, trace) })));
  }
  return decisions;
}

function stretchesOf(trace: Trace) {
  const changes = trace.recordedCompactions;
  const starts = [0, ...changes.map(({ messageIndex }) => messageIndex)];
  return starts.map((startIndex, index) => {
    const end = changes[index];
    const judged = changes.slice(index).find(({ kind }) => kind === 'full');
    return { startIndex, end, judged, endStep: stepsBefore(trace, end?.messageIndex ?? Infinity) };
  });
}

function stepsBefore({ turns }: Trace, messageIndex: number): number {
  const roles = turns.flatMap(({ steps }) => ['user', ...steps.map(() => 'assistant')]);
  return roles.slice(0, messageIndex).filter((role) => role === 'assistant').length;
}

function actIn(trace: Trace, stretch: Stretch, { policy, modelFor }: DecideOptions): Acts {
  const before = stepsBefore(trace, stretch.startIndex);
  const rest = cutAt(trace, stretch.startIndex, stretch.endStep - before);
  if (countSteps(rest) === 0 || stretch.endStep === 0) return { clearedAfter: [] };
  const { clearedAfter, compacted, edgeTokens } = act(rest, policy, modelFor(stretch.judged));
  return {
    clearedAfter: clearedAfter.map((step) => before + step),
    compacted: compacted && { ...compacted, step: before + compacted.step },
    edgeTokens,
  };
}

/** A step comes with the prompt that it answers, whose size is the overhead's. */
function cutAt(trace: Trace, startIndex: number, recordedSteps: number): Trace {
  const turns: TraceTurn[] = [];
  const sizes = new Map(trace.sizes);
  let index = 0;
  for (const { message, steps } of trace.turns) {
    const cutSteps = startIndex - index - 1;
    index += 1 + steps.length;
    if (index <= startIndex) continue;
    if (cutSteps >= 0) for (const part of message.parts) sizes.set(part, { whole: 0, said: 0 });
    turns.push({ message, steps: steps.slice(Math.max(0, cutSteps)) });
  }
  return anchored({ ...trace, turns, sizes }, recordedSteps);
}

/** Tokens that the parts of its first steps do not hold are overhead. */
function anchored(trace: Trace, recordedSteps: number): Trace {
  const sizes = new Map(trace.sizes);
  const held = new Set<Part>();
  let heldTokens = 0;
  let seenSteps = 0;
  let firstTokens: number | undefined;
  let overheadTokens = 0;
  const hold = (parts: readonly Part[]) => {
    for (const part of parts) held.add(part);
    heldTokens += sum(parts.map((part) => sizes.get(part)?.whole ?? 0));
  };
  const toStep = ({ resized, ...step }: TraceStep): TraceStep => {
    const { recordedContextTokens } = step;
    seenSteps += 1;
    if (seenSteps > recordedSteps) return step;
    for (const [part, size] of resized?.parts ?? []) {
      if (held.has(part)) heldTokens += size.whole - (sizes.get(part)?.whole ?? 0);
      sizes.set(part, size);
    }
    const before = overheadTokens;
    if (recordedContextTokens !== undefined) {
      overheadTokens = Math.max(0, recordedContextTokens - heldTokens);
      firstTokens ??= overheadTokens;
    }
    hold(step.message.parts);
    if (overheadTokens === before && resized === undefined) return step;
    return { ...step, resized: { overheadTokens, parts: resized?.parts ?? new Map() } };
  };
  const turns = trace.turns.map(({ message, steps }) => {
    hold(message.parts);
    return { message, steps: steps.map(toStep) };
  });
  const basis = { ...trace.basis, ...known({ overheadTokens: firstTokens }) };
  return { ...trace, turns, basis };
}

function act(trace: Trace, policy: Policy, model: ModelProfile): Acts {
  const options = { policy, model, summaryModel: ROOMY, summarizer: UNASKED, seed: 1 };
  const run = simulate(trace, { ...options, isBlind: true }, createEnv(1));
  const clearedAfter: number[] = [];
  let step = 0;
  let tokens: number | undefined;
  let edgeTokens: number | undefined;
  for (const told of run) {
    if (told.type === 'ask') return { clearedAfter, compacted: { step, tokens }, edgeTokens };
    for (const event of told.events) {
      if (event.type === 'run-start') edgeTokens = event.usableTokens;
      if (event.type === 'overflow') tokens = event.countTokens;
      if (event.type === 'step-end') step += 1;
      if (event.type === 'prune-end' && event.state === 'fired') clearedAfter.push(step);
    }
  }
  return { clearedAfter, edgeTokens };
}

function clearings(
  predicted: readonly number[],
  recordedAfterStep: number | undefined,
): readonly Decision[] {
  const steps = recordedAfterStep === undefined || predicted.length > 0 ? predicted : [null];
  // The last predicted one is compared with the recorded one that ends the stretch.
  return steps.map((predictedAfterStep, index) => ({
    kind: 'clearing',
    recordedAfterStep: index === steps.length - 1 ? (recordedAfterStep ?? null) : null,
    predictedAfterStep,
  }));
}

function compactions(
  predicted: Compacted | undefined,
  edgeTokens: number | undefined,
  { end, endStep }: Stretch,
): readonly Decision[] {
  const recordedTokens = end?.tokensBefore;
  const automatic = (recordedAfterStep: number | null): Decision => ({
    kind: 'compaction',
    recordedAfterStep,
    predictedAfterStep: predicted?.step ?? null,
    recordedTokens,
    predictedTokens: predicted?.tokens,
    edgeTokens,
  });
  const unmet = predicted === undefined ? [] : [automatic(null)];
  if (end === undefined) return unmet;
  if (end.trigger !== 'manual') return [automatic(endStep)];
  const kind = 'manual-compaction';
  return [...unmet, { kind, recordedAfterStep: endStep, predictedAfterStep: null, recordedTokens }];
}

/** A compaction that the policy did not do is late, one that the agent did not do early. */
function causeOf(decision: Decision, { turns, sizes }: Trace): MissCause | undefined {
  const { kind, recordedAfterStep, predictedAfterStep, edgeTokens = Infinity } = decision;
  const recorded = recordedAfterStep ?? Infinity;
  const predicted = predictedAfterStep ?? Infinity;
  if (kind !== 'compaction' || recorded === predicted) return undefined;
  if (recorded === 0) return 'no-steps';
  const { recordedTokens = 0, predictedTokens = 0 } = decision;
  const step = turns.flatMap(({ steps }) => steps)[Math.min(recorded, predicted) - 1];
  const { recordedContextTokens = 0, recordedUsage, outputTokens = 0 } = step ?? {};
  if (predicted > recorded) {
    const found = step?.message.parts.flatMap((part) => sizes.get(part) ?? []) ?? [];
    const results = sum(found.map(({ whole, said }) => whole - said));
    const isLacking = recordedContextTokens + outputTokens + results < edgeTokens;
    return isLacking && recordedTokens >= edgeTokens ? 'missing-content' : 'unexplained';
  }
  const isFinal = (recordedUsage?.output ?? 0) + (recordedUsage?.reasoning ?? 0) === outputTokens;
  const isByOutput = predictedTokens - outputTokens < edgeTokens;
  return isByOutput && !isFinal ? 'unknown-output' : 'unexplained';
}
