import { isObject } from '../../lib/json.ts';
import type { SessionFormat } from '../format.ts';
import * as kit from '../reading/fields.ts';
import { type Facts, readRecordings, type Recording } from '../reading/recording.ts';
import { splitCount } from '../reading/transcript.ts';

interface Reading {
  readonly recording: Recording;
  /** Messages before each event, by event id. */
  readonly places: Map<unknown, number>;
}

const BOOKKEEPING = kit.wordsIn(`
  agent_state_changed change_agent_state condense condensation_request null recall`);

const TEXT_KEYS = 'repo_instructions additional_agent_instructions conversation_instructions'.split(
  ' ',
);

const EDITOR_OBSERVATIONS = kit.wordsIn('read edit');
/** The start of the editor's answer when it changes nothing. */
const REFUSAL = 'ERROR:\n';
const ADDED_ARGUMENTS = kit.wordsIn('blocking confirmation_state hidden is_static thought');

/** Evaluations of OpenHands: each line is an instance, and a session. */
export const openhands: SessionFormat = {
  label: 'OpenHands evaluation output (JSON lines)',
  detect: (file) =>
    file.lines().records.some((record) => {
      const { action, observation } = kit.fieldsOf(historyOf(record)?.[0]);
      return typeof action === 'string' || typeof observation === 'string';
    }),
  read: readRecordings({
    empty: 'instances without messages',
    lost: 'line that is no instance',
    items: (file, tally) => {
      kit.countLineFaults(file.lines(), tally);
      return file.lines().records;
    },
    read: (recording, record) =>
      readInstance(recording, kit.fieldsOf(record), historyOf(record) ?? []),
  }),
};

function historyOf(record: unknown) {
  const { instance_id: id, history } = kit.fieldsOf(record);
  const isNamed = typeof id === 'string' || typeof id === 'number';
  return isNamed && Array.isArray(history) ? history.flat() : undefined;
}

function readInstance(
  recording: Recording,
  { instruction, instance_id: id }: kit.Fields,
  history: readonly unknown[],
): Facts {
  const reading: Reading = { recording, places: new Map() };
  for (const event of recording.readObjects(history, 'unknown event')) {
    const { action, observation, timestamp: time } = event;
    if (typeof instruction === 'string' && recording.drafts.length === 0 && isStep(event))
      recording.readPrompt({ time, content: instruction });
    reading.places.set(event['id'], recording.drafts.length);
    if (typeof action === 'string') readAction(reading, event);
    else if (typeof observation === 'string') readObservation(recording, event);
    else recording.tally.drop('unknown event');
  }
  return { sessionId: toKey(id), isOutputFinal: true };
}

/** Old recordings name no source and hold only those. */
function isStep({ action, source = 'agent' }: kit.Fields) {
  const isOwn = typeof action === 'string' && action !== 'system' && action !== 'condensation';
  return isOwn && source === 'agent' && !BOOKKEEPING.has(action);
}

function readObservation(recording: Recording, event: kit.Fields) {
  const { cause, id, observation, content } = event;
  if (observation === 'recall') return recording.inject(recalledText(event));
  if (BOOKKEEPING.has(observation)) return;
  const key = toKey(cause);
  const output = kit.textOf(content);
  const isNamed = key !== undefined || id === undefined;
  if (isNamed && recording.finishCall({ key, output, isError: hasFailed(event) })) return;
  if (output !== '') recording.tally.repair('tool result kept as a text');
  recording.inject(output);
}

function recalledText({ extras }: kit.Fields) {
  const fields = kit.fieldsOf(extras);
  const knowledge = kit.objectsIn(fields['microagent_knowledge']).map(({ content }) => content);
  const texts = [...TEXT_KEYS.map((key) => fields[key]), ...knowledge];
  return texts.flatMap((text) => kit.toId(text) ?? []).join('\n\n');
}

function hasFailed({ observation, content, extras }: kit.Fields) {
  const code = kit.valueAt(extras, 'metadata.exit_code');
  if (typeof code === 'number' && code !== 0) return true;
  const isRefused = EDITOR_OBSERVATIONS.has(observation) && kit.textOf(content).startsWith(REFUSAL);
  return observation === 'error' || isRefused;
}

function readAction(reading: Reading, event: kit.Fields) {
  const { recording } = reading;
  const { action, source, timestamp: time } = event;
  const args = kit.fieldsOf(event['args']);
  const { content } = args;
  if (BOOKKEEPING.has(action)) return;
  if (action === 'system') {
    if (recording.drafts.length === 0) recording.addSystem(kit.toText(content));
  } else if (action === 'condensation') addCondensation(reading, args);
  else if (isStep(event)) readStep(recording, event);
  else if (action === 'message' && source === 'user') {
    recording.readPrompt({ id: idOf(event), time, content: kit.toText(content) });
  } else recording.tally.drop('unknown event');
}

function addCondensation({ recording, places }: Reading, args: kit.Fields) {
  const { summary, forgotten_event_ids: ids, forgotten_events_end_id: endId } = args;
  const numbers = kit.toList(ids).filter((id) => typeof id === 'number');
  const lastId = typeof endId === 'number' ? endId : Math.max(...numbers);
  const firstKept = [...places].find(([id]) => Number.isFinite(lastId) && Number(id) > lastId);
  recording.addCompaction({
    trigger: 'auto',
    firstKeptMessageIndex: firstKept?.[1],
    summary,
  });
}

/** Several actions of one answer are one step, counted once. */
function readStep(recording: Recording, event: kit.Fields) {
  const { id, action, args, timestamp: time, tool_call_metadata: metadata } = event;
  const response = kit.fieldsOf(kit.fieldsOf(metadata)['model_response']);
  const [choice] = kit.objectsIn(response['choices']);
  const answer = kit.valueAt(choice, 'message');
  const said = kit.toText(kit.fieldsOf(args)[action === 'message' ? 'content' : 'thought']);
  const { reasoning_content: thinking, content } = kit.fieldsOf(answer);
  const step = recording.stepOf({
    id: kit.toId(response['id']) ?? idOf(event),
    time,
    thinking,
    content: isObject(answer) ? kit.textOf(content) : said,
    model: kit.toModel(response['model']),
    usage: splitCount(response['usage']),
  });
  if (metadata === undefined && action === 'message') return;
  const { tool_call_id: callId, function_name: name } = kit.fieldsOf(metadata);
  const calls = kit.objectsIn(kit.fieldsOf(answer)['tool_calls']);
  const called = calls.find((call) => metadata !== undefined && call['id'] === callId);
  const own = Object.entries(kit.fieldsOf(args)).filter(([key]) => !ADDED_ARGUMENTS.has(key));
  const call = {
    callId: kit.toId(callId),
    tool:
      kit.toText(name) ?? kit.toText(kit.valueAt(called, 'function.name')) ?? kit.orEmpty(action),
    input:
      called === undefined
        ? Object.fromEntries(own)
        : kit.toInput(kit.valueAt(called, 'function.arguments'), recording.tally),
  };
  // Observations name the event that they answer.
  recording.addCall(step, call, toKey(id) ?? call.callId);
}

function toKey(id: unknown) {
  return typeof id === 'number' || typeof id === 'string' ? `${id}` : undefined;
}

function idOf({ id }: kit.Fields) {
  return typeof id === 'number' ? `event-${id}` : undefined;
}
