import { z } from 'zod';
import type { AssistantMessage, Message, ToolState } from '../../../engine/index.ts';
import { HarnessError } from '../../lib/errors.ts';
import { describeMismatch, describeValue, isObject } from '../../lib/json.ts';
import { quotedLong } from '../../lib/names.ts';
import { type JsonValues, readJsonLine } from '../files/source-file.ts';
import type { PlacedSession, SourceFile, SourceLine, StreamedFormat } from '../format.ts';
import { createTally, dropUnknown, type Tally } from '../reading/tally.ts';
import {
  addStep,
  type DraftMessage,
  type DraftPart,
  finishMessages,
  toRecordedWindows,
} from '../reading/transcript.ts';
import {
  type RecordedCompaction,
  type RecordedCost,
  type Session,
  sessionName,
  type SideSessionLink,
} from '../session.ts';
import {
  CompactionLine,
  HeaderLine,
  MARK,
  OWN_NAME,
  PartValue,
  PromptLine,
  ReportLine,
  StepLine,
  VERSION,
} from './canonical-lines.ts';

/** The start of a session in its file, and the losses since. */
type Place = Pick<Section, 'startByte' | 'tally'>;

/** A session held back until the next one shows where it ends and that it is not the only one. */
interface HeldSession extends Place {
  readonly session: UnnamedSession;
  readonly index: number;
}

type Fields = Readonly<Record<string, unknown>>;

/** A header with the records up to the next one; the first also has all before it. */
interface Section {
  readonly header: Fields;
  /** Of the header, from 1. */
  readonly lineNumber: number;
  /** Offset in the file; absent inside a line, or where it is unknown. */
  readonly startByte: number | undefined;
  readonly records: readonly Fields[];
  /** Losses among its lines. */
  readonly tally: Tally;
}

/** A section that is still read, perhaps without a header. */
type OpenSection = Omit<Section, 'header' | 'records'> & {
  readonly header?: Fields;
  readonly records: Fields[];
};

/** The header of a session and the records that follow it. */
interface SessionRecords {
  readonly header: HeaderFields;
  readonly records: readonly unknown[];
}

interface Reading {
  readonly tally: Tally;
  readonly drafts: DraftMessage[];
  readonly fields: Map<DraftMessage, MessageFields>;
  /** Message indices by written index; a lost message has that of the next one. */
  readonly places: number[];
  readonly compactions: RecordedCompaction[];
}

/** A session without its name, while its losses are still counted. */
type UnnamedSession = Omit<Session, 'name' | 'report'>;

/** The fields of a header. */
type HeaderFields = Omit<z.infer<typeof HeaderLine>, typeof MARK.key | 'version'>;

/** A line of a session below its header. */
type Line =
  | { readonly type: 'message'; readonly message: MessageFields }
  | { readonly type: 'lost-message' }
  | { readonly type: 'compaction'; readonly compaction: CompactionFields }
  | { readonly type: 'report'; readonly report: ReportFields };

type CompactionFields = Omit<z.infer<typeof CompactionLine>, 'type'>;
type ReportFields = Omit<z.infer<typeof ReportLine>, 'type'>;

type PartFields = z.infer<typeof PartValue>;
type StateFields = Extract<PartFields, { type: 'tool' }>['state'];

/** A message with its readable parts. */
type MessageFields = (z.infer<typeof LoosePrompt> | z.infer<typeof LooseStep>) & {
  readonly parts: readonly DraftPart[];
};

/** The written start of a header; quotes in strings are escaped, so no torn string contains it. */
const HEADER_START = new RegExp(`(?=\\{"${MARK.key}":"${MARK.value}")`);

/** Parts are parsed apart, so that an unreadable one does not lose its message. */
const LoosePrompt = PromptLine.omit({ parts: true });
const LooseStep = StepLine.omit({ parts: true });

/** Sessions as this program writes them: a header, then one record a line. */
export const canonical: StreamedFormat = {
  label: 'compaction-bench session (JSON lines)',
  certainty: 'mark',
  detect: hasHeader,
  readEach,
  keeps: {
    reasons: 'at be before below cannot first header key place read report such',
  },
};

function hasHeader(file: SourceFile): boolean {
  for (const { text } of file.linesWith(`"${MARK.key}"`)) {
    if (readLine(text).values.some(isHeader)) return true;
  }
  return false;
}

/** The values on one line; in a broken line, a header may follow the rest of another record. */
function readLine(text: string): JsonValues {
  const line = readJsonLine(text);
  if (!line.isBroken) return line;
  const pieces = text.split(HEADER_START).map(readJsonLine);
  return { values: pieces.flatMap(({ values }) => values), isBroken: true };
}

function isHeader(record: unknown): record is Readonly<Record<string, unknown>> {
  return isObject(record) && Object.hasOwn(record, MARK.key) && record[MARK.key] === MARK.value;
}

/** Yields each session once the next one is read. Losses between two count for the former; losses before the first count for the first. */
function* readEach(file: SourceFile): Generator<PlacedSession, void, undefined> {
  let before: Place | undefined;
  let held: HeldSession | undefined;
  let fault: HarnessError | undefined;
  for (const section of splitSections(file.takeLines())) {
    if (section.header['version'] !== VERSION) {
      if (held !== undefined) yield toPlaced(held, file, section);
      throw otherVersion(file, section);
    }
    const session = readSection(section);
    // Of the section itself nothing is kept.
    const { startByte, tally } = held === undefined ? joinPlaces(before, section) : section;
    if (session !== undefined) {
      if (held !== undefined) yield toPlaced(held, file, section);
      held = { startByte, tally, session, index: held === undefined ? 0 : held.index + 1 };
    } else if (held !== undefined) held.tally.add(section.tally.toReport());
    else {
      before = { startByte, tally };
      fault ??= badHeader(file.name, section);
    }
  }
  if (held === undefined) throw fault ?? expected(file, 'to hold a conversation', 'no messages');
  yield toPlaced(held, file);
}

function* splitSections(lines: Iterable<SourceLine>): Generator<Section, void, undefined> {
  let open: OpenSection | undefined;
  let lineNumber = 0;
  for (const { text, startByte } of lines) {
    lineNumber++;
    open ??= openSection(startByte);
    const line = readLine(text);
    for (const [index, value] of line.values.entries()) {
      if (isHeader(value) && isSection(open)) {
        yield open;
        open = openSection(index === 0 ? startByte : undefined);
      }
      if (isHeader(value)) open = { ...open, header: value, lineNumber };
      else addRecord(open, value);
    }
    countLosses(open, line);
  }
  if (open !== undefined && isSection(open)) yield open;
}

function openSection(startByte: number | undefined): OpenSection {
  return { startByte, lineNumber: 0, records: [], tally: createTally() };
}

function isSection(open: OpenSection): open is OpenSection & Section {
  return open.header !== undefined;
}

function addRecord({ header, records, tally }: OpenSection, value: unknown): void {
  if (!isObject(value)) tally.drop('line that is no object');
  else if (header === undefined) tally.drop('line before the first header');
  else records.push(value);
}

function countLosses({ tally }: OpenSection, { values, isBroken }: JsonValues): void {
  if (isBroken) tally.drop('broken line');
  tally.repair('record on the line of another', values.length - 1);
}

/** A session that ends at the next one, or with the file. */
function toPlaced(held: HeldSession, { name }: SourceFile, next?: Section): PlacedSession {
  const { session, index, tally, startByte } = held;
  const count = index + (next === undefined ? 1 : 2);
  const named = {
    name: sessionName(name, { index, count }),
    ...session,
    report: tally.toReport(),
  };
  const endByte = next?.startByte;
  const hasRange = startByte !== undefined && (next === undefined || endByte !== undefined);
  if (!hasRange) return { session: named };
  return { session: named, range: { startByte, ...(endByte !== undefined && { endByte }) } };
}

function otherVersion(file: SourceFile, { header: { version } }: Section): HarnessError {
  return expected(file, `to hold sessions of version ${VERSION}`, describeVersion(version));
}

function expected({ name }: SourceFile, what: string, got: string): HarnessError {
  return new HarnessError('BAD_SESSION', `Expected ${quotedLong(name)} ${what}, got ${got}.`);
}

function describeVersion(version: unknown): string {
  if (version === undefined || version === null) return 'none';
  const shown = `version ${describeValue(version)}`;
  return typeof version === 'number' && version > VERSION ? `${shown} of a newer release` : shown;
}

/** The session of a section; `undefined` where it has none. */
function readSection({ header, records, tally }: Section): UnnamedSession | undefined {
  const fields = parseHeader(header, tally);
  if (fields === undefined) {
    tally.drop('header that cannot be read');
    tally.drop('line below such a header', records.length);
    return undefined;
  }
  const session = readSession({ header: fields, records }, tally);
  return session.messages.length > 0 ? session : undefined;
}

function parseHeader(record: unknown, tally: Tally): HeaderFields | undefined {
  const header = parseAs(HeaderLine, record, tally);
  if (header === undefined) return undefined;
  const { [MARK.key]: _mark, version: _version, ...fields } = header;
  return fields;
}

function parseAs<Value>(schema: z.ZodType<Value>, given: unknown, tally: Tally): Value | undefined {
  const read = schema.safeParse(given).data;
  if (read !== undefined) tally.drop('unknown key', countUnknownKeys(given, read));
  return read;
}

/** Counts the keys of a JSON value that this version does not know. */
function countUnknownKeys(given: unknown, read: unknown): number {
  if (given === read || !isNested(given) || !isNested(read)) return 0;
  const unknown = Object.keys(given).filter((key) => !Object.hasOwn(read, key) && isName(key));
  return Object.keys(read).reduce(
    (sum, key) => sum + countUnknownKeys(Reflect.get(given, key), Reflect.get(read, key)),
    unknown.length,
  );
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** No version will have this key. */
function isName(key: string): boolean {
  return key !== '__proto__';
}

/** Builds a session from its records and counts those that are lost. */
function readSession({ header, records }: SessionRecords, tally: Tally): UnnamedSession {
  const reading: Reading = { tally, drafts: [], fields: new Map(), places: [], compactions: [] };
  for (const record of records) readLineOfRead(reading, record);
  const messages = finishMessages(reading.drafts, tally).map((message, index) =>
    withFields(message, fieldsAt(reading, index)),
  );
  const costs = costsOf(messages, reading);
  const { sideSessions = [], recordedWindows = [], ...told } = header;
  const links = linksOf(messages, sideSessions);
  tally.drop('session of no call', sideSessions.length - links.length);
  return {
    format: OWN_NAME,
    isSide: false,
    isPartial: false,
    isOutputFinal: false,
    ...told,
    ...(links.length > 0 && { sideSessions: links }),
    ...toRecordedWindows(
      recordedWindows.map((window) => ({
        ...window,
        messageIndex: placeOf(reading, window.messageIndex) ?? reading.drafts.length,
      })),
    ),
    messages,
    recordedCompactions: placeCompactions(reading),
    ...(costs.size > 0 && { recordedCosts: costs }),
  };
}

function readLineOfRead(reading: Reading, record: unknown): void {
  const { compactions, tally } = reading;
  const line = parseLine(record, tally);
  if (line?.type === 'message') addMessage(reading, line.message);
  else if (line?.type === 'lost-message') reading.places.push(reading.drafts.length);
  else if (line?.type === 'compaction') compactions.push(line.compaction);
  else if (line?.type === 'report') tally.add(line.report);
}

/** Parses a record; `undefined` for an unknown type. Losses are counted. */
function parseLine(record: unknown, tally: Tally): Line | undefined {
  const { type } = isObject(record) ? record : {};
  if (type === 'message') return toMessage(record, tally);
  if (type === 'compaction') {
    const { type: _type, ...compaction } = parseAs(CompactionLine, record, tally) ?? {};
    if ('kind' in compaction) return { type, compaction };
    tally.drop('compaction that cannot be read');
  } else if (type === 'report') {
    const report = parseAs(ReportLine, record, tally);
    if (report !== undefined) return { type, report };
    tally.drop('report that cannot be read');
  } else dropUnknown(tally, [typeof type === 'string' ? type : undefined]);
  return undefined;
}

function toMessage(record: unknown, tally: Tally): Line {
  const { role, parts, ...own } = isObject(record) ? record : {};
  const schema = role === 'user' ? LoosePrompt : LooseStep;
  const message = parseAs<z.infer<typeof LoosePrompt> | z.infer<typeof LooseStep>>(
    schema,
    { role, ...own },
    tally,
  );
  if (message === undefined || !(parts === undefined || Array.isArray(parts))) {
    tally.drop('message that cannot be read');
    return { type: 'lost-message' };
  }
  return { type: 'message', message: { ...message, parts: parseParts(parts ?? [], tally) } };
}

function parseParts(values: readonly unknown[], tally: Tally): readonly DraftPart[] {
  const parts = values.flatMap((value) => {
    const part = parseAs(PartValue, value, tally);
    return part === undefined ? [] : [toDraft(part)];
  });
  tally.drop('part that cannot be read', values.length - parts.length);
  return parts;
}

function toDraft(part: PartFields): DraftPart {
  return part.type === 'tool' ? { ...part, state: toState(part.state) } : part;
}

/** Gives files an empty id where they have none; `finishMessages` fills it. */
function toState(state: StateFields): ToolState {
  if (state.status !== 'completed') return state;
  const { attachments, ...rest } = state;
  const files = attachments?.map((file) => ({ ...file, id: file.id ?? '' }));
  return { ...rest, ...(files !== undefined && { attachments: files }) };
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

/** Adds the fields of a step that its position does not imply. */
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

function fieldsAt({ drafts, fields }: Reading, index: number): MessageFields | undefined {
  const draft = drafts[index];
  return draft && fields.get(draft);
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

function linksOf(
  messages: readonly Message[],
  links: readonly SideSessionLink[],
): readonly SideSessionLink[] {
  const parts = messages.flatMap((message) => message.parts);
  const callIds = new Set(parts.flatMap((part) => (part.type === 'tool' ? part.callId : [])));
  return links.filter(({ callId }) => callIds.has(callId));
}

function placeCompactions(reading: Reading): readonly RecordedCompaction[] {
  return reading.compactions
    .flatMap((compaction) => placeCompaction(reading, compaction))
    .toSorted((a, b) => a.messageIndex - b.messageIndex);
}

/** Places a compaction among the messages; none where all messages before it are lost. */
function placeCompaction(
  reading: Reading,
  compaction: RecordedCompaction,
): readonly RecordedCompaction[] {
  const { firstKeptMessageIndex, ...rest } = compaction;
  const messageIndex = placeOf(reading, compaction.messageIndex);
  const isLost = messageIndex === 0 && compaction.messageIndex > 0;
  if (messageIndex === undefined || isLost) {
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

function joinPlaces(before: Place | undefined, place: Place): Place {
  if (before === undefined) return place;
  before.tally.add(place.tally.toReport());
  return before;
}

/** The error for a file whose only header cannot be read: field, expected, got. */
function badHeader(name: string, { header, lineNumber }: Section): HarnessError | undefined {
  const { error } = HeaderLine.safeParse(header, { reportInput: true });
  const [fault] = error?.issues ?? [];
  if (fault === undefined) return undefined;
  const message = `Expected ${quotedLong(name)} to hold a conversation`;
  const place = `its header in line ${lineNumber} cannot be read`;
  return new HarnessError('BAD_SESSION', `${message}, but ${place}: ${describeIssue(fault)}.`);
}

function describeIssue(issue: z.core.$ZodIssue): string {
  const field = quotedLong(z.core.toDotPath(issue.path));
  return `at ${field} ${describeMismatch(issue)}`;
}
