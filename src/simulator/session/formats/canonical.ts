import { z } from 'zod';
import type { Message } from '../../../engine/index.ts';
import { known } from '../../lib/collections.ts';
import { HarnessError } from '../../lib/errors.ts';
import { describeMismatch, describeValue, isObject } from '../../lib/json.ts';
import { quotedLong } from '../../lib/names.ts';
import { readJsonLine } from '../files/source-file.ts';
import type { PlacedSessions, SourceFile, SourceLine, StreamedFormat } from '../format.ts';
import { createTally, type DraftPart, type Fields, type Tally } from '../reading/fields.ts';
import * as made from '../reading/transcript.ts';
import { type RecordedCompaction, type Session, sessionName } from '../session.ts';
import * as lines from './canonical-lines.ts';

/** A header with the records up to the next one; the first also has all before it. */
interface Section {
  readonly header: Fields;
  /** Of the header, from 1; 0 where it is still to come. */
  readonly lineNumber: number;
  /** Offset in the file; absent inside a line, or where it is unknown. */
  readonly startByte: number | undefined;
  readonly records: Fields[];
  readonly tally: Tally;
}

/** A session held back until the next one shows where it ends and that it is not the only one; at first only what precedes it. */
interface HeldSession extends Pick<Section, 'startByte' | 'tally'> {
  readonly session: UnnamedSession | undefined;
  readonly index: number;
}

interface Reading {
  readonly tally: Tally;
  readonly drafts: made.DraftMessage[];
  readonly steps: Map<made.DraftMessage | undefined, StepFields>;
  /** Message indices by written index; a lost message has that of the next one. */
  readonly places: number[];
  readonly compactions: RecordedCompaction[];
}

type UnnamedSession = Omit<Session, 'name' | 'report'>;

type StepFields = z.infer<typeof LooseStep>;

/** Parts are parsed apart, so that an unreadable one does not lose its message. */
const LoosePrompt = lines.PromptLine.omit({ parts: true });
const LooseStep = lines.StepLine.omit({ parts: true });

/** Sessions as this program writes them: a header, then one record a line. */
export const canonical: StreamedFormat = {
  label: 'compaction-bench session (JSON lines)',
  detect: (file) => {
    for (const { text } of file.linesWith(`"${lines.MARK.key}"`)) {
      if (readJsonLine(text).values.some(isHeader)) return true;
    }
    return false;
  },
  readEach,
};

function isHeader(record: unknown): record is Fields {
  return (
    isObject(record) &&
    Object.hasOwn(record, lines.MARK.key) &&
    record[lines.MARK.key] === lines.MARK.value
  );
}

/** Yields each session once the next one is read. Losses between two count for the former; losses before the first count for the first. */
function* readEach(file: SourceFile): PlacedSessions {
  let held: HeldSession | undefined;
  let fault: HarnessError | undefined;
  for (const section of splitSections(file.takeLines())) {
    const { header, tally, startByte } = section;
    if (header['version'] !== lines.VERSION) {
      yield* toPlaced(held, file, section);
      throw otherVersion(file, header['version']);
    }
    const session = readSection(section);
    if (session === undefined) fault ??= badHeader(file, section);
    if (held !== undefined && (session === undefined || held.session === undefined)) {
      held.tally.add(tally.toReport());
      held = { ...held, session: held.session ?? session };
    } else {
      yield* toPlaced(held, file, section);
      held = { session, startByte, tally, index: held === undefined ? 0 : held.index + 1 };
    }
  }
  if (held?.session === undefined)
    throw fault ?? expected(file, 'to hold a conversation', 'no messages');
  yield* toPlaced(held, file);
}

function* splitSections(lines: Iterable<SourceLine>): Generator<Section, void, undefined> {
  let open: Section | undefined;
  let lineNumber = 0;
  for (const { text, startByte } of lines) {
    lineNumber++;
    open ??= openSection(startByte);
    const { values, isBroken } = readJsonLine(text);
    for (const [index, value] of values.entries()) {
      if (!isHeader(value)) {
        addRecord(open, value);
        continue;
      }
      if (open.lineNumber > 0) {
        yield open;
        open = openSection(index === 0 ? startByte : undefined);
      }
      open = { ...open, header: value, lineNumber };
    }
    if (isBroken) open.tally.drop('broken line');
    open.tally.repair('record on the line of another', values.length - 1);
  }
  if (open !== undefined && open.lineNumber > 0) yield open;
}

function openSection(startByte: number | undefined): Section {
  return { header: {}, startByte, lineNumber: 0, records: [], tally: createTally() };
}

function addRecord({ lineNumber, records, tally }: Section, value: unknown): void {
  if (!isObject(value)) tally.drop('line that is no object');
  else if (lineNumber === 0) tally.drop('line before the first header');
  else records.push(value);
}

function* toPlaced(held: HeldSession | undefined, { name }: SourceFile, next?: Section) {
  if (held?.session === undefined) return;
  const { session, index, tally, startByte } = held;
  const count = index + (next === undefined ? 1 : 2);
  const report = tally.toReport();
  const named = { name: sessionName(name, { index, count }), ...session, report };
  const endByte = next?.startByte;
  const hasRange = startByte !== undefined && (next === undefined || endByte !== undefined);
  if (!hasRange) yield { session: named };
  else yield { session: named, range: { startByte, ...known({ endByte }) } };
}

function otherVersion(file: SourceFile, version: unknown): HarnessError {
  const isNewer = typeof version === 'number' && version > lines.VERSION;
  const shown = `version ${describeValue(version)}${isNewer ? ' of a newer release' : ''}`;
  const got = version === undefined || version === null ? 'none' : shown;
  return expected(file, `to hold sessions of version ${lines.VERSION}`, got);
}

function expected({ name }: SourceFile, what: string, got: string): HarnessError {
  return new HarnessError('BAD_SESSION', `Expected ${quotedLong(name)} ${what}, got ${got}.`);
}

function readSection({ header, records, tally }: Section): UnnamedSession | undefined {
  const fields = parseAs(lines.HeaderLine, header, tally);
  if (fields === undefined) {
    tally.drop('header that cannot be read');
    tally.drop('line below such a header', records.length);
    return undefined;
  }
  const { [lines.MARK.key]: _mark, version: _version, ...own } = fields;
  const { sideSessions = [], recordedWindows = [], ...told } = own;
  const reading: Reading = { tally, drafts: [], steps: new Map(), places: [], compactions: [] };
  for (const record of records) readRecord(reading, record);
  const { drafts, steps } = reading;
  if (drafts.length === 0) return undefined;
  const messages = made.finishMessages(drafts, tally).map((message, index): Message => {
    const { finish: usual, ...rest } = { finish: undefined, ...message };
    const line = steps.get(drafts[index]);
    const { finish = usual, model, summary, sealedTokens } = line ?? {};
    if (rest.role === 'user') return rest;
    return { ...rest, ...known({ model, summary, sealedTokens, finish: finish ?? undefined }) };
  });
  const recordedCosts = new Map(
    messages.flatMap(({ id }, index) => {
      const cost = steps.get(drafts[index])?.cost;
      return cost === undefined ? [] : [[id, cost] as const];
    }),
  );
  const parts = messages.flatMap((message) => message.parts);
  const callIds = new Set(parts.flatMap((part) => (part.type === 'tool' ? part.callId : [])));
  const links = sideSessions.filter(({ callId }) => callIds.has(callId));
  tally.drop('session of no call', sideSessions.length - links.length);
  const windows = recordedWindows.map(({ messageIndex, contextTokens }) => {
    return { messageIndex: placeOf(reading, messageIndex) ?? drafts.length, contextTokens };
  });
  return {
    format: lines.OWN_NAME,
    isSide: false,
    isPartial: false,
    isOutputFinal: false,
    ...told,
    ...known({
      sideSessions: links.length > 0 ? links : undefined,
      recordedWindows: made.toRecordedWindows(windows),
    }),
    messages,
    recordedCompactions: reading.compactions
      .flatMap((compaction) => placeCompaction(reading, compaction))
      .toSorted((a, b) => a.messageIndex - b.messageIndex),
    ...(recordedCosts.size > 0 && { recordedCosts }),
  };
}

function parseAs<Value>(schema: z.ZodType<Value>, given: unknown, tally: Tally): Value | undefined {
  const read = schema.safeParse(given).data;
  if (read !== undefined) tally.drop('unknown key', countUnknownKeys(given, read));
  return read;
}

/** Counts the keys of a JSON value that this version does not know; no version will know `__proto__`. */
function countUnknownKeys(given: unknown, read: unknown): number {
  if (given === read || !isNested(given) || !isNested(read)) return 0;
  const isUnknown = (key: string) => !Object.hasOwn(read, key) && key !== '__proto__';
  const unknown = Object.keys(given).filter(isUnknown);
  return Object.keys(read).reduce(
    (sum, key) => sum + countUnknownKeys(Reflect.get(given, key), Reflect.get(read, key)),
    unknown.length,
  );
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function readRecord(reading: Reading, record: Fields): void {
  const { compactions, tally } = reading;
  const { type } = record;
  if (type === 'message') readMessage(reading, record);
  else if (type === 'compaction') {
    const { type: _type, ...compaction } = parseAs(lines.CompactionLine, record, tally) ?? {};
    if ('kind' in compaction) compactions.push(compaction);
    else tally.drop('compaction that cannot be read');
  } else if (type === 'report') {
    const report = parseAs(lines.ReportLine, record, tally);
    if (report === undefined) tally.drop('report that cannot be read');
    else tally.add(report);
  } else tally.dropUnknown(type);
}

function readMessage({ drafts, steps, places, tally }: Reading, record: Fields) {
  const { parts: values = [], ...own } = record;
  const isUser = own['role'] === 'user';
  const prompt = isUser ? parseAs(LoosePrompt, own, tally) : undefined;
  const step = isUser ? undefined : parseAs(LooseStep, own, tally);
  const message = prompt ?? step;
  places.push(drafts.length);
  if (message === undefined || !Array.isArray(values))
    return tally.drop('message that cannot be read');
  const { id: recordedId, createdAt = 0 } = message;
  const base = { recordedId, createdAt, parts: parsePartsOf(values, tally) };
  if (step === undefined) drafts.push({ role: 'user', ...base });
  else {
    const { parentId: recordedParentId, error, usage } = step;
    const draft: made.DraftMessage = { role: 'assistant', ...base, recordedParentId, error, usage };
    made.addStep(drafts, draft, tally);
    steps.set(draft, step);
  }
}

function parsePartsOf(values: readonly unknown[], tally: Tally): DraftPart[] {
  const parts = values.flatMap((value): DraftPart[] => {
    const part = parseAs(lines.PartValue, value, tally);
    if (part?.type !== 'tool') return part === undefined ? [] : [part];
    return [{ ...part, state: toState(part.state) }];
  });
  tally.drop('part that cannot be read', values.length - parts.length);
  return parts;
}

/** Gives files an empty id where they have none; `finishMessages` fills it. */
function toState(
  state: Extract<z.infer<typeof lines.PartValue>, { readonly type: 'tool' }>['state'],
) {
  if (state.status !== 'completed') return state;
  const { attachments, ...rest } = state;
  const files = attachments?.map((file) => ({ ...file, id: file.id ?? '' }));
  return { ...rest, ...(files !== undefined && { attachments: files }) };
}

function placeCompaction(
  reading: Reading,
  { firstKeptMessageIndex: kept, ...compaction }: RecordedCompaction,
): readonly RecordedCompaction[] {
  const messageIndex = placeOf(reading, compaction.messageIndex);
  if (messageIndex === undefined || (messageIndex === 0 && compaction.messageIndex > 0)) {
    reading.tally.drop('compaction at no place of the session');
    return [];
  }
  const firstKeptMessageIndex = kept === undefined ? undefined : placeOf(reading, kept);
  return [{ ...compaction, messageIndex, ...known({ firstKeptMessageIndex }) }];
}

function placeOf({ places, drafts }: Reading, written: number): number | undefined {
  return written === places.length ? drafts.length : places[written];
}

function badHeader(file: SourceFile, { header, lineNumber }: Section): HarnessError | undefined {
  const { error } = lines.HeaderLine.safeParse(header, { reportInput: true });
  const [fault] = error?.issues ?? [];
  if (fault === undefined) return undefined;
  const place = `its header in line ${lineNumber} cannot be read`;
  const words = `at ${quotedLong(z.core.toDotPath(fault.path))} ${describeMismatch(fault)}`;
  const message = `Expected ${quotedLong(file.name)} to hold a conversation, but ${place}: ${words}.`;
  return new HarnessError('BAD_SESSION', message);
}
