import type { AssistantMessage, Message } from '../../../engine/index.ts';
import type { RecordedCompaction, RecordedCost, Session, SideSessionLink } from '../session.ts';
import type { Tally } from '../reading/tally.ts';
import { addStep, type DraftMessage, finishMessages } from '../reading/transcript.ts';
import { type HeaderFields, type MessageFields, parseLine } from './parse.ts';
import { OWN_NAME } from './write.ts';

/** The header of a session and the records that follow it. */
export interface SessionRecords {
  readonly header: HeaderFields;
  readonly records: readonly unknown[];
}

interface Reading {
  readonly tally: Tally;
  readonly drafts: DraftMessage[];
  readonly fields: Map<DraftMessage, MessageFields>;
  /** Where the messages stand by where they were written; one that was lost is where the next one is. */
  readonly places: number[];
  readonly compactions: RecordedCompaction[];
}

/** A session without its name, while what is lost of it is still counted. */
export type UnnamedSession = Omit<Session, 'name' | 'report'>;

/** What the records tell; what is lost of them is counted. */
export function readSession({ header, records }: SessionRecords, tally: Tally): UnnamedSession {
  const reading: Reading = { tally, drafts: [], fields: new Map(), places: [], compactions: [] };
  for (const record of records) readLine(reading, record);
  const messages = finishMessages(reading.drafts, tally).map((message, index) =>
    withFields(message, fieldsAt(reading, index)),
  );
  const costs = costsOf(messages, reading);
  const { sideSessions = [], ...told } = header;
  const links = linksOf(messages, sideSessions);
  tally.drop('session of no call', sideSessions.length - links.length);
  return {
    format: OWN_NAME,
    isSide: false,
    isPartial: false,
    isOutputFinal: false,
    ...told,
    ...(links.length > 0 && { sideSessions: links }),
    messages,
    recordedCompactions: placeCompactions(reading),
    ...(costs.size > 0 && { recordedCosts: costs }),
  };
}

function readLine(reading: Reading, record: unknown): void {
  const { compactions, tally } = reading;
  const line = parseLine(record, tally);
  if (line?.type === 'message') addMessage(reading, line.message);
  else if (line?.type === 'lost-message') reading.places.push(reading.drafts.length);
  else if (line?.type === 'compaction') compactions.push(line.compaction);
  else if (line?.type === 'report') tally.add(line.report);
}

function addMessage({ drafts, fields, places, tally }: Reading, message: MessageFields): void {
  const { role, id: recordedId, createdAt = 0, parts } = message;
  const base = { recordedId, createdAt, parts: [...parts] };
  places.push(drafts.length);
  if (role === 'user') {
    drafts.push({ role, ...base });
    return;
  }
  const { parentId: recordedParentId, error, usage } = message;
  const step: DraftMessage = { role, ...base, recordedParentId, error, usage };
  addStep(drafts, step, tally);
  fields.set(step, message);
}

function fieldsAt({ drafts, fields }: Reading, index: number): MessageFields | undefined {
  const draft = drafts[index];
  return draft && fields.get(draft);
}

/** What a step has beside what its place gives it. */
function withFields(message: Message, fields: MessageFields | undefined): Message {
  if (message.role === 'user' || fields?.role !== 'assistant') return message;
  const { finish, model, summary } = fields;
  const { finish: usual, ...rest } = message;
  const step: AssistantMessage = {
    ...rest,
    ...(model !== undefined && { model }),
    ...(summary !== undefined && { summary }),
  };
  const ended = finish === undefined ? usual : finish;
  return ended === null || ended === undefined ? step : { ...step, finish: ended };
}

function linksOf(
  messages: readonly Message[],
  links: readonly SideSessionLink[],
): readonly SideSessionLink[] {
  const parts = messages.flatMap((message) => message.parts);
  const callIds = new Set(parts.flatMap((part) => (part.type === 'tool' ? part.callId : [])));
  return links.filter(({ callId }) => callIds.has(callId));
}

function costsOf(
  messages: readonly Message[],
  reading: Reading,
): ReadonlyMap<string, RecordedCost> {
  const entries = messages.flatMap(({ id }, index) => {
    const fields = fieldsAt(reading, index);
    const cost = fields?.role === 'assistant' ? fields.cost : undefined;
    return cost === undefined ? [] : [[id, cost] as const];
  });
  return new Map(entries);
}

function placeCompactions(reading: Reading): readonly RecordedCompaction[] {
  return reading.compactions
    .flatMap((compaction) => placeCompaction(reading, compaction))
    .toSorted((a, b) => a.messageIndex - b.messageIndex);
}

/** A compaction that nothing precedes is none of this session. */
function placeCompaction(
  reading: Reading,
  compaction: RecordedCompaction,
): readonly RecordedCompaction[] {
  const { firstKeptMessageIndex, ...rest } = compaction;
  const messageIndex = placeOf(reading, compaction.messageIndex);
  if (messageIndex === undefined || messageIndex === 0) {
    reading.tally.drop('compaction at no place of the session');
    return [];
  }
  const kept =
    firstKeptMessageIndex === undefined ? undefined : placeOf(reading, firstKeptMessageIndex);
  return [{ ...rest, messageIndex, ...(kept !== undefined && { firstKeptMessageIndex: kept }) }];
}

function placeOf({ places, drafts }: Reading, written: number): number | undefined {
  return written === places.length ? drafts.length : places[written];
}
