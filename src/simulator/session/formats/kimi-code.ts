import { z } from 'zod';
import { isObject } from '../../lib/json.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import { createDialogue, type Dialogue } from '../reading/dialogue.ts';
import {
  atLeastZero,
  flag,
  list,
  maybeId,
  maybeNumber,
  maybeObject,
  maybeText,
  maybeTokens,
  mimeIn,
  toTime,
} from '../reading/lenient.ts';
import { createTally, dropUnknown, readRecordLines, type Tally } from '../reading/tally.ts';
import {
  type DraftMessage,
  type DraftPart,
  finishSession,
  type RecordedUsage,
  toEarlyFinish,
  withMessages,
} from '../reading/transcript.ts';
import { countKinds } from '../reading/usage.ts';
import { type RecordedCompaction, type Session, sessionName } from '../session.ts';

/** The settings of the next step. */
interface Settings {
  /** `provider/model` of the next step. */
  model: string | undefined;
  system: string | undefined;
}

interface Reading extends Settings {
  readonly tally: Tally;
  readonly dialogue: Dialogue;
  readonly steps: Map<string, DraftMessage>;
  readonly compactions: RecordedCompaction[];
  /** The prompt is that of a sub-agent. */
  isSide: boolean;
}

type WireRecord = z.infer<typeof recordSchema>;
type LoopEvent = NonNullable<WireRecord['event']>;
type Piece = z.infer<typeof pieceSchema>;

const pieceSchema = z.object({
  type: maybeText,
  text: maybeText,
  think: maybeText,
  imageUrl: maybeObject({ url: maybeText }),
  image_url: maybeObject({ url: maybeText }),
});

const usageSchema = maybeObject({
  inputOther: maybeTokens,
  output: maybeTokens,
  inputCacheRead: maybeTokens,
  inputCacheCreation: maybeTokens,
});

const recordSchema = z.object({
  type: maybeText,
  time: z.unknown().optional(),
  modelAlias: maybeText,
  systemPrompt: maybeText,
  message: maybeObject({
    role: maybeText,
    content: list,
    origin: maybeObject({ kind: maybeText, name: maybeText }),
  }),
  event: maybeObject({
    type: maybeText,
    uuid: maybeId,
    stepUuid: maybeId,
    part: z.unknown().optional(),
    toolCallId: maybeId,
    name: maybeText,
    args: z.unknown().optional(),
    result: maybeObject({
      output: z.unknown().optional(),
      isError: flag,
      /** Written for tools of which the model is told it. */
      durationMs: maybeNumber,
    }),
    usage: usageSchema,
    finishReason: maybeText,
  }),
  summary: z.unknown().optional(),
  contextSummary: maybeText,
  tokensBefore: maybeTokens,
  tokensAfter: maybeTokens,
});

const MESSAGE = 'context.append_message';
const EVENT = 'context.append_loop_event';

/** Records that change what the model sees in ways that are not followed. */
const NOT_FOLLOWED = new Set<string | undefined>([
  'context.snapshot',
  'context.undo',
  'micro_compaction.apply',
]);

/** Sessions of Kimi Code: the wire of one agent. */
export const kimiCode: SessionFormat = {
  label: 'Kimi Code wire (JSON lines)',
  certainty: 'mark',
  detect: (file) => file.lines().records.some(isMark),
  read: readWire,
  keeps: {
    tools: 'AgentSwarm CronCreate CronDelete CronList FetchURL ReadMediaFile TaskList TodoList',
  },
};

function isMark(record: unknown): boolean {
  if (!isObject(record)) return false;
  const { type, message, event } = record;
  return (type === MESSAGE && isObject(message)) || (type === EVENT && isObject(event));
}

/** Reads the conversations of a wire, one up to each clearing of the context. */
function readWire(file: SourceFile): readonly Session[] {
  const tally = createTally();
  const sections = splitAtClearings(readRecordLines(file.lines(), parseRecord, tally));
  let settings: Settings = { model: undefined, system: undefined };
  const sessions = sections.map((records, index) => {
    const reading = startReading(settings, index === 0 ? tally : createTally());
    for (const record of records) readRecord(reading, record);
    settings = reading;
    return {
      name: sessionName(file.name, { index, count: sections.length }),
      ...toSession(reading),
    };
  });
  return withMessages(sessions, file.name, 'a wire without messages');
}

/** Records by conversation: a clearing begins another, if a step came before and one follows. */
function splitAtClearings(records: readonly WireRecord[]): readonly (readonly WireRecord[])[] {
  const lastStep = records.findLastIndex(isStep);
  const sections: WireRecord[][] = [[]];
  for (const [index, record] of records.entries()) {
    const isCleared = record.type === 'context.clear' && index < lastStep;
    if (isCleared && sections.at(-1)?.some(isStep)) sections.push([]);
    sections.at(-1)?.push(record);
  }
  return sections;
}

function isStep({ type }: WireRecord): boolean {
  return type === EVENT;
}

function startReading({ model, system }: Settings, tally: Tally): Reading {
  const dialogue = createDialogue(tally);
  return { tally, dialogue, steps: new Map(), compactions: [], isSide: false, model, system };
}

function toSession(reading: Reading): Omit<Session, 'name'> {
  const { system, isSide, dialogue, compactions, tally } = reading;
  return {
    format: 'kimi-code',
    isSide,
    isPartial: false,
    ...(system !== undefined && { system }),
    recordedCompactions: compactions,
    isOutputFinal: true,
    ...finishSession(dialogue.end(), tally),
  };
}

function parseRecord(line: unknown): WireRecord | undefined {
  return recordSchema.safeParse(line).data;
}

/** Reads what belongs to the context; all else is bookkeeping. */
function readRecord(reading: Reading, record: WireRecord): void {
  const { type, event, modelAlias } = record;
  reading.model = modelAlias ?? reading.model;
  reading.system = record.systemPrompt ?? reading.system;
  if (type === MESSAGE) readMessage(reading, record);
  else if (type === EVENT && event !== undefined) readEvent(reading, record, event);
  else if (type === 'context.apply_compaction') readCompaction(reading, record);
  else if (NOT_FOLLOWED.has(type)) dropUnknown(reading.tally, [type]);
}

/** Reads a message of the user, or of a program in the user's place. */
function readMessage(reading: Reading, { message, time }: WireRecord): void {
  const { dialogue, tally } = reading;
  const { role, content = [], origin } = message ?? {};
  if (role !== 'user') return tally.drop('message without a role');
  const parts = content.flatMap((piece) => toParts(piece, tally));
  const isFirst = dialogue.drafts.length === 0 && origin?.name === 'subagent';
  reading.isSide ||= isFirst;
  if (isFirst || (origin?.kind ?? 'user') === 'user') {
    return dialogue.addPrompt({ createdAt: toTime(time), parts });
  }
  for (const part of parts) {
    dialogue.inject(part.type === 'text' ? { ...part, synthetic: true } : part);
  }
}

function toParts(value: unknown, tally: Tally): DraftPart[] {
  const piece: Piece = pieceSchema.safeParse(value).data ?? pieceSchema.parse({});
  const { text, think, image_url: image = piece.imageUrl } = piece;
  if (text !== undefined) return text === '' ? [] : [{ type: 'text', text }];
  if (think !== undefined) return think === '' ? [] : [{ type: 'reasoning', text: think }];
  if (image?.url !== undefined) {
    return [{ type: 'file', mime: mimeIn(image.url) ?? 'image/*', url: image.url }];
  }
  tally.drop('unknown content part');
  return [];
}

function readEvent(reading: Reading, { time }: WireRecord, event: LoopEvent): void {
  const { type, uuid, stepUuid = uuid, toolCallId: callId, name: tool = 'unknown' } = event;
  const { dialogue, tally } = reading;
  if (type === 'tool.result') return readResult(reading, event);
  const step = stepOf(reading, stepUuid, time);
  if (type === 'content.part') step.parts.push(...toParts(event.part, tally));
  else if (type === 'tool.call') dialogue.addCall(step, { callId, tool, input: event.args ?? {} });
  else if (type === 'step.end') {
    step.usage = toUsage(event.usage);
    step.finish = toEarlyFinish(event.finishReason);
  } else if (type !== 'step.begin') dropUnknown(tally, [type]);
}

/** The step of an event; the first event of a step begins it. */
function stepOf(reading: Reading, uuid: string | undefined, time: unknown): DraftMessage {
  const known = uuid === undefined ? undefined : reading.steps.get(uuid);
  if (known !== undefined) return known;
  const { dialogue, model } = reading;
  const step = dialogue.addStep({ createdAt: toTime(time), recordedId: uuid, parts: [], model });
  if (uuid !== undefined) reading.steps.set(uuid, step);
  return step;
}

function readResult({ dialogue, tally }: Reading, { toolCallId: key, result }: LoopEvent): void {
  const { output, isError = false, durationMs } = result ?? {};
  const pieces = typeof output === 'string' ? [{ text: output }] : list.parse(output);
  const parts = pieces.flatMap((piece) => toParts(piece, tally));
  const texts = parts.flatMap((part) => (part.type === 'text' ? part.text : []));
  const attachments = parts.flatMap((part) => (part.type === 'file' ? [{ ...part, id: '' }] : []));
  const told = [...wallTime(durationMs), ...texts].join('\n');
  const isFinished =
    key !== undefined && dialogue.finishCall({ key, output: told, isError, attachments });
  if (!isFinished) tally.drop('tool result without a call');
}

/** The line before an output that Kimi Code adds while it sends. Source: its release 2.1.0, observed. */
function wallTime(durationMs: number | undefined): readonly string[] {
  return durationMs === undefined ? [] : [`Wall time: ${(durationMs / 1000).toFixed(3)} seconds`];
}

function toUsage(usage: LoopEvent['usage']): RecordedUsage | undefined {
  return countKinds({
    input: usage?.inputOther,
    output: usage?.output,
    cacheRead: usage?.inputCacheRead,
    cacheWrite: usage && atLeastZero(usage.inputCacheCreation),
  });
}

function readCompaction({ dialogue, compactions }: Reading, record: WireRecord): void {
  const { summary, contextSummary, tokensBefore, tokensAfter } = record;
  const messageIndex = dialogue.drafts.length;
  const text = contextSummary ?? summary;
  if (messageIndex === 0) return;
  compactions.push({
    kind: 'full',
    messageIndex,
    ...(tokensBefore !== undefined && { tokensBefore }),
    ...(tokensAfter !== undefined && { tokensAfter }),
    ...(typeof text === 'string' && { summary: text }),
  });
}
