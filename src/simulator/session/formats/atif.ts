import { addToGroup } from '../../lib/collections.ts';
import { isObject } from '../../lib/json.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import * as kit from '../reading/fields.ts';
import { type Facts, readRecordings, type Recording } from '../reading/recording.ts';
import { splitCount } from '../reading/transcript.ts';

interface Reading {
  readonly recording: Recording;
  /** Ids of calls not read yet. */
  readonly future: Set<string>;
  /** Results that precede the step of their call, by its id. */
  readonly early: Map<string, kit.Fields>;
}

const SOURCES = kit.wordsIn('user agent system');
const RESULT_MESSAGE = /^Tool result for (\S+)$/;

/** Trajectories in the interchange format of Harbor, as a document or as a stream of steps. */
export const atif: SessionFormat = {
  label: 'ATIF trajectory (JSON or JSON lines)',
  detect: (file) => findTrajectory(file) !== undefined,
  read: readRecordings({
    empty: 'a trajectory without steps',
    items: (file, tally) => {
      const trajectory = findTrajectory(file);
      kit.countLineFaults(file.lines(), tally);
      return trajectory ? withInner(trajectory) : [];
    },
    read: readTrajectory,
  }),
};

function findTrajectory(file: SourceFile): kit.Fields | undefined {
  const document = file.json();
  if (document !== undefined) return isTrajectory(document) ? document : undefined;
  const [header, ...steps] = file.lines().records;
  const trajectory: kit.Fields = { ...kit.fieldsOf(header), steps };
  return trajectory['__header__'] === true && isTrajectory(trajectory) ? trajectory : undefined;
}

function isTrajectory(value: unknown): value is kit.Fields {
  const { schema_version: version, agent, steps } = kit.fieldsOf(value);
  return typeof version === 'string' && isObject(agent) && Array.isArray(steps);
}

function withInner(
  trajectory: kit.Fields,
  parent?: kit.Fields,
): readonly { readonly trajectory: kit.Fields; readonly parent: kit.Fields | undefined }[] {
  const below = innerOf(trajectory).flatMap((each) => withInner(each, trajectory));
  return [{ trajectory, parent }, ...below];
}

function innerOf({ subagent_trajectories: inner }: kit.Fields): kit.Objects {
  return kit.objectsIn(inner).filter(isTrajectory);
}

function idOf({ session_id: run, trajectory_id: own }: kit.Fields = {}) {
  return kit.toText(run ?? own);
}

function readTrajectory(
  recording: Recording,
  { trajectory, parent }: ReturnType<typeof withInner>[number],
): Facts {
  const steps = recording.readObjects(trajectory['steps'], 'unknown record', ({ source }) =>
    SOURCES.has(source),
  );
  const agent = kit.fieldsOf(trajectory['agent']);
  const calls = steps.flatMap((step) => kit.objectsIn(step['tool_calls']));
  const callIds = calls.flatMap((call) => idOfCall(call) ?? []);
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
    findSideIds: sideIdFinder(trajectory, steps, callIds),
    model: modelOf(agent, undefined),
    isOutputFinal: true,
  };
}

function readStep(reading: Reading, recorded: kit.Fields, agent: kit.Fields): void {
  const { recording, future, early } = reading;
  const { model_name: model, reasoning_content: thinking, metrics } = recorded;
  const step = recording.readStep({
    ...saidIn(recorded),
    thinking,
    model: modelOf(agent, model),
    usage: splitCount(metrics),
  });
  for (const call of kit.objectsIn(recorded['tool_calls'])) {
    recording.readCall(step, call);
    const id = idOfCall(call) ?? '';
    const result = early.get(id);
    future.delete(id);
    early.delete(id);
    if (result !== undefined) readResult(reading, result);
  }
  const results = resultsOf(recorded);
  const unnamed = results.filter(({ source_call_id: id }) => kit.toId(id) === undefined);
  for (const result of results) {
    if (!unnamed.includes(result)) readResult(reading, result);
  }
  // Results without a call id belong to the remaining calls in order; the last one may belong to several.
  for (const result of unnamed) readResult(reading, { ...result, source_call_id: null });
  while (unnamed.length > 0 && recording.finishCall({ output: '' }))
    recording.tally.repair('output that several calls share');
}

function idOfCall(call: kit.Fields) {
  return kit.toId(kit.valueAt(call, 'tool_call_id id'));
}

function saidIn({ timestamp: time, step_id: number, message }: kit.Fields) {
  const id = typeof number === 'number' ? `step-${number}` : undefined;
  return { time, id, content: toBlocks(message) };
}

function toBlocks(content: unknown): kit.Objects {
  if (!Array.isArray(content)) return [{ text: kit.outputText(content) }];
  const [images, pieces] = [true, false].map((isImage) =>
    kit.blocksOf(content).filter(({ type }) => (type === 'image') === isImage),
  );
  return [{ text: kit.outputText(pieces) }, ...(images ?? [])];
}

function modelOf({ provider, model, model_name: usual = model }: kit.Fields, own: unknown) {
  return kit.toModel(own ?? usual, provider);
}

function resultsOf({ observation }: kit.Fields): kit.Objects {
  const { results, ...only } = kit.fieldsOf(observation);
  if (Array.isArray(results)) return kit.objectsIn(results);
  return only['content'] === undefined ? [] : [only];
}

/** Reads a result: of an open call, of one that follows, or else as a text. */
function readResult({ recording, future, early }: Reading, result: kit.Fields) {
  const { source_call_id: id = '', content, result: outcome } = result;
  const callId = kit.toText(id);
  const isError = kit.fieldsOf(outcome)['success'] === false;
  if (recording.hasOpenCall(callId)) {
    recording.readResult({ id, content: toBlocks(content), isError });
  } else if (callId !== undefined && future.has(callId)) early.set(callId, result);
  else {
    recording.tally.repair('tool result kept as a text');
    recording.inject(kit.textOf(toBlocks(content)));
  }
}

function readSystem(reading: Reading, step: kit.Fields) {
  const { recording } = reading;
  const results = resultsOf(step);
  const message = kit.textOf(toBlocks(step['message']));
  if (results.length === 0 && recording.drafts.length === 0) recording.addSystem(message);
  else if (results.length === 0) recording.inject(message);
  const named = RESULT_MESSAGE.exec(message)?.[1];
  for (const result of results)
    readResult(reading, { ...result, source_call_id: result['source_call_id'] ?? named });
}

/** Sessions by the references of results: embedded trajectories, or sessions elsewhere; none where calls share an id. */
function sideIdFinder(trajectory: kit.Fields, steps: kit.Objects, ids: readonly string[]) {
  const embedded = new Map(innerOf(trajectory).map((each) => [each['trajectory_id'], idOf(each)]));
  const sideIds = new Map<unknown, string[]>();
  for (const { source_call_id: callId, ...result } of steps.flatMap(resultsOf)) {
    if (ids.filter((id) => id === callId).length !== 1) continue;
    for (const reference of kit.objectsIn(result['subagent_trajectory_ref'])) {
      const { trajectory_id: inner, session_id: outer } = reference;
      addToGroup(sideIds, callId, embedded.get(inner) ?? kit.toId(outer) ?? '');
    }
  }
  return (part: kit.DraftPart) => (part.type === 'tool' ? sideIds.get(part.callId) : undefined);
}
