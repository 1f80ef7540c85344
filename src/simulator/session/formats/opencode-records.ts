import type { FilePart, ToolState, Usage } from '../../../engine/index.ts';
import { known } from '../../lib/collections.ts';
import { isObject } from '../../lib/json.ts';
import * as kit from '../reading/fields.ts';
import { countKinds, countsIn, splitOutput, type RecordedUsage } from '../reading/transcript.ts';

/** A message with its parts as they were recorded. */
export interface OpencodeMessage {
  readonly info: kit.Fields;
  readonly parts: kit.Objects;
}

export type OpencodeMessages = readonly OpencodeMessage[];

/** Messages and parts stored apart. */
export interface Pieces {
  readonly infos: kit.Objects;
  readonly parts: kit.Objects;
}

const CONTENT_TYPES = kit.wordsIn('text reasoning tool file');
const SILENT = kit.wordsIn('agent compaction patch retry snapshot');
/** Tolerance for recognizing a total that counts cached tokens twice. */
const DOUBLED_TOLERANCE_RATIO = 0.01;

/** The messages among some values; those without a role are counted. */
export function messagesIn(values: readonly unknown[], tally: kit.Tally): OpencodeMessages {
  const messages = values.flatMap((value) => {
    const { info, parts } = kit.fieldsOf(value);
    const role = kit.valueAt(info, 'role');
    const isSaid = role === 'user' || role === 'assistant';
    return isSaid ? [{ info: kit.fieldsOf(info), parts: kit.objectsIn(parts) }] : [];
  });
  tally.drop(kit.NO_ROLE, values.length - messages.length);
  return messages;
}

/** Joins messages with their parts, oldest first. The last record of an id holds, in the place of the first. */
export function gatherMessages(pieces: Pieces, tally: kit.Tally): OpencodeMessages {
  const infos = lastOfEach(pieces.infos);
  const parts = lastOfEach(pieces.parts);
  const byMessage = new Map<unknown, kit.Fields[]>(infos.map(({ id }) => [id, []]));
  for (const part of parts) byMessage.get(part['messageID'])?.push(part);
  const orphans = parts.filter(({ messageID }) => !byMessage.has(messageID));
  tally.drop('part without a message', orphans.length);
  let time = 0;
  const timed = infos.map((info) => {
    time = createdIn(info) ?? time;
    return { info, parts: byMessage.get(info['id']) ?? [], time, id: kit.orEmpty(info['id']) };
  });
  // Ids order messages of one moment; they restart at times.
  return timed.toSorted((a, b) => a.time - b.time || (a.id < b.id ? -1 : 1));
}

/** The time at which a message began, in ms. */
export function createdIn(info: kit.Fields): number | undefined {
  return kit.toMoment(kit.valueAt(info, 'time.created'));
}

/** Converts a part; unknown types are counted and left out. */
export function readPart(part: kit.Fields, tally: kit.Tally): readonly kit.DraftPart[] {
  const { type, text, tool, callID, synthetic, ignored, prompt, reason } = part;
  const id = kit.toId(part['id']);
  const said = kit.orEmpty(text);
  const snapshot = known({ snapshot: kit.toText(part['snapshot']) });
  if (type === 'text') {
    const shown = ignored === true && { ignored };
    const marks = { ...(synthetic === true && { synthetic }), ...shown };
    return [{ type, id, text: said, ...marks }];
  }
  if (type === 'reasoning') return said === '' ? [] : [{ type, id, text: said }];
  if (type === 'file') return [toFile(part)];
  if (type === 'tool') {
    const state = toState(kit.fieldsOf(part['state']), tally);
    return [{ type, id, callId: kit.toId(callID), tool: kit.toText(tool) ?? 'unknown', state }];
  }
  if (type === 'step-start') return [{ type, id, ...snapshot }];
  if (type === 'step-finish')
    return [{ type, id, reason: kit.toText(reason) ?? 'stop', ...snapshot }];
  if (type === 'subtask') return [{ type, id, prompt: kit.orEmpty(prompt) }];
  if (!SILENT.has(type)) tally.drop('part of unknown type');
  return [];
}

/** Texts of a message, line by line. */
export function textOf(parts: kit.Objects): string {
  return parts
    .filter(({ type }) => type === 'text')
    .map(({ text }) => kit.orEmpty(text))
    .join('\n');
}

/** Recognizes parts with content: texts, reasoning, tools and files. */
export function isContent({ type }: kit.Fields): boolean {
  return CONTENT_TYPES.has(type);
}

/** Splits a message by requests: up to 1.0.68 it held all up to the next prompt. Its finish and usage belong to the last. */
export function stepsOf({ info, parts }: OpencodeMessage): readonly OpencodeMessage[] {
  const lastIndex = parts.findLastIndex(isContent);
  const ends = parts.flatMap(({ type }, index) =>
    type === 'step-finish' && index < lastIndex ? [index + 1] : [],
  );
  const bounds = [0, ...ends, parts.length];
  let created = createdIn(info);
  return bounds.slice(1).map((end, index) => {
    const own = parts.slice(bounds[index], end);
    if (index > 0) created = startOf(own) ?? created;
    const isLast = end === parts.length;
    const ended = isLast ? {} : { finish: undefined, error: undefined, tokens: undefined };
    const messageId = kit.toId(info['id']);
    const id = messageId && index > 0 ? `${messageId}-step-${index + 1}` : messageId;
    const time = { ...kit.fieldsOf(info['time']), created };
    return { info: { ...info, ...ended, id, time }, parts: own };
  });
}

/** The session that a part started as a task; `undefined` if it started none. */
export function startedBy({ tool, state }: kit.Fields): string | undefined {
  return tool === 'task' ? kit.toText(kit.valueAt(state, 'metadata.sessionId')) : undefined;
}

/** The usage of a step; unknown as in `countKinds`, as for interrupted requests. */
export function toUsage(
  { info, parts }: OpencodeMessage,
  tally: kit.Tally,
): RecordedUsage | undefined {
  const finish = parts.findLast(({ type }) => type === 'step-finish');
  const [usage, other] = [info['tokens'], finish?.['tokens']].map((each) =>
    readTokens(each, tally),
  );
  return usage ?? other;
}

function lastOfEach(records: kit.Objects) {
  const byKey = new Map<unknown, kit.Fields>();
  for (const record of records) {
    const { id, messageID } = record;
    const key = kit.toText(id) === undefined ? record : JSON.stringify([id, kit.toText(messageID)]);
    byKey.set(key, record);
  }
  return [...byKey.values()];
}

function startOf(parts: kit.Objects) {
  const paths = ['time.start', 'state.time.start'];
  return parts.flatMap((part) =>
    paths.flatMap((path) => kit.toMoment(kit.valueAt(part, path)) ?? []),
  )[0];
}

function readTokens(recorded: unknown, tally: kit.Tally) {
  const counts = countsIn(recorded);
  const negative = Object.values(counts).filter((tokens = 0) => tokens < 0);
  tally.repair('negative token count', negative.length);
  const told = countKinds(counts);
  // Releases before 1.3.16 have reasoning in the output as well.
  const isInside = told?.total !== undefined && told.total === sumOf(told) - told.reasoning;
  const usage = isInside ? splitOutput(counts) : told;
  if (usage?.total === undefined || !isDoubled(usage, usage.total)) return usage;
  tally.repair('total that counts cached tokens twice');
  return { ...usage, total: sumOf(usage) };
}

/** Recognizes totals of two releases that added cached tokens to an input that held them. */
function isDoubled(usage: Usage, total: number) {
  const cached = usage.cacheRead + usage.cacheWrite;
  const doubled = usage.input + usage.output + 2 * cached;
  const isNear = (sum: number) => Math.abs(total - sum) <= sum * DOUBLED_TOLERANCE_RATIO;
  return isNear(doubled) && !isNear(sumOf(usage)) && !isNear(sumOf(usage) - usage.reasoning);
}

function sumOf({ input, output, reasoning, cacheRead, cacheWrite }: Usage) {
  return input + output + reasoning + cacheRead + cacheWrite;
}

function toFile({ id, mime, filename, url }: kit.Fields) {
  const mimeType = kit.toText(mime) ?? 'application/octet-stream';
  const named = known({ filename: kit.toText(filename) });
  const address = { mime: mimeType, url: kit.orEmpty(url) };
  return { type: 'file', id: kit.toId(id), ...address, ...named } as const;
}

function toState(state: kit.Fields, tally: kit.Tally): ToolState {
  const { status, input = {}, output, error, metadata, attachments } = state;
  if (status === 'pending' || status === 'running') return { status, input };
  if (status === 'error') {
    const { interrupted, output: printed } = kit.fieldsOf(metadata);
    const partialOutput = interrupted === true ? kit.toText(printed) : undefined;
    return { status, input, error: readOutput(error, tally), ...known({ partialOutput }) };
  }
  if (status !== 'completed') tally.repair('tool state of unknown status');
  if (status !== 'completed' && output === undefined) return { status: 'running', input };
  const files = kit.objectsIn(attachments).map((file): FilePart => {
    return { ...toFile(file), id: kit.toId(file['id']) ?? '' };
  });
  const told = { input, output: readOutput(output, tally) };
  return { status: 'completed', ...told, ...(files.length > 0 && { attachments: files }) };
}

/** The text of an output; sanitized exports may have an object instead. */
function readOutput(value: unknown, tally: kit.Tally) {
  if (typeof value === 'string') return value;
  tally.repair('tool output that is no text');
  return isObject(value) ? kit.orEmpty(value['redacted']) : '';
}
