import { z } from 'zod';
import type { FilePart } from '../../../engine/index.ts';
import { isObject } from '../../lib/json.ts';
import { toJsonText } from '../files/source-file.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import { createDialogue, type Dialogue } from '../reading/dialogue.ts';
import {
  listOf,
  list,
  maybeId,
  maybeNumber,
  maybeObject,
  maybeText,
  maybeTokens,
  toModelName,
  toTime,
} from '../reading/lenient.ts';
import { countLineFaults, createTally, type Tally } from '../reading/tally.ts';
import {
  type DraftMessage,
  type DraftPart,
  findByCallId,
  type FindSideIds,
  finishSession,
  type RecordedUsage,
  toSideSessions,
  withMessages,
} from '../reading/transcript.ts';
import { splitCount } from '../reading/usage.ts';
import { type Session, sessionName } from '../session.ts';

/** A trajectory with the one that started it. */
interface Placed {
  readonly trajectory: Trajectory;
  readonly parent?: Trajectory;
}

/** A trajectory whose steps are not read yet. */
interface Trajectory {
  /** The id of the run; the trajectory's own if it names no run. */
  readonly sessionId?: string;
  /** The id that results refer to. */
  readonly trajectoryId?: string;
  readonly agent: unknown;
  readonly steps: readonly unknown[];
  /** Embedded trajectories of sub-agents. */
  readonly inner: readonly Trajectory[];
}

interface AtifConversation {
  readonly drafts: readonly DraftMessage[];
  readonly references: ReferencesByCall;
  /** System messages before the first turn; absent where there are none. */
  readonly system?: string;
}

interface Reading {
  readonly agent: AtifAgent;
  readonly tally: Tally;
  readonly dialogue: Dialogue;
  readonly systemTexts: string[];
  /** Ids of calls not read yet. */
  readonly future: Set<string>;
  /** Results that precede the step of their call, by its id. */
  readonly early: Map<string, AtifResult>;
}

/** Sub-agent trajectories that results name, by call id; none where calls share an id. */
type ReferencesByCall = ReadonlyMap<string, readonly AtifReference[]>;

type AtifMetrics = AtifStep['metrics'];

type AtifStep = z.infer<typeof stepSchema>;

type AtifCall = z.infer<typeof callSchema>;

/** A tool result. */
type AtifResult = z.infer<typeof resultSchema>;

/** A result's reference to the trajectory of its sub-agent. */
type AtifReference = z.infer<typeof referenceSchema>;

type AtifAgent = z.infer<typeof agentSchema>;

const MAX_DEPTH = 8;

const agentSchema = z.object({
  name: maybeText,
  model_name: maybeText,
  model: maybeText,
  provider: maybeText,
});

const callSchema = z.object({
  tool_call_id: maybeId,
  function_name: maybeText,
  id: maybeId,
  name: maybeText,
  arguments: z.unknown().optional(),
});

const referenceSchema = z.object({ trajectory_id: maybeId, session_id: maybeId });

const resultSchema = z.object({
  source_call_id: maybeId,
  content: z.unknown().optional(),
  result: maybeObject({ success: z.unknown().optional() }),
  subagent_trajectory_ref: listOf(referenceSchema),
});

const observationSchema = maybeObject({
  ...resultSchema.shape,
  results: z.array(z.unknown()).optional().catch(undefined),
});

const metricsSchema = maybeObject({
  prompt_tokens: maybeTokens,
  completion_tokens: maybeTokens,
  cached_tokens: maybeTokens,
  extra: maybeObject({
    cache_creation_input_tokens: maybeTokens,
    reasoning_tokens: maybeTokens,
  }),
});

const stepSchema = z.object({
  step_id: maybeNumber,
  timestamp: z.unknown().optional(),
  source: z.enum(['user', 'agent', 'system']),
  model_name: maybeText,
  message: z.unknown().optional(),
  reasoning_content: maybeText,
  tool_calls: listOf(callSchema),
  observation: observationSchema,
  metrics: metricsSchema,
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
export function toUsage(metrics: AtifMetrics): RecordedUsage | undefined {
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
  if (document !== undefined) return toTrajectory(document, MAX_DEPTH);
  const [header, ...steps] = file.lines().records;
  const isStream = isObject(header) && header['__header__'] === true;
  return isStream ? toTrajectory({ ...header, steps }, MAX_DEPTH) : undefined;
}

function toTrajectory(value: unknown, depth: number): Trajectory | undefined {
  if (!isObject(value) || typeof value['schema_version'] !== 'string') return undefined;
  const { agent, steps, trajectory_id: ownId, subagent_trajectories: inner } = value;
  if (!isObject(agent) || !Array.isArray(steps)) return undefined;
  const sessionId = value['session_id'] ?? ownId;
  const isInnermost = depth === 0 || !Array.isArray(inner);
  return {
    ...(typeof sessionId === 'string' && { sessionId }),
    ...(typeof ownId === 'string' && { trajectoryId: ownId }),
    agent,
    steps,
    inner: isInnermost ? [] : inner.flatMap((each) => toTrajectory(each, depth - 1) ?? []),
  };
}

function readTrajectories(file: SourceFile): readonly Session[] {
  const main = findTrajectory(file);
  const all = main === undefined ? [] : [...withInner({ trajectory: main })];
  const sessions = all.map((placed, index) => {
    const tally = createTally();
    if (index === 0) countLineFaults(file.lines(), tally);
    const name = sessionName(file.name, { index, count: all.length });
    return { name, ...toSession(placed, tally) };
  });
  return withMessages(sessions, file.name, 'a trajectory without steps');
}

function* withInner(placed: Placed): Generator<Placed> {
  yield placed;
  const { trajectory: parent } = placed;
  for (const trajectory of parent.inner) yield* withInner({ trajectory, parent });
}

function toSession({ trajectory, parent }: Placed, tally: Tally): Omit<Session, 'name'> {
  const agent = parseAgent(trajectory.agent);
  const conversation = readSteps(trajectory.steps, agent, tally);
  const { sessionId, inner } = trajectory;
  const { drafts, references, system } = conversation;
  const finished = finishSession(drafts, tally, modelNameOf(agent));
  return {
    format: 'atif',
    ...(sessionId !== undefined && { sessionId }),
    isSide: parent !== undefined,
    ...(parent?.sessionId !== undefined && { parentSessionId: parent.sessionId }),
    ...toSideSessions(
      { drafts, messages: finished.messages, sessionId },
      findByReference(references, inner),
    ),
    isPartial: false,
    ...(system !== undefined && { system }),
    recordedCompactions: [],
    isOutputFinal: true,
    ...finished,
  };
}

/** Parses the agent of a trajectory; all fields are absent where it cannot be read. */
function parseAgent(value: unknown): AtifAgent {
  return agentSchema.safeParse(value).data ?? agentSchema.parse({});
}

function readSteps(values: readonly unknown[], agent: AtifAgent, tally: Tally): AtifConversation {
  const steps = values.flatMap((value) => parseStep(value) ?? []);
  tally.drop('unknown record', values.length - steps.length);
  const reading: Reading = {
    agent,
    tally,
    dialogue: createDialogue(tally),
    systemTexts: [],
    future: new Set(steps.flatMap((step) => step.tool_calls.flatMap((call) => idOf(call) ?? []))),
    early: new Map(),
  };
  for (const step of steps) readStep(reading, step);
  const system = reading.systemTexts.join('\n\n');
  return {
    drafts: reading.dialogue.end(),
    references: collectReferences(steps),
    ...(system !== '' && { system }),
  };
}

function parseStep(value: unknown): AtifStep | undefined {
  return stepSchema.safeParse(value).data;
}

function idOf(call: AtifCall): string | undefined {
  return call.tool_call_id ?? call.id;
}

function readStep(reading: Reading, step: AtifStep): void {
  if (step.source === 'agent') readAgentStep(reading, step);
  else if (step.source === 'user') readPrompt(reading, step);
  else readSystem(reading, step);
}

function readAgentStep(reading: Reading, recorded: AtifStep): void {
  const step = reading.dialogue.addStep({
    createdAt: toTime(recorded.timestamp),
    recordedId: stepIdOf(recorded),
    parts: toStepParts(recorded),
    model: modelNameOf(reading.agent, recorded.model_name),
    usage: toUsage(recorded.metrics),
  });
  for (const call of recorded.tool_calls) readCall(reading, step, call);
  readOwnResults(reading, recorded);
}

function stepIdOf({ step_id: id }: AtifStep): string | undefined {
  return id === undefined ? undefined : `step-${id}`;
}

function toStepParts({ message, reasoning_content: thought = '' }: AtifStep): DraftPart[] {
  const text = toText(message);
  const parts: DraftPart[] = [];
  if (thought !== '') parts.push({ type: 'reasoning', text: thought });
  if (text !== '') parts.push({ type: 'text', text });
  return [...parts, ...filesIn(message)];
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
  if (!isObject(piece) || isImage(piece)) return [];
  return [typeof piece['text'] === 'string' ? piece['text'] : toJsonText(piece)];
}

function isImage(piece: unknown): piece is Readonly<Record<string, unknown>> {
  return isObject(piece) && piece['type'] === 'image';
}

function filesIn(content: unknown): readonly FilePart[] {
  const images = list.parse(content).filter(isImage);
  return images.flatMap((image) => {
    const source = imageSchema.safeParse(image).data?.source;
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

function readCall({ dialogue, future, early }: Reading, step: DraftMessage, call: AtifCall): void {
  const callId = idOf(call);
  const tool = call.function_name ?? call.name ?? 'unknown';
  dialogue.addCall(step, { callId, tool, input: call.arguments ?? {} });
  if (callId === undefined) return;
  const result = early.get(callId);
  future.delete(callId);
  early.delete(callId);
  if (result !== undefined) finish(dialogue, result);
}

function finish(dialogue: Dialogue, result: AtifResult): boolean {
  const { source_call_id: key, content, result: outcome } = result;
  const isError = outcome?.success === false;
  const output = toText(content);
  return dialogue.finishCall({ key, output, isError, attachments: filesIn(content) });
}

/** Reads results. Those without a call id belong to the remaining calls in order; the last one may belong to several. */
function readOwnResults(reading: Reading, recorded: AtifStep): void {
  const { dialogue, tally } = reading;
  const results = resultsOf(recorded);
  const named = results.filter(({ source_call_id: id }) => id !== undefined);
  const unnamed = results.filter(({ source_call_id: id }) => id === undefined);
  for (const result of named) readResult(reading, result);
  for (const result of unnamed) if (!finish(dialogue, result)) keepAsText(reading, result);
  if (unnamed.length === 0) return;
  while (dialogue.finishCall({ output: '' })) tally.repair('output that several calls share');
}

/** The results of an observation, which may be a result itself. */
function resultsOf({ observation }: AtifStep): readonly AtifResult[] {
  if (observation === undefined) return [];
  const { results, ...only } = observation;
  if (results !== undefined)
    return results.flatMap((each) => resultSchema.safeParse(each).data ?? []);
  return only.content === undefined ? [] : [only];
}

function readResult(reading: Reading, result: AtifResult): void {
  const { source_call_id: callId } = result;
  if (callId !== undefined && finish(reading.dialogue, result)) return;
  if (callId !== undefined && reading.future.has(callId)) reading.early.set(callId, result);
  else keepAsText(reading, result);
}

function keepAsText({ dialogue, tally }: Reading, { content }: AtifResult): void {
  tally.repair('tool result kept as a text');
  dialogue.inject(toText(content));
}

function readPrompt(reading: Reading, step: AtifStep): void {
  reading.dialogue.addPrompt({
    createdAt: toTime(step.timestamp),
    recordedId: stepIdOf(step),
    parts: toStepParts(step),
  });
  for (const result of resultsOf(step)) readResult(reading, result);
}

/** Reads a system step: the system prompt at first, later a notice or the carrier of a result. */
function readSystem(reading: Reading, step: AtifStep): void {
  const { dialogue, systemTexts } = reading;
  const results = resultsOf(step);
  const message = toText(step.message);
  const named = RESULT_MESSAGE.exec(message)?.[1];
  if (results.length === 0) {
    if (dialogue.drafts.length === 0) systemTexts.push(message);
    else dialogue.inject(message);
  }
  for (const result of results) {
    readResult(reading, { ...result, source_call_id: result.source_call_id ?? named });
  }
}

function collectReferences(steps: readonly AtifStep[]): ReferencesByCall {
  const references = new Map<string, readonly AtifReference[]>();
  for (const { source_call_id: callId, subagent_trajectory_ref: told } of steps.flatMap(
    resultsOf,
  )) {
    if (callId === undefined || told.length === 0) continue;
    references.set(callId, [...(references.get(callId) ?? []), ...told]);
  }
  const calledIds = new Set<string | undefined>();
  for (const id of steps.flatMap((step) => step.tool_calls.map(idOf))) {
    if (id !== undefined && calledIds.has(id)) references.delete(id);
    calledIds.add(id);
  }
  return references;
}

/** Finds sessions by the references of results: embedded trajectories, or sessions elsewhere. */
function findByReference(references: ReferencesByCall, inner: readonly Trajectory[]): FindSideIds {
  const sessionIds = new Map(inner.map((each) => [each.trajectoryId, each.sessionId]));
  const sideIds = [...references].map(([callId, told]) => {
    const ids = told.flatMap(({ trajectory_id: id, session_id: sessionId }) => {
      const embedded = id === undefined ? undefined : sessionIds.get(id);
      return embedded ?? sessionId ?? [];
    });
    return [callId, ids] as const;
  });
  return findByCallId(new Map(sideIds));
}
