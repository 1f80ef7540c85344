import type { RunEvent, RunMode } from '../events.ts';
import { groupBy } from '../lib/collections.ts';
import { cacheForTtl, type ModelProfile } from '../provider/model-profile.ts';
import type { RecordedCompaction } from '../session/session.ts';
import { billOf, modelChanged, runStart } from './service.ts';
import type { SimulateOptions } from './simulate.ts';
import { countSteps, type Trace, type TraceStep } from './trace.ts';

/** The name of the run as it was recorded. It stands beside policies, and none is behind it. */
export const RECORDED = 'recorded';

/** Stands in the place of a policy where a run is the recorded one. */
export const recordedArm = {
  name: RECORDED,
  describes: 'What really happened: nothing is simulated.',
} as const;

/** The same as a type. */
export type RecordedArm = typeof recordedArm;

/** Why a session has no recorded run. */
export const NO_USAGE = 'no usage is recorded that a provider reported';

/** Options of a recorded run: whose list prices it is billed at, and the seed and loop of its table. */
export interface RecordedOptions extends Pick<SimulateOptions, 'model' | 'modelChanges'> {
  readonly seed: number;
  readonly mode?: RunMode | undefined;
}

type MeasuredStep = TraceStep & Required<Pick<TraceStep, 'recordedUsage'>>;

type Reading = ReturnType<typeof startReading>;
type Placed = Reading['steps'][number];

/** Tests if a provider reported the usage of any step of a session. */
export function hasUsage({ turns }: Pick<Trace, 'turns'>): boolean {
  return turns.some(({ steps }) => steps.some(isMeasured));
}

/** The events of a session as it was recorded; steps without usage are left out. */
export function* replayRecorded(
  trace: Trace,
  options: RecordedOptions,
): Generator<RunEvent, void, void> {
  const reading = startReading(trace, options.model);
  const changes = new Map(options.modelChanges?.map(({ messageId, model }) => [messageId, model]));
  const steps = groupBy(reading.steps, ({ turn }) => turn);
  const { seed, mode } = options;
  const { profile } = reading;
  yield {
    ...runStart(trace, { policy: RECORDED, summarizer: RECORDED, seed, mode }, profile),
    recording: { steps: countSteps(trace), isCacheUnknown: isCacheUnknown(trace, profile) },
  };
  for (const turn of trace.turns.keys()) {
    yield { type: 'turn-start', turn: turn + 1 };
    for (const placed of steps.get(turn + 1) ?? []) {
      const changed = changes.get(placed.recorded.message.id);
      if (changed !== undefined) {
        reading.profile = asRecorded(changed, trace);
        yield modelChanged(placed.step, reading.profile);
      }
      yield* compactionsBefore(reading, placed.messageIndex);
      if (isMeasured(placed.recorded)) yield stepEnd(reading, placed, placed.recorded);
    }
    yield { type: 'turn-end', turn: turn + 1 };
  }
  yield* compactionsBefore(reading, Infinity);
  yield { type: 'run-end', state: 'completed' };
}

function startReading(trace: Trace, model: ModelProfile) {
  const messages = trace.turns.flatMap(({ steps }, turn) => [
    undefined,
    ...steps.map((recorded, place) => ({ turn: turn + 1, opensTurn: place === 0, recorded })),
  ]);
  const steps = messages
    .flatMap((one, messageIndex) => (one === undefined ? [] : [{ ...one, messageIndex }]))
    .map((one, index) => ({ ...one, step: index + 1 }));
  const parts = steps.flatMap(({ recorded }) => recorded.message.parts);
  const partIds = new Map(
    parts.flatMap((part) => (part.type === 'tool' ? [[part.callId, part.id] as const] : [])),
  );
  const profile = asRecorded(model, trace);
  return { trace, profile, steps, partIds, upcoming: [...trace.recordedCompactions], told: 0 };
}

function asRecorded(model: ModelProfile, { recordedCache }: Trace): ModelProfile {
  return { ...model, cache: cacheForTtl(model, recordedCache.ttlMs) };
}

/** Without a split, nobody knows the bill of a provider that caches. */
function isCacheUnknown({ recordedCache }: Trace, { cache }: ModelProfile): boolean {
  return recordedCache.isUnknown && cache.kind !== 'none';
}

function stepEnd({ trace, profile }: Reading, placed: Placed, recorded: MeasuredStep): RunEvent {
  const { step, turn, opensTurn } = placed;
  const { message, outputTokens, recordedUsage: usage } = recorded;
  const { costNanoUsd, ...billed } = billUsage(profile, usage, outputTokens);
  const contextTokens = usage.input + usage.cacheRead + usage.cacheWrite;
  return {
    type: 'step-end',
    step,
    turn,
    messageId: message.id,
    contextTokens,
    outputTokens,
    recordedContextTokens: contextTokens,
    opensTurn,
    ...billed,
    costNanoUsd: isCacheUnknown(trace, profile) ? undefined : costNanoUsd,
    reported: usage,
  };
}

function billUsage(
  profile: ModelProfile,
  { cacheRead, cacheWrite, input }: MeasuredStep['recordedUsage'],
  outputTokens: number,
) {
  const split = { readTokens: cacheRead, writeTokens: cacheWrite, freshTokens: input };
  return billOf(profile, split, outputTokens);
}

function* compactionsBefore(reading: Reading, messageIndex: number): Generator<RunEvent> {
  const { upcoming } = reading;
  while ((upcoming[0]?.messageIndex ?? Infinity) <= messageIndex) {
    const next = upcoming.shift();
    if (next === undefined) return;
    if (next.kind === 'micro') yield clearing(reading, next);
    else yield* compaction(reading, next);
  }
}

function clearing({ partIds }: Reading, cleared: RecordedCompaction): RunEvent {
  const { tokensBefore, tokensAfter, clearedCallIds = [] } = cleared;
  const isTold = tokensBefore !== undefined && tokensAfter !== undefined;
  const tokens = isTold ? tokensBefore - tokensAfter : 0;
  return {
    type: 'prune-end',
    state: 'fired',
    partIds: clearedCallIds.flatMap((callId) => partIds.get(callId) ?? []),
    estimatedTokens: tokens,
    prunedTokens: tokens,
    survivingTokens: 0,
  };
}

/** Contexts come from the requests around it, which are exact; else from what the agent noted. */
function* compaction(reading: Reading, full: RecordedCompaction): Generator<RunEvent> {
  const { messageIndex, tokensBefore, tokensAfter, trigger, summary, summaryUsage: usage } = full;
  const contexts = reading.steps.flatMap(({ messageIndex: index, recorded }) =>
    recorded.recordedContextTokens === undefined
      ? []
      : [{ index, tokens: recorded.recordedContextTokens }],
  );
  const before = contexts.findLast(({ index }) => index < messageIndex)?.tokens;
  const after = contexts.find(({ index }) => index >= messageIndex)?.tokens;
  // The newest outputs are in no request yet.
  const known = [before, tokensBefore].filter((tokens) => tokens !== undefined);
  reading.told += 1;
  if (usage !== undefined) {
    const outputTokens = usage.output + usage.reasoning;
    const { costNanoUsd, ...billed } = billUsage(reading.profile, usage, outputTokens);
    yield {
      type: 'summary-end',
      state: 'answered',
      inputTokens: usage.input + usage.cacheRead + usage.cacheWrite,
      outputTokens,
      headMessages: full.firstKeptMessageIndex ?? messageIndex,
      ...billed,
      costNanoUsd: isCacheUnknown(reading.trace, reading.profile) ? undefined : costNanoUsd,
    };
  }
  yield {
    type: 'pivot',
    messageId: `${RECORDED}-compaction-${reading.told}`,
    auto: trigger !== 'manual',
    contextBeforeTokens: known.length === 0 ? undefined : Math.max(...known),
    contextAfterTokens: after ?? tokensAfter,
    ...(summary !== undefined && { summaryTokens: reading.trace.count(summary) }),
    ...(usage === undefined && { isCallUnknown: true }),
    isReplay: false,
  };
}

function isMeasured(step: TraceStep): step is MeasuredStep {
  return step.recordedUsage !== undefined;
}
