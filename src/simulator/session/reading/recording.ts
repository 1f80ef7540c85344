/** A recording while it is read: its conversation, and everything else that its session says. */

import type { z } from 'zod';
import type { JsonLines, SourceFile } from '../format.ts';
import { type RecordedCompaction, type Session, sessionName } from '../session.ts';
import { type AtPrompt, createDialogue, type Dialogue } from './dialogue.ts';
import { createTally, readRecordLines, type Tally } from './tally.ts';
import {
  BEGINS_WITH_STEP,
  type FindSideIds,
  finishSession,
  type Found,
  known,
  toRecordedWindows,
  toSideSessions,
  withMessages,
} from './transcript.ts';

/** A recording in the hands of its reader. */
export interface Recording extends Dialogue {
  readonly tally: Tally;
  readonly compactions: RecordedCompaction[];
  /** Windows as they were stated. */
  readonly windows: StatedWindow[];
  addSystem(text: string): void;
  /** Notes a compaction at this place, by default a full one; nothing before the first message. */
  addCompaction(compaction: Compaction): void;
  /** Notes the window of the model from a message on, by default the next one. */
  addWindow(contextTokens: number | undefined, messageIndex?: number): void;
  /** Completes the call with that key, or counts a result without a call. */
  addResult(key: string | undefined, result: Parameters<Dialogue['finishCall']>[0]): void;
  /** The values that fit a schema; the others are dropped for a reason. */
  parseEach<Schema extends z.ZodType>(
    values: readonly unknown[],
    schema: Schema,
    reason: string,
  ): readonly z.infer<Schema>[];
  /** Tests if a step came before all prompts. */
  beginsWithStep(): boolean;
  /** Tests if a step has a recorded usage. */
  hasUsage(): boolean;
  /** The lines that fit a schema; broken and other lines are counted. */
  parseLines<Schema extends z.ZodType>(
    lines: JsonLines,
    schema: Schema,
  ): readonly z.infer<Schema>[];
  /** The session of the recording, once nothing follows. */
  finish(format: string, facts?: Facts | void): Omit<Session, 'name'>;
}

/** Fields of a session that a format finds beside the conversation. */
export interface Facts
  extends Found<
    Omit<
      Session,
      'name' | 'format' | 'messages' | 'recordedCompactions' | 'report' | 'sideSessions'
    >
  > {
  /** Finds the sessions that answered calls. */
  readonly findSideIds?: FindSideIds | undefined;
}

type StatedWindow = Parameters<typeof toRecordedWindows>[0][number];

/** A compaction at the place where it is read; an empty summary is none. */
type Compaction = Found<Omit<RecordedCompaction, 'messageIndex'>>;

/** The names of a format's sessions and of a file without any. */
interface RecordingOptions {
  readonly format: string;
  readonly empty?: string;
  /** The side on which a final prompt takes what was injected, by default behind it. */
  readonly atPrompt?: AtPrompt;
}

interface ItemOptions<Item> extends RecordingOptions {
  /** Losses of the whole file, which its first session reports. */
  readonly tally?: Tally;
  readonly read: (recording: Recording, item: Item, index: number) => Facts | void;
}

const NO_MESSAGES = 'a session without messages';

/** Creates a reader of files with one session, which throws if nothing is said in it; `empty` names what it is then. */
export function readRecording(
  { format, empty = NO_MESSAGES, atPrompt }: RecordingOptions,
  read: (recording: Recording, file: SourceFile) => Facts | void,
): (file: SourceFile) => readonly Session[] {
  return (file) => {
    const recording = createRecording(createTally(), atPrompt);
    const session = { name: file.name, ...recording.finish(format, read(recording, file)) };
    return withMessages([session], file.name, empty);
  };
}

/** Reads the sessions of a file, one of each item; without those in which nothing is said. */
export function readRecordings<Item>(
  file: SourceFile,
  items: readonly Item[],
  { format, empty = NO_MESSAGES, tally, read }: ItemOptions<Item>,
): readonly Session[] {
  const sessions = items.map((item, index) => {
    const recording = createRecording(index === 0 ? tally : undefined);
    const session = recording.finish(format, read(recording, item, index));
    return { name: sessionName(file.name, { index, count: items.length }), ...session };
  });
  return withMessages(sessions, file.name, empty);
}

/** Creates a recording without messages. */
export function createRecording(tally: Tally = createTally(), atPrompt?: AtPrompt): Recording {
  const dialogue = createDialogue(tally, atPrompt);
  const compactions: RecordedCompaction[] = [];
  const systemTexts: string[] = [];
  const windows: StatedWindow[] = [];
  return {
    ...dialogue,
    tally,
    compactions,
    windows,
    addSystem: (text) => {
      systemTexts.push(text);
    },
    addCompaction: ({ summary, ...found }) => {
      const messageIndex = dialogue.drafts.length;
      if (messageIndex === 0) return;
      const rest = known<Partial<RecordedCompaction>>({ ...found, summary: summary || undefined });
      compactions.push({ kind: 'full', messageIndex, ...rest });
    },
    addWindow: (contextTokens, messageIndex = dialogue.drafts.length) => {
      windows.push({ messageIndex, contextTokens });
    },
    addResult: (key, result) => {
      const isFinished = key !== undefined && dialogue.finishCall({ ...result, key });
      if (!isFinished) tally.drop('tool result without a call');
    },
    beginsWithStep: () => tally.toReport().repaired[BEGINS_WITH_STEP] !== undefined,
    hasUsage: () => dialogue.drafts.some(({ usage }) => usage !== undefined),
    parseEach: (values, schema, reason) => {
      const parsed = values.flatMap((value) => schema.safeParse(value).data ?? []);
      tally.drop(reason, values.length - parsed.length);
      return parsed;
    },
    parseLines: (lines, schema) =>
      readRecordLines(lines, (line) => schema.safeParse(line).data, tally),
    finish: (format, { model, findSideIds, ...facts } = {}) => {
      const drafts = dialogue.end();
      const system = systemTexts.length > 0 ? systemTexts.join('\n\n') : undefined;
      const finished = finishSession(drafts, tally, model);
      const said = { drafts, messages: finished.messages, sessionId: facts.sessionId };
      return {
        format,
        isSide: false,
        isPartial: false,
        isOutputFinal: false,
        recordedCompactions: compactions,
        ...toRecordedWindows(windows),
        ...(findSideIds && toSideSessions(said, findSideIds)),
        ...known<Partial<Session>>({ ...facts, system: facts.system ?? system }),
        ...finished,
      };
    },
  };
}
