import { known } from '../../lib/collections.ts';
import { isObject } from '../../lib/json.ts';
import type { ByteRange, FormatSession, JsonLines, PlacedSessions, SourceFile } from '../format.ts';
import { type RecordedCompaction, type Session, sessionName } from '../session.ts';
import * as talk from './dialogue.ts';
import * as kit from './fields.ts';
import * as made from './transcript.ts';

/** A recording in the hands of its reader: its conversation, and everything else that its session says. */
export type Recording = ReturnType<typeof createRecording>;

/** A message as it was recorded; what is missing or broken in it counts as absent. */
interface Told {
  readonly id?: unknown;
  readonly time?: unknown;
  readonly content?: unknown;
}

interface ToldPrompt extends Told {
  readonly files?: readonly kit.DraftPart[];
}

interface ToldStep extends Told, Pick<made.DraftMessage, 'cost' | 'error' | 'model' | 'usage'> {
  readonly thinking?: unknown;
  readonly calls?: unknown;
  readonly finish?: unknown;
}

/** A compaction as it was recorded; counts and texts of another type count as absent. */
interface ToldCompaction
  extends made.Found<
    Omit<RecordedCompaction, 'messageIndex' | 'summary' | 'tokensAfter' | 'tokensBefore'>
  > {
  readonly summary?: unknown;
  readonly tokensBefore?: unknown;
  readonly tokensAfter?: unknown;
}

/** Fields of a session that a format finds beside the conversation; texts of another type count as absent. */
export interface Facts
  extends made.Found<
      Omit<
        Session,
        | 'name'
        | 'format'
        | 'messages'
        | 'recordedCompactions'
        | 'report'
        | 'sideSessions'
        | TextFact
      >
    >,
    Readonly<Partial<Record<TextFact, unknown>>> {
  readonly findSideIds?: made.FindSideIds | undefined;
}

type TextFact = 'folder' | 'parentSessionId' | 'sessionId' | 'system';

interface RecordingOptions extends kit.BlockOptions {
  readonly empty?: string;
  /** The side on which a final prompt takes what was injected, by default behind it. */
  readonly atPrompt?: talk.AtPrompt | undefined;
  /** The result that holds where a call has several, by default the first. */
  readonly holding?: 'first' | 'last' | undefined;
}

interface ItemOptions<Item> extends RecordingOptions {
  /** Number of items, where they are no list. */
  readonly count?: number;
  /** The number and the range of an item in its file; by default its place among the items. */
  readonly place?: (item: Item) => { readonly index: number; readonly range: ByteRange };
  /** Losses of the whole file, which its first session reports. */
  readonly tally?: kit.Tally;
  /** The reason for which an item without messages is counted, in the next session. */
  readonly lost?: string;
  /** Set if items without messages have no number. */
  readonly numbersSpoken?: true;
  readonly read: (recording: Recording, item: Item) => Facts | void;
}

type StatedWindow = Parameters<typeof made.toRecordedWindows>[0][number];

interface Collected {
  readonly drafts: readonly made.DraftMessage[];
  readonly tally: kit.Tally;
  readonly compactions: readonly RecordedCompaction[];
  readonly windows: readonly StatedWindow[];
  /** System prompts of the conversation. */
  readonly added: string | undefined;
}

type Test = (one: kit.Fields) => boolean;

const NO_MESSAGES = 'a session without messages';

/** Recognizes files in which something is found, and reads the session of that. */
export function readFound<Found>(
  find: (file: SourceFile) => Found | undefined,
  options: RecordingOptions,
  read: (recording: Recording, found: Found, file: SourceFile) => Facts | void,
) {
  return {
    detect: (file: SourceFile) => find(file) !== undefined,
    read: readRecording(options, (recording, file) => {
      const found = find(file);
      return found === undefined ? undefined : read(recording, found, file);
    }),
  };
}

/** Creates a reader of files with one session; throws if nothing is said in it. */
export function readRecording(
  options: RecordingOptions,
  read: (recording: Recording, file: SourceFile) => Facts | void,
): (file: SourceFile) => readonly FormatSession[] {
  return (file) => {
    const recording = createRecording(undefined, options);
    const session = { name: file.name, ...recording.finish(read(recording, file)) };
    return made.withMessages([session], file.name, options.empty ?? NO_MESSAGES);
  };
}

/** Creates a reader of files with a session of each item; without those in which nothing is said. */
export function readRecordings<Item>(
  options: Omit<ItemOptions<Item>, 'tally'> & {
    /** The items of a file; what is lost beside them is counted. */
    readonly items: (file: SourceFile, tally: kit.Tally) => readonly Item[];
  },
): (file: SourceFile) => readonly FormatSession[] {
  return (file) => {
    const tally = kit.createTally();
    const items = options.items(file, tally);
    const placed = [...eachRecording(file, items, { ...options, tally })];
    const { length: count } = placed;
    return placed.map(({ session }, index) =>
      options.numbersSpoken
        ? { ...session, name: sessionName(file.name, { index, count }) }
        : session,
    );
  };
}

/** Reads the sessions of a file as in `readRecordings`, each before the next. */
export function* eachRecording<Item>(
  { name: fileName, database }: SourceFile,
  items: Iterable<Item>,
  options: ItemOptions<Item>,
): PlacedSessions {
  const { empty = NO_MESSAGES, tally, lost, numbersSpoken, read, place } = options;
  const { count = Array.isArray(items) ? items.length : 0 } = options;
  let [nextIndex, silent, spoken] = [0, 0, 0];
  let startByte: number | undefined;
  for (const item of items) {
    const { index, range } = place?.(item) ?? {
      index: numbersSpoken ? spoken : nextIndex,
      range: undefined,
    };
    const recording = createRecording(spoken === 0 ? tally : undefined, options);
    if (lost !== undefined) recording.tally.drop(lost, silent);
    const faultsBefore = database?.faults?.length ?? 0;
    const told = read(recording, item);
    recording.tally.drop('rows of a damaged table', (database?.faults?.length ?? 0) - faultsBefore);
    const session = recording.finish(told);
    const isSilent = session.messages.length === 0;
    const name = sessionName(fileName, { index, count });
    // What was lost before a session belongs to its range, for it is counted in it.
    startByte ??= range?.startByte;
    const own = range && startByte !== undefined && { range: { ...range, startByte } };
    if (!isSilent) yield { session: { name, ...session }, ...own };
    if (!isSilent) startByte = undefined;
    silent = isSilent ? silent + 1 : 0;
    spoken += isSilent ? 0 : 1;
    nextIndex += 1;
  }
  if (spoken === 0) throw made.noConversation(fileName, empty);
}

/** Creates a recording without messages. */
export function createRecording(
  tally: kit.Tally = kit.createTally(),
  { atPrompt, silent, reason, holding }: RecordingOptions = {},
) {
  const dialogue = talk.createDialogue(tally, atPrompt);
  const readers = createReaders(dialogue, tally, known({ silent, reason }));
  const { addCall } = dialogue;
  const calls = talk.createCalls({ tally, addCall, readResult: readers.readResult }, holding);
  const compactions: RecordedCompaction[] = [];
  const systemTexts: string[] = [];
  const windows: StatedWindow[] = [];
  return {
    ...dialogue,
    ...readers,
    tally,
    /** Calls of which one is recorded once, and has one result, in whatever order they come. */
    calls: {
      ...calls,
      read: (step: made.DraftMessage, call: kit.Fields) => calls.add(step, readers.callOf(call)),
    },
    compactions,
    windows,
    addSystem: (content: unknown) => {
      systemTexts.push(kit.textOf(content));
    },
    /** Notes a compaction, by default a full one at this place; nothing before the first message. */
    addCompaction: (told: ToldCompaction, messageIndex = dialogue.drafts.length) => {
      if (messageIndex === 0) return;
      const read = known({
        ...told,
        tokensBefore: kit.toTokens(told.tokensBefore),
        tokensAfter: kit.toTokens(told.tokensAfter),
        summary: kit.toId(told.summary),
      });
      compactions.push({ kind: 'full', messageIndex, ...read });
    },
    /** Notes the window of the model from a message on, by default the next one. */
    addWindow: (contextTokens: unknown, messageIndex = dialogue.drafts.length) => {
      windows.push({ messageIndex, contextTokens: kit.toTokens(contextTokens) });
    },
    beginsWithStep: () => tally.toReport().repaired[made.BEGINS_WITH_STEP] !== undefined,
    hasUsage: () => dialogue.drafts.some(({ usage }) => usage !== undefined),
    finish: (told?: Facts | void) => {
      calls.end();
      const added = systemTexts.length > 0 ? systemTexts.join('\n\n') : undefined;
      return toSession({ drafts: dialogue.end(), tally, compactions, windows, added }, told ?? {});
    },
  };
}

function toSession(
  { drafts, tally, compactions, windows, added }: Collected,
  { model, findSideIds, ...facts }: Facts,
): Omit<Session, 'name' | 'format'> {
  const finished = made.finishSession(drafts, tally, model);
  const sessionId = kit.toId(facts.sessionId);
  const links =
    findSideIds === undefined ? [] : made.linksOf(drafts, finished.messages, findSideIds);
  // A conversation is no sub-agent of itself.
  const sideSessions = links.filter(({ sessionId: id }) => id !== '' && id !== sessionId);
  return {
    isSide: false,
    isPartial: false,
    isOutputFinal: false,
    recordedCompactions: compactions.toSorted((a, b) => a.messageIndex - b.messageIndex),
    ...known({
      recordedWindows: made.toRecordedWindows(windows),
      sideSessions: sideSessions.length > 0 ? sideSessions : undefined,
      ...facts,
      sessionId,
      folder: kit.toId(facts.folder),
      parentSessionId: kit.toId(facts.parentSessionId),
      system: kit.toId(facts.system) ?? added,
    }),
    ...finished,
  };
}

function createReaders(
  dialogue: ReturnType<typeof talk.createDialogue>,
  tally: kit.Tally,
  blocks: kit.BlockOptions,
) {
  const callOf = (call: kit.Fields): talk.RecordedCall => ({
    callId: kit.toId(kit.valueAt(call, 'tool_call_id toolCallId id')),
    tool: kit.toId(kit.valueAt(call, 'name function_name function.name function')) ?? 'unknown',
    input: kit.toInput(kit.valueAt(call, 'args arguments input function.arguments'), tally),
  });
  const readCall = (step: made.DraftMessage, call: kit.Fields) =>
    dialogue.addCall(step, callOf(call));
  const partsOf = (content: unknown) => kit.toParts(content, tally, blocks);
  return {
    partsOf,
    callOf,
    /** Adds a call with its id, name and arguments, by the names that recorders have for them. */
    readCall,
    readPrompt: ({ id, time, content, files = [] }: ToldPrompt) => {
      const parts = [...partsOf(content), ...files];
      dialogue.addPrompt({ recordedId: kit.toId(id), createdAt: kit.toTime(time), parts });
    },
    /** Adds a prompt, or only what a program wrote where all of it is such; true for a prompt. */
    readUser: ({ id, time, content }: Told, isInjected: Test) => {
      const all = kit.blocksOf(content);
      const parts = all.flatMap((block) => {
        const read = partsOf([block]);
        return isInjected(block) ? read.map(kit.asInjected) : read;
      });
      const isPrompt = !all.every((block) => isInjected(block));
      if (!isPrompt) for (const part of parts) dialogue.inject(part);
      else dialogue.addPrompt({ recordedId: kit.toId(id), createdAt: kit.toTime(time), parts });
      return isPrompt;
    },
    ...createSteps(dialogue, partsOf, readCall),
    /** Completes the call with that id, or the next open one of that tool; counts a result without a call. */
    readResult: ({ id, name, content, isError, output }: talk.ToldResult) => {
      const read = kit.toOutput(content, tally, blocks);
      const told = { key: kit.toId(id), tool: kit.toId(name), ...read, isError: isError === true };
      if (output !== undefined) told.output = output;
      if (!dialogue.finishCall(told)) tally.drop('tool result without a call');
    },
    /** Adds content that a program wrote in the place of the user. */
    readInjected: (content: unknown) => {
      for (const part of partsOf(content)) dialogue.inject(kit.asInjected(part));
    },
    /** The objects of a list that pass a test; everything else is dropped for a reason. */
    readObjects: (values: unknown, reason: string, test: Test = isObject) => {
      const all = kit.toList(values);
      const objects = all.filter(isObject).filter((one) => test(one));
      tally.drop(reason, all.length - objects.length);
      return objects;
    },
    readLines: (lines: JsonLines) => kit.readObjectLines(lines, tally),
  };
}

function createSteps(
  { addStep }: Pick<ReturnType<typeof talk.createDialogue>, 'addStep'>,
  partsOf: (content: unknown) => kit.DraftPart[],
  readCall: (step: made.DraftMessage, call: kit.Fields) => void,
) {
  const steps = new Map<string, made.DraftMessage>();
  const readStep = ({ id, time, content, thinking, calls, finish, ...told }: ToldStep) => {
    const step = addStep({
      ...told,
      recordedId: kit.toId(id),
      createdAt: kit.toTime(time),
      finish: made.toEarlyFinish(kit.toText(finish)),
      parts: [...partsOf([{ thinking: kit.toText(thinking) ?? '' }]), ...partsOf(content)],
    });
    for (const call of kit.objectsIn(calls)) readCall(step, call);
    return step;
  };
  return {
    readStep,
    /** The step with that id, or a new one. */
    stepOf: (told: ToldStep) => {
      const id = kit.toId(told.id);
      const step = steps.get(id ?? '') ?? readStep(told);
      if (id !== undefined) steps.set(id, step);
      return step;
    },
  };
}
