import { isObject } from '../../lib/json.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import { toList, toText, toTokens } from '../reading/lenient.ts';
import { createTally, readRecordLines, type Tally } from '../reading/tally.ts';
import { finishSession, noConversation, type RecordedUsage } from '../reading/transcript.ts';
import { countKinds } from '../reading/usage.ts';
import type { Session } from '../session.ts';
import { type ChatMessage, createChatReader, parseMessage, textOf } from './chat.ts';

type Fields = Readonly<Record<string, unknown>>;

interface KimiChat extends ReturnType<ReturnType<typeof createChatReader>['end']> {
  /** The conversation begins with the summary of an earlier one. */
  readonly isPartial: boolean;
}

/** Roles of records beside the messages. */
const CHECKPOINT = '_checkpoint';
const COUNT = '_usage';
const PROMPT = '_system_prompt';
const MARKS = new Set<unknown>([CHECKPOINT, COUNT, PROMPT]);

/** The start of a text that the program put in the user's place. */
const INJECTED_START = '<system>';
/** The start of a context that was compacted; the one before is in another file. */
const SUMMARY_START = '<system>Previous context has been compacted';

/** Contexts of Kimi CLI: messages with checkpoints and counts of tokens between. */
export const kimiCli: SessionFormat = {
  label: 'Kimi CLI context (JSON lines)',
  certainty: 'mark',
  detect: (file) => {
    const { records } = file.lines();
    return records.some(isMark) && records.some((record) => parseMessage(record) !== undefined);
  },
  read: (file) => [readContext(file)],
  keeps: {
    tools: 'Glob Grep ReadFile SearchWeb SetTodoList Shell StrReplaceFile Task WriteFile',
  },
};

function isMark(record: unknown): boolean {
  return isObject(record) && MARKS.has(record['role']);
}

function readContext(file: SourceFile): Session {
  const tally = createTally();
  const records = readRecordLines(
    file.lines(),
    (line) => (isObject(line) ? line : undefined),
    tally,
  );
  const chat = readChat(records, tally);
  const { drafts } = chat;
  if (drafts.length === 0) throw noConversation(file.name, 'a context without messages');
  const prompt = records.find(({ role }) => role === PROMPT)?.['content'];
  const system = toText(prompt) ?? chat.system;
  const measured = drafts.flatMap(({ usage }) => usage ?? []);
  return {
    name: file.name,
    format: 'kimi-cli',
    isSide: false,
    isPartial: chat.isPartial,
    ...(system !== undefined && { system }),
    recordedCompactions: [],
    isOutputFinal: measured.length > 0 && measured.every(({ output }) => output > 0),
    ...finishSession(drafts, tally),
  };
}

function readChat(records: readonly Fields[], tally: Tally): KimiChat {
  const reader = createChatReader(tally);
  let isPartial = false;
  for (const [index, record] of records.entries()) {
    if (isMark(record)) continue;
    const message = parseMessage(withThoughts(record));
    if (message === undefined) tally.drop('message without a role');
    else if (!isInjected(message)) {
      reader.readMessage(message, { usage: usageAround(records, index) });
    } else {
      isPartial ||= textOf(message).startsWith(SUMMARY_START);
      reader.inject(textOf(message));
    }
  }
  return { ...reader.end(), isPartial };
}

/** The message with its thoughts apart from its texts. */
function withThoughts(record: Fields): Fields {
  const pieces = toList(record['content']);
  const thoughts = pieces.flatMap((piece) => thoughtOf(piece) ?? []);
  if (thoughts.length === 0) return record;
  const content = pieces.filter((piece) => thoughtOf(piece) === undefined);
  return { ...record, content, reasoning_content: thoughts.join('\n') };
}

function thoughtOf(piece: unknown): string | undefined {
  return isObject(piece) && piece['type'] === 'think' ? toText(piece['think']) : undefined;
}

/** Recognizes messages that the program wrote in the place of the user, or of the model after a compaction. */
function isInjected(message: ChatMessage): boolean {
  const start = message.role === 'user' ? INJECTED_START : SUMMARY_START;
  return message.role !== 'tool' && textOf(message).startsWith(start);
}

/** The usage of a step: the count before it is that of its request, the one behind it includes its answer. */
function usageAround(records: readonly Fields[], index: number): RecordedUsage | undefined {
  const input = countIn(records[index - 1]);
  const total = countIn(records[index + 1]);
  if (input === undefined) return undefined;
  return countKinds({ input, output: total === undefined ? 0 : total - input });
}

function countIn(record: Fields | undefined): number | undefined {
  return record?.['role'] === COUNT ? toTokens(record['token_count']) : undefined;
}
