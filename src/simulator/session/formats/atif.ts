import { z } from 'zod';
import type { FilePart } from '../../../engine/index.ts';
import { isObject } from '../../lib/json.ts';
import { toJsonText } from '../files/source-file.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import { toParts } from '../reading/content.ts';
import {
  listOf,
  maybeId,
  maybeNumber,
  maybeObject,
  maybeText,
  maybeTokens,
  toList,
  toModelName,
  toTime,
} from '../reading/lenient.ts';
import { type Facts, readRecordings, type Recording } from '../reading/recording.ts';
import { countLineFaults, createTally, type Tally } from '../reading/tally.ts';
import { type DraftPart, findByCallId, type RecordedUsage } from '../reading/transcript.ts';
import { splitCount } from '../reading/usage.ts';
import type { Session } from '../session.ts';

type Trajectory = z.infer<typeof trajectorySchema>;
type AtifStep = z.infer<typeof stepSchema>;
type AtifResult = z.infer<typeof resultSchema>;
type AtifAgent = Trajectory['agent'];

/** A trajectory with the one that started it. */
interface Placed {
  readonly trajectory: Trajectory;
  readonly parent?: Trajectory;
  readonly depth: number;
}

interface Reading {
  readonly recording: Recording;
  /** Ids of calls not read yet. */
  readonly future: Set<string>;
  /** Results that precede the step of their call, by its id. */
  readonly early: Map<string, AtifResult>;
}

const MAX_DEPTH = 8;

const trajectorySchema = z.object({
  schema_version: z.string(),
  /** The id of the run; the trajectory's own if it names no run. */
  session_id: z.unknown().optional(),
  /** The id that results refer to. */
  trajectory_id: maybeText,
  agent: z.object({
    name: maybeText,
    model_name: maybeText,
    model: maybeText,
    provider: maybeText,
  }),
  steps: z.array(z.unknown()),
  subagent_trajectories: z.unknown().optional(),
});

const resultSchema = z.object({
  source_call_id: maybeId,
  content: z.unknown().optional(),
  result: maybeObject({ success: z.unknown().optional() }),
  /** Trajectories of sub-agents, embedded or elsewhere. */
  subagent_trajectory_ref: listOf(z.object({ trajectory_id: maybeId, session_id: maybeId })),
});

const stepSchema = z.object({
  step_id: maybeNumber,
  timestamp: z.unknown().optional(),
  source: z.enum(['user', 'agent', 'system']),
  model_name: maybeText,
  message: z.unknown().optional(),
  reasoning_content: maybeText,
  tool_calls: listOf(
    z
      .object({
        tool_call_id: maybeId,
        function_name: maybeText,
        id: maybeId,
        name: maybeText,
        arguments: z.unknown().optional(),
      })
      .transform(({ tool_call_id, id, function_name, name, arguments: input = {} }) => ({
        callId: tool_call_id ?? id,
        tool: function_name ?? name ?? 'unknown',
        input,
      })),
  ),
  observation: maybeObject({
    ...resultSchema.shape,
    results: z.array(z.unknown()).optional().catch(undefined),
  }),
  metrics: maybeObject({
    prompt_tokens: maybeTokens,
    completion_tokens: maybeTokens,
    cached_tokens: maybeTokens,
    extra: maybeObject({ cache_creation_input_tokens: maybeTokens, reasoning_tokens: maybeTokens }),
  }),
});

const imageSchema = z.object({ source: z.object({ media_type: maybeText, path: z.string() }) });

/** The message of a system step that names the call of its result. */
const RESULT_MESSAGE = /^Tool result for (\S+)$/;

/** Trajectories in the interchange format of Harbor, as a document or as a stream of steps. */
export const atif: SessionFormat = {
  label: 'ATIF trajectory (JSON or JSON lines)',
  certainty: 'mark',
  detect: (file) => findTrajectory(file) !== undefined,
  read: readTrajectories,
  keeps: {
    reasons: 'calls several share',
  },
};

/** The usage of a step; absent if it has none. */
export function toUsage(metrics: AtifStep['metrics']): RecordedUsage | undefined {
  return splitCount({
    input: metrics?.prompt_tokens,
    output: metrics?.completion_tokens,
    cacheRead: metrics?.cached_tokens,
    cacheWrite: metrics?.extra?.cache_creation_input_tokens,
    reasoning: metrics?.extra?.reasoning_tokens,
  });
}

/** The trajectory of a file, as a document or as a header with one step a line; `undefined` if there is none. */
function findTrajectory(file: SourceFile): Trajectory | undefined {
  const document = file.json();
  if (document !== undefined) return trajectorySchema.safeParse(document).data;
  const [header, ...steps] = file.lines().records;
  const isStream = isObject(header) && header['__header__'] === true;
  return isStream ? trajectorySchema.safeParse({ ...header, steps }).data : undefined;
}

function readTrajectories(file: SourceFile): readonly Session[] {
  const trajectory = findTrajectory(file);
  const all = trajectory === undefined ? [] : [...withInner({ trajectory, depth: 0 })];
  const tally = createTally();
  countLineFaults(file.lines(), tally);
  return readRecordings(file, all, {
    format: 'atif',
    empty: 'a trajectory without steps',
    tally,
    read: readTrajectory,
  });
}

function* withInner(placed: Placed): Generator<Placed> {
  yield placed;
  const { trajectory: parent, depth } = placed;
  if (depth === MAX_DEPTH) return;
  for (const trajectory of innerOf(parent)) {
    yield* withInner({ trajectory, parent, depth: depth + 1 });
  }
}

/** Embedded trajectories of sub-agents. */
function innerOf({ subagent_trajectories: inner }: Trajectory): readonly Trajectory[] {
  return toList(inner).flatMap((each) => trajectorySchema.safeParse(each).data ?? []);
}

function idOf(trajectory: Trajectory | undefined): string | undefined {
  const id = trajectory?.session_id ?? trajectory?.trajectory_id;
  return typeof id === 'string' ? id : undefined;
}

function readTrajectory(recording: Recording, { trajectory, parent }: Placed): Facts {
  const { agent } = trajectory;
  const steps = recording.parseEach(trajectory.steps, stepSchema, 'unknown record');
  const callIds = steps.flatMap((step) => step.tool_calls.flatMap(({ callId }) => callId ?? []));
  const reading: Reading = { recording, future: new Set(callIds), early: new Map() };
  for (const step of steps) {
    if (step.source === 'agent') readStep(reading, step, agent);
    else if (step.source === 'system') readSystem(reading, step);
    else {
      recording.addPrompt(saidIn(step, recording.tally));
      for (const result of resultsOf(step)) readResult(reading, result);
    }
  }
  return {
    sessionId: idOf(trajectory),
    isSide: parent !== undefined,
    parentSessionId: idOf(parent),
    findSideIds: findByCallId(collectSideIds(steps, callIds, trajectory)),
    model: modelNameOf(agent),
    isOutputFinal: true,
  };
}

function readStep(reading: Reading, recorded: AtifStep, agent: AtifAgent): void {
  const { recording, future, early } = reading;
  const step = recording.addStep({
    ...saidIn(recorded, recording.tally),
    model: modelNameOf(agent, recorded.model_name),
    usage: toUsage(recorded.metrics),
  });
  for (const call of recorded.tool_calls) {
    recording.addCall(step, call);
    if (call.callId === undefined) continue;
    const result = early.get(call.callId);
    future.delete(call.callId);
    early.delete(call.callId);
    if (result !== undefined) finish(recording, result);
  }
  readOwnResults(reading, recorded);
}

function saidIn(step: AtifStep, tally: Tally) {
  const { timestamp, step_id: id, message, reasoning_content: thinking = '' } = step;
  const parts: DraftPart[] = [
    ...toParts([{ thinking }], tally),
    ...toParts(toText(message), tally),
    ...filesIn(message),
  ];
  return {
    createdAt: toTime(timestamp),
    recordedId: id === undefined ? undefined : `step-${id}`,
    parts,
  };
}

/** A content as text: a string, its pieces line by line, or JSON. */
function toText(content: unknown): string {
  if (content === undefined || content === null) return '';
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return toJsonText(content);
  return content.flatMap(textOfPiece).join('\n');
}

function textOfPiece(piece: unknown): readonly string[] {
  if (typeof piece === 'string') return [piece];
  if (!isObject(piece) || piece['type'] === 'image') return [];
  return [typeof piece['text'] === 'string' ? piece['text'] : toJsonText(piece)];
}

function filesIn(content: unknown): readonly FilePart[] {
  return toList(content).flatMap((piece): readonly FilePart[] => {
    const isImage = isObject(piece) && piece['type'] === 'image';
    const source = isImage ? imageSchema.safeParse(piece).data?.source : undefined;
    if (source === undefined) return [];
    return [{ type: 'file', id: '', mime: source.media_type ?? 'image/*', url: source.path }];
  });
}

/** `provider/model` of a step, by default the agent's. A name without a provider gets that of the agent. */
function modelNameOf(
  { provider, model_name: usual, model: early }: AtifAgent,
  name = usual ?? early,
): string | undefined {
  return name === undefined ? undefined : toModelName(name, provider);
}

function finish(recording: Recording, result: AtifResult): boolean {
  const { source_call_id: key, content, result: outcome } = result;
  return recording.finishCall({
    key,
    output: toText(content),
    isError: outcome?.success === false,
    attachments: filesIn(content),
  });
}

/** Reads results. Those without a call id belong to the remaining calls in order; the last one may belong to several. */
function readOwnResults(reading: Reading, step: AtifStep): void {
  const { recording } = reading;
  const results = resultsOf(step);
  const unnamed = results.filter(({ source_call_id: id }) => id === undefined);
  for (const result of results) {
    if (result.source_call_id !== undefined) readResult(reading, result);
  }
  for (const result of unnamed) if (!finish(recording, result)) keepAsText(recording, result);
  if (unnamed.length === 0) return;
  while (recording.finishCall({ output: '' })) {
    recording.tally.repair('output that several calls share');
  }
}

/** The results of an observation, which may be a result itself. */
function resultsOf({ observation }: AtifStep): readonly AtifResult[] {
  if (observation === undefined) return [];
  const { results, ...only } = observation;
  if (results === undefined) return only.content === undefined ? [] : [only];
  return results.flatMap((each) => resultSchema.safeParse(each).data ?? []);
}

function readResult({ recording, future, early }: Reading, result: AtifResult): void {
  const { source_call_id: callId } = result;
  if (callId !== undefined && finish(recording, result)) return;
  if (callId !== undefined && future.has(callId)) early.set(callId, result);
  else keepAsText(recording, result);
}

function keepAsText(recording: Recording, { content }: AtifResult): void {
  recording.tally.repair('tool result kept as a text');
  recording.inject(toText(content));
}

/** Reads a system step: the system prompt at first, later a notice or the carrier of a result. */
function readSystem(reading: Reading, step: AtifStep): void {
  const { recording } = reading;
  const results = resultsOf(step);
  const message = toText(step.message);
  if (results.length === 0) {
    if (recording.drafts.length === 0) recording.addSystem(message);
    else recording.inject(message);
  }
  const named = RESULT_MESSAGE.exec(message)?.[1];
  for (const result of results) {
    readResult(reading, { ...result, source_call_id: result.source_call_id ?? named });
  }
}

/** Sessions by the references of results: embedded trajectories, or sessions elsewhere; none where calls share an id. */
function collectSideIds(
  steps: readonly AtifStep[],
  callIds: readonly string[],
  trajectory: Trajectory,
): ReadonlyMap<string, readonly string[]> {
  const inner = innerOf(trajectory);
  const embedded = new Map(inner.map((each) => [each.trajectory_id, idOf(each)]));
  const sideIds = new Map<string, readonly string[]>();
  for (const result of steps.flatMap(resultsOf)) {
    const { source_call_id: callId, subagent_trajectory_ref: references } = result;
    if (callId === undefined) continue;
    const ids = references.flatMap(({ trajectory_id: id, session_id: sessionId }) => {
      const ownId = id === undefined ? undefined : embedded.get(id);
      return ownId ?? sessionId ?? [];
    });
    sideIds.set(callId, [...(sideIds.get(callId) ?? []), ...ids]);
  }
  const isShared = (id: string, index: number) => callIds.indexOf(id) !== index;
  for (const id of callIds.filter(isShared)) sideIds.delete(id);
  return sideIds;
}
