import { z } from 'zod';
import { isObject } from '../../lib/json.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import { textOf, toParts } from '../reading/content.ts';
import type { RecordedCall } from '../reading/dialogue.ts';
import {
  list,
  listOf,
  maybeId,
  maybeNumber,
  maybeObject,
  maybeText,
  recordOf,
  toId,
  toList,
  toModelName,
  toText,
  toTime,
} from '../reading/lenient.ts';
import { createRecording, type Facts, type Recording } from '../reading/recording.ts';
import { countLineFaults, type Tally, toInput } from '../reading/tally.ts';
import { type DraftMessage, type DraftPart, withMessages } from '../reading/transcript.ts';
import { toChatUsage } from '../reading/usage.ts';
import { type Session, sessionName } from '../session.ts';

/** A task of an evaluation with its history. */
type Instance = z.infer<typeof instanceSchema>;

interface Reading {
  readonly recording: Recording;
  /** Messages before each event, by event id. */
  readonly places: Map<number, number>;
  /** The last step with the id of its answer; several actions may share one answer. */
  answered?: { readonly step: DraftMessage; readonly responseId: string };
  system?: string;
}

/** An action or an observation. */
type HandsEvent = z.infer<typeof eventSchema>;

const instanceSchema = z.object({
  instance_id: z.union([z.string(), z.number().transform(String)]),
  instruction: maybeText,
  history: z.array(z.unknown()),
});

const answerSchema = maybeObject({
  content: z.unknown().optional(),
  reasoning_content: maybeText,
  tool_calls: listOf(
    z.object({
      id: maybeId,
      function: maybeObject({ name: maybeText, arguments: z.unknown().optional() }),
    }),
  ),
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
  tool_call_metadata: maybeObject({
    function_name: maybeText,
    tool_call_id: maybeId,
    model_response: maybeObject({
      id: maybeId,
      model: maybeText,
      usage: z.unknown().optional(),
      choices: listOf(z.object({ message: answerSchema })),
    }),
  }),
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
const REFUSAL = 'ERROR:\n';

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
  const sessions = instances.map((instance, index) => {
    const recording = createRecording();
    if (index === first) {
      const lost = instances.filter((each) => each === undefined).length;
      countLineFaults(file.lines(), recording.tally);
      recording.tally.drop('line that is no instance', lost);
    }
    const facts = instance && readInstance(recording, instance);
    const name = sessionName(file.name, { index, count: instances.length });
    return { name, ...recording.finish('openhands', facts) };
  });
  return withMessages(sessions, file.name, 'instances without messages');
}

/** Reads the history of an instance; its instruction replaces a missing prompt. */
function readInstance(recording: Recording, instance: Instance): Facts {
  const { instruction, instance_id: sessionId } = instance;
  const history = instance.history.flat();
  const events = history.flatMap((value) => parseEvent(value) ?? []);
  recording.tally.drop('unknown event', history.length - events.length);
  const reading: Reading = { recording, places: new Map() };
  for (const event of events) {
    const { id, timestamp } = event;
    if (instruction !== undefined && recording.drafts.length === 0 && isStep(event)) {
      const parts: DraftPart[] = [{ type: 'text', text: instruction }];
      recording.addPrompt({ createdAt: toTime(timestamp), parts });
    }
    if (id !== undefined) reading.places.set(id, recording.drafts.length);
    if (event.action === undefined) readObservation(recording, event);
    else readAction(reading, event);
  }
  return { sessionId, system: reading.system, isOutputFinal: true };
}

/** Recognizes actions of a model. Old recordings name no source and hold only those. */
function isStep({ action, source = 'agent' }: HandsEvent): boolean {
  const isOwn = action !== undefined && action !== 'system' && action !== 'condensation';
  return isOwn && source === 'agent' && !BOOKKEEPING.has(action);
}

function readObservation(recording: Recording, event: HandsEvent): void {
  const { cause, id, observation } = event;
  if (observation === 'recall') return recording.inject(recalledText(event));
  if (BOOKKEEPING.has(observation)) return;
  const key = cause === undefined ? undefined : String(cause);
  const output = textOf(event.content);
  const isNamed = key !== undefined || id === undefined;
  if (isNamed && recording.finishCall({ key, output, isError: hasFailed(event) })) return;
  if (output !== '') recording.tally.repair('tool result kept as a text');
  recording.inject(output);
}

/** The text that a recall showed the model: repository instructions, and knowledge triggered by a word. */
function recalledText({ extras }: HandsEvent): string {
  const texts = TEXT_KEYS.map((key) => extras[key]);
  const pieces = toList(extras['microagent_knowledge']);
  const knowledge = pieces.map((piece) => (isObject(piece) ? piece['content'] : undefined));
  return [...texts, ...knowledge].flatMap((text) => toId(text) ?? []).join('\n\n');
}

/** Recognizes errors, non-zero exit codes, and files that the editor refused to change. */
function hasFailed({ observation = '', content, extras }: HandsEvent): boolean {
  const metadata = extras['metadata'];
  const code = isObject(metadata) ? metadata['exit_code'] : undefined;
  if (typeof code === 'number' && code !== 0) return true;
  const isRefused = EDITOR_OBSERVATIONS.has(observation) && textOf(content).startsWith(REFUSAL);
  return observation === 'error' || isRefused;
}

function readAction(reading: Reading, event: HandsEvent): void {
  const { recording, places } = reading;
  const { action = '', source, args, timestamp } = event;
  const content = toText(args['content']) ?? '';
  if (BOOKKEEPING.has(action)) return;
  if (action === 'system') reading.system ??= content;
  else if (action === 'condensation') {
    // One before all messages is only the start of the session.
    const { summary, ...forgotten } = argsSchema.parse(args);
    const lastId = lastForgottenId(forgotten);
    const firstKept = lastId === undefined ? undefined : [...places].find(([id]) => id > lastId);
    recording.addCompaction({ trigger: 'auto', summary, firstKeptMessageIndex: firstKept?.[1] });
  } else if (isStep(event)) readStep(reading, event);
  else if (action === 'message' && source === 'user') {
    recording.addPrompt({
      recordedId: idOf(event),
      createdAt: toTime(timestamp),
      parts: toParts(content, recording.tally),
    });
  } else recording.tally.drop('unknown event');
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
  const { recording, answered } = reading;
  const response = event.tool_call_metadata?.model_response;
  const responseId = response?.id;
  const isSame = responseId !== undefined && answered?.responseId === responseId;
  const step = isSame
    ? answered.step
    : recording.addStep({
        recordedId: responseId ?? idOf(event),
        createdAt: toTime(event.timestamp),
        parts: stepParts(event, recording.tally),
        model: response?.model === undefined ? undefined : toModelName(response.model),
        usage: toChatUsage(response?.usage),
      });
  if (responseId !== undefined) reading.answered = { step, responseId };
  const call = toCall(event, recording.tally);
  if (call === undefined) return;
  recording.addCall(step, call, event.id === undefined ? call.callId : String(event.id));
}

function idOf({ id }: HandsEvent): string | undefined {
  return id === undefined ? undefined : `event-${id}`;
}

function stepParts(event: HandsEvent, tally: Tally): DraftPart[] {
  const answer = answerOf(event);
  const said = toText(event.args[event.action === 'message' ? 'content' : 'thought']);
  return [
    ...toParts([{ thinking: answer?.reasoning_content ?? '' }], tally),
    ...toParts(answer === undefined ? said : textOf(answer.content), tally),
  ];
}

/** The model's message with its calls; `undefined` where it is not kept. */
function answerOf({ tool_call_metadata: metadata }: HandsEvent) {
  return metadata?.model_response?.choices[0]?.message;
}

/** The call of an action; `undefined` for a message. */
function toCall(event: HandsEvent, tally: Tally): RecordedCall | undefined {
  const { action = 'unknown', args, tool_call_metadata: metadata } = event;
  if (metadata === undefined && action === 'message') return undefined;
  const { tool_call_id: callId, function_name: name } = metadata ?? {};
  const calls = metadata === undefined ? [] : (answerOf(event)?.tool_calls ?? []);
  const called = calls.find(({ id }) => id === callId)?.function;
  const tool = name ?? called?.name ?? action;
  if (called !== undefined) return { callId, tool, input: toInput(called.arguments, tally) };
  const input = Object.entries(args).filter(([key]) => !ADDED_ARGUMENTS.has(key));
  return { callId, tool, input: Object.fromEntries(input) };
}
