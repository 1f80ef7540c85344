import { isObject } from '../../lib/json.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import { blocksOf, outputText, textOf } from '../reading/content.ts';
import {
  type Fields,
  fieldsOf,
  objectsIn,
  toId,
  toModel,
  toText,
  valueAt,
} from '../reading/lenient.ts';
import { type Facts, readRecordings, type Recording } from '../reading/recording.ts';
import { countLineFaults, createTally } from '../reading/tally.ts';
import { findByCallId } from '../reading/transcript.ts';
import { countsIn, splitCount } from '../reading/usage.ts';
import type { Session } from '../session.ts';

/** A trajectory with the one that started it. */
interface Placed {
  readonly trajectory: Fields;
  readonly parent: Fields | undefined;
}

interface Reading {
  readonly recording: Recording;
  /** Ids of calls not read yet. */
  readonly future: Set<string>;
  /** Results that precede the step of their call, by its id. */
  readonly early: Map<string, Fields>;
}

const MAX_DEPTH = 8;
const SOURCES = new Set<unknown>(['user', 'agent', 'system']);

/** The message of a system step that names the call of its result. */
const RESULT_MESSAGE = /^Tool result for (\S+)$/;

const COUNTS = {
  input: 'prompt_tokens',
  output: 'completion_tokens',
  cacheRead: 'cached_tokens',
  cacheWrite: 'extra.cache_creation_input_tokens',
  reasoning: 'extra.reasoning_tokens',
};

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

/** The trajectory of a file, as a document or as a header with one step a line; `undefined` if there is none. */
function findTrajectory(file: SourceFile): Fields | undefined {
  const document = file.json();
  if (document !== undefined) return isTrajectory(document) ? document : undefined;
  const [header, ...steps] = file.lines().records;
  const trajectory = { ...fieldsOf(header), steps };
  return fieldsOf(header)['__header__'] === true && isTrajectory(trajectory)
    ? trajectory
    : undefined;
}

function isTrajectory(value: unknown): value is Fields {
  const { schema_version: version, agent, steps } = fieldsOf(value);
  return typeof version === 'string' && isObject(agent) && Array.isArray(steps);
}

function readTrajectories(file: SourceFile): readonly Session[] {
  const trajectory = findTrajectory(file);
  const tally = createTally();
  countLineFaults(file.lines(), tally);
  return readRecordings(file, trajectory ? withInner(trajectory) : [], {
    format: 'atif',
    empty: 'a trajectory without steps',
    tally,
    read: readTrajectory,
  });
}

function withInner(trajectory: Fields, parent?: Fields, depth = 0): readonly Placed[] {
  const inner = depth === MAX_DEPTH ? [] : innerOf(trajectory);
  return [
    { trajectory, parent },
    ...inner.flatMap((each) => withInner(each, trajectory, depth + 1)),
  ];
}

/** Embedded trajectories of sub-agents. */
function innerOf({ subagent_trajectories: inner }: Fields): readonly Fields[] {
  return objectsIn(inner).filter(isTrajectory);
}

function idOf({ session_id: run, trajectory_id: own }: Fields = {}): string | undefined {
  return toText(run ?? own);
}

function readTrajectory(recording: Recording, { trajectory, parent }: Placed): Facts {
  const records = recording.readObjects(trajectory['steps'], 'unknown record');
  const steps = records.filter(({ source }) => SOURCES.has(source));
  recording.tally.drop('unknown record', records.length - steps.length);
  const agent = fieldsOf(trajectory['agent']);
  const callIds = steps
    .flatMap(({ tool_calls: calls }) => objectsIn(calls))
    .flatMap((call) => idOfCall(call) ?? []);
  const reading: Reading = { recording, future: new Set(callIds), early: new Map() };
  for (const step of steps) {
    if (step['source'] === 'agent') readStep(reading, step, agent);
    else if (step['source'] === 'system') readSystem(reading, step);
    else {
      recording.readPrompt(saidIn(step));
      for (const result of resultsOf(step)) readResult(reading, result);
    }
  }
  return {
    sessionId: idOf(trajectory),
    isSide: parent !== undefined,
    parentSessionId: idOf(parent),
    findSideIds: findByCallId(collectSideIds(steps, callIds, trajectory)),
    model: modelOf(agent, undefined),
    isOutputFinal: true,
  };
}

function readStep({ recording, future, early }: Reading, recorded: Fields, agent: Fields): void {
  const { model_name: model, reasoning_content: thinking, metrics } = recorded;
  const step = recording.readStep({
    ...saidIn(recorded),
    thinking,
    model: modelOf(agent, model),
    usage: splitCount(countsIn(metrics, COUNTS)),
  });
  for (const call of objectsIn(recorded['tool_calls'])) {
    recording.readCall(step, call);
    const id = idOfCall(call) ?? '';
    const result = early.get(id);
    future.delete(id);
    early.delete(id);
    if (result !== undefined) finish(recording, result);
  }
  const results = resultsOf(recorded);
  const unnamed = results.filter(({ source_call_id: id }) => toId(id) === undefined);
  for (const result of results) {
    if (!unnamed.includes(result)) readResult({ recording, future, early }, result);
  }
  // Results without a call id belong to the remaining calls in order; the last one may belong to several.
  for (const result of unnamed) if (!finish(recording, result)) keepAsText(recording, result);
  while (unnamed.length > 0 && recording.finishCall({ output: '' })) {
    recording.tally.repair('output that several calls share');
  }
}

function idOfCall(call: Fields): string | undefined {
  return toId(valueAt(call, 'tool_call_id id'));
}

function saidIn({ timestamp: time, step_id: id, message }: Fields) {
  return {
    time,
    id: typeof id === 'number' ? `step-${id}` : undefined,
    content: toBlocks(message),
  };
}

/** A content in the form that providers share: its texts as one, then its pictures. */
function toBlocks(content: unknown): readonly Fields[] {
  const files = objectsIn(content)
    .filter(isImage)
    .map(({ source }) => {
      const { media_type: mimeType, path: url } = fieldsOf(source);
      return { type: 'image', url, mimeType };
    });
  const pieces = Array.isArray(content)
    ? blocksOf(content).filter((piece) => !isImage(piece))
    : content;
  return [{ text: outputText(pieces) }, ...files.filter(({ url }) => typeof url === 'string')];
}

function isImage({ type }: Fields): boolean {
  return type === 'image';
}

/** `provider/model` of a step, by default the agent's. A name without a provider gets that of the agent. */
function modelOf({ provider, model, model_name: usual = model }: Fields, own: unknown) {
  return toModel(own ?? usual, provider);
}

function finish(recording: Recording, result: Fields): boolean {
  const { source_call_id: id, content, result: outcome } = result;
  const isError = fieldsOf(outcome)['success'] === false;
  if (!recording.hasOpenCall(toId(id))) return false;
  recording.readResult({ id, content: toBlocks(content), isError });
  return true;
}

/** The results of an observation, which may be a result itself. */
function resultsOf({ observation }: Fields): readonly Fields[] {
  const { results, ...only } = fieldsOf(observation);
  if (Array.isArray(results)) return objectsIn(results);
  return only['content'] === undefined ? [] : [only];
}

function readResult({ recording, future, early }: Reading, result: Fields): void {
  const callId = toId(result['source_call_id']);
  if (callId !== undefined && finish(recording, result)) return;
  if (callId !== undefined && future.has(callId)) early.set(callId, result);
  else keepAsText(recording, result);
}

function keepAsText(recording: Recording, { content }: Fields): void {
  recording.tally.repair('tool result kept as a text');
  recording.inject(textOf(toBlocks(content)));
}

/** Reads a system step: the system prompt at first, later a notice or the carrier of a result. */
function readSystem(reading: Reading, step: Fields): void {
  const { recording } = reading;
  const results = resultsOf(step);
  const message = textOf(toBlocks(step['message']));
  if (results.length === 0 && recording.drafts.length === 0) recording.addSystem(message);
  else if (results.length === 0) recording.inject(message);
  const named = RESULT_MESSAGE.exec(message)?.[1];
  for (const result of results) {
    readResult(reading, { ...result, source_call_id: result['source_call_id'] ?? named });
  }
}

/** Sessions by the references of results: embedded trajectories, or sessions elsewhere; none where calls share an id. */
function collectSideIds(
  steps: readonly Fields[],
  callIds: readonly string[],
  trajectory: Fields,
): ReadonlyMap<string, readonly string[]> {
  const embedded = new Map(innerOf(trajectory).map((each) => [each['trajectory_id'], idOf(each)]));
  const sideIds = new Map<string, readonly string[]>();
  for (const result of steps.flatMap(resultsOf)) {
    const callId = toId(result['source_call_id']) ?? '';
    const ids = objectsIn(result['subagent_trajectory_ref']).flatMap(
      ({ trajectory_id: inner, session_id: outer }) => embedded.get(inner) ?? toId(outer) ?? [],
    );
    if (callIds.filter((each) => each === callId).length !== 1) continue;
    sideIds.set(callId, [...(sideIds.get(callId) ?? []), ...ids]);
  }
  return sideIds;
}
