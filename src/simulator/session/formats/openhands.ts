import { z } from 'zod';
import { isObject } from '../../lib/json.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import { createDialogue, type Dialogue, type RecordedCall } from '../reading/dialogue.ts';
import {
  listOf,
  list,
  maybeId,
  maybeNumber,
  maybeObject,
  maybeText,
  recordOf,
  toModelName,
  toTime,
} from '../reading/lenient.ts';
import { countLineFaults, createTally, type Tally, toInput } from '../reading/tally.ts';
import {
  type DraftMessage,
  type DraftPart,
  finishSession,
  withMessages,
} from '../reading/transcript.ts';
import { toChatUsage } from '../reading/usage.ts';
import { type RecordedCompaction, type Session, sessionName } from '../session.ts';

/** A task of an evaluation with its history. */
type Instance = z.infer<typeof instanceSchema>;

interface HandsConversation {
  readonly drafts: readonly DraftMessage[];
  readonly compactions: readonly RecordedCompaction[];
  /** The system prompt; absent if it was not recorded. */
  readonly system?: string;
}

interface Reading {
  readonly tally: Tally;
  readonly dialogue: Dialogue;
  readonly compactions: RecordedCompaction[];
  /** Messages before each event, by event id. */
  readonly places: Map<number, number>;
  /** The last step with the id of its answer; several actions may share one answer. */
  answered?: { readonly step: DraftMessage; readonly responseId: string };
  system?: string;
}

/** Message indices of events by id, in order. */
type EventPlaces = ReadonlyMap<number, number>;

/** An action or an observation. */
type HandsEvent = z.infer<typeof eventSchema>;

const instanceSchema = z.object({
  instance_id: z.union([z.string(), z.number().transform(String)]),
  instruction: maybeText,
  history: z.array(z.unknown()),
});

const calledSchema = z.object({
  id: maybeId,
  function: maybeObject({ name: maybeText, arguments: z.unknown().optional() }),
});

const answerSchema = maybeObject({
  content: z.unknown().optional(),
  reasoning_content: maybeText,
  tool_calls: listOf(calledSchema),
});

const metadataSchema = maybeObject({
  function_name: maybeText,
  tool_call_id: maybeId,
  model_response: maybeObject({
    id: maybeId,
    model: maybeText,
    usage: z.unknown().optional(),
    choices: list.transform((choices) =>
      choices.flatMap((choice) =>
        isObject(choice) ? [answerSchema.parse(choice['message'])] : [],
      ),
    ),
  }),
});

const eventSchema = z.object({
  id: maybeNumber,
  timestamp: z.unknown().optional(),
  source: maybeText,
  action: maybeText,
  observation: maybeText,
  cause: maybeNumber,
  content: z.unknown().optional(),
  args: recordOf(z.unknown()).catch({}),
  extras: recordOf(z.unknown()).catch({}),
  tool_call_metadata: metadataSchema,
});

/** Bookkeeping events, and questions whose answers repeat them. */
const BOOKKEEPING = new Set<string | undefined>([
  'agent_state_changed',
  'change_agent_state',
  'condense',
  'condensation_request',
  'null',
  'recall',
]);

const TEXT_KEYS = [
  'repo_instructions',
  'additional_agent_instructions',
  'conversation_instructions',
];

/** Observations of the file editor, which shows a file below a line of its own. */
const EDITOR_OBSERVATIONS: ReadonlySet<string> = new Set(['read', 'edit']);
/** The start of the editor's answer when it changes nothing. */
const EDITOR_REFUSES = 'ERROR:\n';

const argsSchema = z.object({
  forgotten_event_ids: list,
  forgotten_events_start_id: maybeNumber,
  forgotten_events_end_id: maybeNumber,
  summary: maybeText,
});

/** Keys among the arguments of an action that were no arguments of the call. */
const ADDED_ARGUMENTS = new Set([
  'blocking',
  'confirmation_state',
  'hidden',
  'is_static',
  'thought',
]);

/** Evaluations of OpenHands: each line is an instance, and a session. */
export const openhands: SessionFormat = {
  label: 'OpenHands evaluation output (JSON lines)',
  certainty: 'mark',
  detect: (file) => findInstances(file) !== undefined,
  read: readOutput,
  keeps: {
    tools: 'execute_bash execute_ipython_cell str_replace_editor think finish browser',
    reasons: 'instance',
  },
};

/** The instances of a file, with `undefined` for other lines; `undefined` if there is none. */
function findInstances(file: SourceFile): readonly (Instance | undefined)[] | undefined {
  const instances = file.lines().records.map((record) => instanceSchema.safeParse(record).data);
  return instances.some(hasEvents) ? instances : undefined;
}

function hasEvents(instance: Instance | undefined): boolean {
  const [first] = instance?.history.flat() ?? [];
  return isObject(first) && parseEvent(first) !== undefined;
}

function parseEvent(value: unknown): HandsEvent | undefined {
  const event = eventSchema.safeParse(value).data;
  return event?.action === undefined && event?.observation === undefined ? undefined : event;
}

function readOutput(file: SourceFile): readonly Session[] {
  const instances = findInstances(file) ?? [];
  const first = instances.findIndex((instance) => instance !== undefined);
  const sessions = instances.flatMap((instance, index) => {
    if (instance === undefined) return [];
    const tally = createTally();
    if (index === first) countLosses(file, instances, tally);
    const name = sessionName(file.name, { index, count: instances.length });
    return [{ name, ...toSession(instance, tally) }];
  });
  return withMessages(sessions, file.name, 'instances without messages');
}

function countLosses(
  file: SourceFile,
  instances: readonly (Instance | undefined)[],
  tally: Tally,
): void {
  const lost = instances.filter((instance) => instance === undefined).length;
  countLineFaults(file.lines(), tally);
  tally.drop('line that is no instance', lost);
}

function toSession(instance: Instance, tally: Tally): Omit<Session, 'name'> {
  const { history, instruction, instance_id: sessionId } = instance;
  const { drafts, compactions, system } = readHistory(history, instruction, tally);
  return {
    format: 'openhands',
    sessionId,
    isSide: false,
    isPartial: false,
    ...(system !== undefined && { system }),
    recordedCompactions: compactions,
    isOutputFinal: true,
    ...finishSession(drafts, tally),
  };
}

/** Reads the history of an instance; the instruction replaces a missing prompt. */
function readHistory(
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

/** Recognizes actions of a model. Old recordings name no source and hold only those. */
function isStep({ action, source = 'agent' }: HandsEvent): boolean {
  const isOwn = action !== undefined && action !== 'system' && action !== 'condensation';
  return isOwn && source === 'agent' && !BOOKKEEPING.has(action);
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

/** The text that a recall showed the model: repository instructions, and knowledge triggered by a word. */
function recalledText({ extras }: HandsEvent): string {
  const texts = TEXT_KEYS.map((key) => extras[key]);
  const knowledge = list
    .parse(extras['microagent_knowledge'])
    .map((piece) => (isObject(piece) ? piece['content'] : undefined));
  return [...texts, ...knowledge]
    .filter((text) => typeof text === 'string' && text !== '')
    .join('\n\n');
}

/** A content as text: a string, or its pieces line by line. */
function toText(content: unknown): string {
  if (typeof content === 'string') return content;
  return list
    .parse(content)
    .flatMap((piece) => (isObject(piece) && typeof piece['text'] === 'string' ? piece['text'] : []))
    .join('\n');
}

/** Recognizes errors, non-zero exit codes, and files that the editor refused to change. */
function hasFailed({ observation = '', content, extras }: HandsEvent): boolean {
  const metadata = extras['metadata'];
  const code = isObject(metadata) ? metadata['exit_code'] : undefined;
  if (typeof code === 'number' && code !== 0) return true;
  return (
    observation === 'error' ||
    (EDITOR_OBSERVATIONS.has(observation) && toText(content).startsWith(EDITOR_REFUSES))
  );
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

/** A string argument of an action; empty if it is absent. */
function argument({ args }: HandsEvent, key: string): string {
  const value = args[key];
  return typeof value === 'string' ? value : '';
}

/** Reads a condensation; one before all messages is only the start of the session. */
function readCondensation(reading: Reading, event: HandsEvent): void {
  const { dialogue, compactions, places } = reading;
  const count = dialogue.drafts.length;
  if (count > 0) compactions.push(toCompaction(event, places, count));
}

/** The compaction of a condensation, which forgets events and may have a summary. */
function toCompaction(
  { args }: HandsEvent,
  places: EventPlaces,
  messageIndex: number,
): RecordedCompaction {
  const { summary, ...forgotten } = argsSchema.parse(args);
  const firstKept = firstKeptPlace(lastForgottenId(forgotten), places);
  return {
    kind: 'full',
    trigger: 'auto',
    messageIndex,
    ...(summary !== undefined && { summary }),
    ...(firstKept !== undefined && { firstKeptMessageIndex: firstKept }),
  };
}

function firstKeptPlace(lastId: number | undefined, places: EventPlaces): number | undefined {
  if (lastId === undefined) return undefined;
  return [...places].find(([id]) => id > lastId)?.[1];
}

function lastForgottenId({
  forgotten_event_ids: ids,
  forgotten_events_end_id: endId,
}: Omit<z.infer<typeof argsSchema>, 'summary'>): number | undefined {
  const numbers = ids.filter((id) => typeof id === 'number');
  return endId ?? numbers.reduce<number | undefined>((a, b) => Math.max(a ?? b, b), undefined);
}

/** Reads an action. Several actions of one answer are one step, counted once. */
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

function idOf({ id }: HandsEvent): string | undefined {
  return id === undefined ? undefined : `event-${id}`;
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

/** The model's message with its calls; `undefined` where it is not kept. */
function answerOf({ tool_call_metadata: metadata }: HandsEvent) {
  return metadata?.model_response?.choices[0];
}

/** The call of an action; `undefined` for a message. */
function toCall(event: HandsEvent, tally: Tally): RecordedCall | undefined {
  const { action = 'unknown', tool_call_metadata: metadata } = event;
  if (metadata === undefined) return action === 'message' ? undefined : toPlainCall(event, action);
  const { tool_call_id: callId, function_name: name } = metadata;
  const calls = answerOf(event)?.tool_calls ?? [];
  const called = calls.find(({ id }) => id === callId)?.function;
  const tool = name ?? called?.name ?? action;
  if (called === undefined) return { ...toPlainCall(event, tool), callId };
  return { callId, tool, input: toInput(called.arguments, tally) };
}

function toPlainCall({ args }: HandsEvent, tool: string): RecordedCall {
  const input = Object.entries(args).filter(([key]) => !ADDED_ARGUMENTS.has(key));
  return { tool, input: Object.fromEntries(input) };
}

function readPrompt({ dialogue }: Reading, event: HandsEvent): void {
  const text = argument(event, 'content');
  const parts: DraftPart[] = text === '' ? [] : [{ type: 'text', text }];
  dialogue.addPrompt({ recordedId: idOf(event), createdAt: toTime(event.timestamp), parts });
}
