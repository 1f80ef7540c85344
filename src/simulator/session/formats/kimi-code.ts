import { z } from 'zod';
import { isObject } from '../../lib/json.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import { asInjected, blocks, toOutput, toParts } from '../reading/content.ts';
import {
  atLeastZero,
  flag,
  maybeId,
  maybeNumber,
  maybeObject,
  maybeText,
  maybeTokens,
  toTime,
} from '../reading/lenient.ts';
import { type Facts, readRecordings, type Recording } from '../reading/recording.ts';
import { createTally, dropUnknown, readRecordLines } from '../reading/tally.ts';
import { type DraftMessage, toEarlyFinish } from '../reading/transcript.ts';
import { countKinds } from '../reading/usage.ts';
import type { Session } from '../session.ts';

type WireRecord = z.infer<typeof recordSchema>;

/** The settings of the next step. */
type Settings = Pick<Facts, 'model' | 'system'>;

const recordSchema = z.object({
  type: maybeText,
  time: z.unknown().optional(),
  modelAlias: maybeText,
  systemPrompt: maybeText,
  message: maybeObject({
    role: maybeText,
    content: blocks,
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
    usage: maybeObject({
      inputOther: maybeTokens,
      output: maybeTokens,
      inputCacheRead: maybeTokens,
      inputCacheCreation: maybeTokens,
    }),
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
  const records = readRecordLines(file.lines(), (line) => recordSchema.safeParse(line).data, tally);
  const sections = splitAtClearings(records);
  let settings: Settings = {};
  return readRecordings(file, sections, {
    format: 'kimi-code',
    empty: 'a wire without messages',
    tally,
    read: (recording, section) => {
      const { model, ...facts } = readSection(recording, section, settings);
      settings = { model, system: facts.system };
      return { ...facts, isOutputFinal: true };
    },
  });
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

/** Reads what belongs to the context; all else is bookkeeping. */
function readSection(
  recording: Recording,
  records: readonly WireRecord[],
  { model, system }: Settings,
): Facts {
  const steps = new Map<string, DraftMessage>();
  let isSide = false;
  for (const record of records) {
    const { type, modelAlias, systemPrompt, tokensBefore, tokensAfter } = record;
    model = modelAlias ?? model;
    system = systemPrompt ?? system;
    if (type === MESSAGE) isSide = readMessage(recording, record) || isSide;
    else if (type === EVENT) readEvent(recording, record, { steps, model });
    else if (type === 'context.apply_compaction') {
      const summary = record.contextSummary ?? record.summary;
      const text = typeof summary === 'string' ? summary : undefined;
      recording.addCompaction({ tokensBefore, tokensAfter, summary: text });
    } else if (NOT_FOLLOWED.has(type)) dropUnknown(recording.tally, [type]);
  }
  return { model, system, isSide };
}

/** Reads a message of the user, or of a program in the user's place. Returns true for the prompt of a sub-agent. */
function readMessage(recording: Recording, { message, time }: WireRecord): boolean {
  const { role, content, origin } = message ?? {};
  if (role !== 'user') {
    recording.tally.drop('message without a role');
    return false;
  }
  const parts = toParts(content, recording.tally);
  const isSide = recording.drafts.length === 0 && origin?.name === 'subagent';
  const isPrompt = isSide || (origin?.kind ?? 'user') === 'user';
  if (isPrompt) recording.addPrompt({ createdAt: toTime(time), parts });
  else for (const part of parts) recording.inject(asInjected(part));
  return isSide;
}

/** Reads an event of a step; the first one begins it. */
function readEvent(
  recording: Recording,
  { event, time }: WireRecord,
  {
    steps,
    model,
  }: { readonly steps: Map<string, DraftMessage>; readonly model: string | undefined },
): void {
  if (event === undefined) return;
  const { type, uuid, stepUuid = uuid, toolCallId: callId, name: tool = 'unknown', usage } = event;
  const { tally } = recording;
  if (type === 'tool.result') {
    const { output: content, isError = false, durationMs } = event.result ?? {};
    const told = toOutput(content, tally);
    const output = [...wallTime(durationMs), ...(told.output === '' ? [] : [told.output])].join(
      '\n',
    );
    recording.addResult(callId, { ...told, output, isError });
    return;
  }
  const step =
    steps.get(stepUuid ?? '') ??
    recording.addStep({ createdAt: toTime(time), recordedId: stepUuid, parts: [], model });
  if (stepUuid !== undefined) steps.set(stepUuid, step);
  if (type === 'content.part') step.parts.push(...toParts([event.part], tally));
  else if (type === 'tool.call') recording.addCall(step, { callId, tool, input: event.args ?? {} });
  else if (type === 'step.end') {
    step.usage = countKinds({
      input: usage?.inputOther,
      output: usage?.output,
      cacheRead: usage?.inputCacheRead,
      cacheWrite: usage && atLeastZero(usage.inputCacheCreation),
    });
    step.finish = toEarlyFinish(event.finishReason);
  } else if (type !== 'step.begin') dropUnknown(tally, [type]);
}

/** The line before an output that Kimi Code adds while it sends. Source: its release 2.1.0, observed. */
function wallTime(durationMs: number | undefined): readonly string[] {
  return durationMs === undefined ? [] : [`Wall time: ${(durationMs / 1000).toFixed(3)} seconds`];
}
