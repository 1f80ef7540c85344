import { createDialogue, type Dialogue } from '../reading/dialogue.ts';
import { toChatUsage } from '../reading/inclusive-usage.ts';
import { toModelName } from '../reading/model-name.ts';
import type { RecordedCompaction } from '../session.ts';
import type { Tally } from '../reading/tally.ts';
import { toTime } from '../reading/time.ts';
import type { DraftMessage, DraftPart } from '../reading/transcript.ts';
import { toCall } from './call.ts';
import { toCompaction } from './condensation.ts';
import { answerOf, argument, hasFailed, type HandsEvent, parseEvent, toText } from './event.ts';
import { recalledText } from './recall.ts';

/** What the events of one instance come to. */
export interface HandsConversation {
  readonly drafts: readonly DraftMessage[];
  readonly compactions: readonly RecordedCompaction[];
  /** The text of the system prompt; absent where the history does not keep it. */
  readonly system?: string;
}

interface Reading {
  readonly tally: Tally;
  readonly dialogue: Dialogue;
  readonly compactions: RecordedCompaction[];
  /** How many messages came before each event, by its id. */
  readonly places: Map<number, number>;
  /** The last step that one answer of a model was read into, and the id of the answer. */
  answered?: { readonly step: DraftMessage; readonly responseId: string };
  system?: string;
}

/** Events with which the recorder keeps books, and the questions whose answers tell everything. */
const BOOKKEEPING = new Set<string | undefined>([
  'agent_state_changed',
  'change_agent_state',
  'condense',
  'condensation_request',
  'null',
  'recall',
]);

/** Reads the history of one instance; its instruction stands in for a prompt that is not in it. */
export function readHistory(
  history: readonly unknown[],
  instruction: string | undefined,
  tally: Tally,
): HandsConversation {
  const events = history.flat().flatMap((value) => parseEvent(value) ?? []);
  tally.drop('unknown event', history.flat().length - events.length);
  const reading: Reading = {
    tally,
    dialogue: createDialogue(tally),
    compactions: [],
    places: new Map(),
  };
  for (const event of events) {
    placePrompt(reading, event, instruction);
    if (event.id !== undefined) reading.places.set(event.id, reading.dialogue.drafts.length);
    if (event.action === undefined) readObservation(reading, event);
    else readAction(reading, event);
  }
  const { compactions, system } = reading;
  const drafts = reading.dialogue.end();
  return {
    drafts,
    compactions,
    ...(system !== undefined && { system }),
  };
}

function placePrompt(
  { dialogue }: Reading,
  event: HandsEvent,
  instruction: string | undefined,
): void {
  if (instruction === undefined || dialogue.drafts.length > 0 || !isStep(event)) return;
  const createdAt = toTime(event.timestamp);
  dialogue.addPrompt({ createdAt, parts: [{ type: 'text', text: instruction }] });
}

/** Whether a model asked for the action. Old recordings name nobody, and hold the actions of the model only. */
function isStep({ action, source = 'agent' }: HandsEvent): boolean {
  const isOwn = action !== undefined && action !== 'system' && action !== 'condensation';
  return isOwn && source === 'agent' && !BOOKKEEPING.has(action);
}

function readAction(reading: Reading, event: HandsEvent): void {
  const { action = '', source } = event;
  if (BOOKKEEPING.has(action)) return;
  if (action === 'system') reading.system ??= argument(event, 'content');
  else if (action === 'condensation') readCondensation(reading, event);
  else if (isStep(event)) readStep(reading, event);
  else if (action === 'message' && source === 'user') readPrompt(reading, event);
  else reading.tally.drop('unknown event');
}

function readPrompt({ dialogue }: Reading, event: HandsEvent): void {
  const text = argument(event, 'content');
  const parts: DraftPart[] = text === '' ? [] : [{ type: 'text', text }];
  dialogue.addPrompt({ recordedId: idOf(event), createdAt: toTime(event.timestamp), parts });
}

/** Several actions may come of one answer: they are one step, which is counted once. */
function readStep(reading: Reading, event: HandsEvent): void {
  const response = event.tool_call_metadata?.model_response;
  const responseId = response?.id;
  const { answered } = reading;
  const isSame = responseId !== undefined && answered?.responseId === responseId;
  const step = isSame ? answered.step : startStep(reading, event);
  if (responseId !== undefined) reading.answered = { step, responseId };
  const call = toCall(event, reading.tally);
  if (call === undefined) return;
  reading.dialogue.addCall(step, call, event.id === undefined ? call.callId : String(event.id));
}

function startStep({ dialogue }: Reading, event: HandsEvent): DraftMessage {
  const response = event.tool_call_metadata?.model_response;
  return dialogue.addStep({
    recordedId: response?.id ?? idOf(event),
    createdAt: toTime(event.timestamp),
    parts: toParts(event),
    model: response?.model === undefined ? undefined : toModelName(response.model),
    usage: toChatUsage(response?.usage),
  });
}

function toParts(event: HandsEvent): DraftPart[] {
  const answer = answerOf(event);
  const { reasoning_content: thought = '' } = answer ?? {};
  const said = event.action === 'message' ? argument(event, 'content') : argument(event, 'thought');
  const text = answer === undefined ? said : toText(answer.content);
  const parts: DraftPart[] = [];
  if (thought !== '') parts.push({ type: 'reasoning', text: thought });
  if (text !== '') parts.push({ type: 'text', text });
  return parts;
}

function readObservation(reading: Reading, event: HandsEvent): void {
  const { dialogue, tally } = reading;
  const { cause, id, observation } = event;
  if (observation === 'recall') return dialogue.inject(recalledText(event));
  if (BOOKKEEPING.has(observation)) return;
  const key = cause === undefined ? undefined : String(cause);
  const output = toText(event.content);
  const isNamed = key !== undefined || id === undefined;
  if (isNamed && dialogue.finishCall({ key, output, isError: hasFailed(event) })) return;
  if (output !== '') tally.repair('tool result kept as a text');
  dialogue.inject(output);
}

/** A condensation that nothing precedes is where the session starts, not something that happened in it. */
function readCondensation(reading: Reading, event: HandsEvent): void {
  const { dialogue, compactions, places } = reading;
  const count = dialogue.drafts.length;
  if (count > 0) compactions.push(toCompaction(event, places, count));
}

function idOf({ id }: HandsEvent): string | undefined {
  return id === undefined ? undefined : `event-${id}`;
}
