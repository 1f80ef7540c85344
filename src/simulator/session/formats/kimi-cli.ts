import { isObject } from '../../lib/json.ts';
import { createSourceFile, toJsonText } from '../files/source-file.ts';
import type { SessionFormat, SourceFile, Surroundings } from '../format.ts';
import { toList, toText, toTokens } from '../reading/lenient.ts';
import { createTally, readRecordLines, type Tally } from '../reading/tally.ts';
import { finishSession, noConversation, type RecordedUsage } from '../reading/transcript.ts';
import { countKinds } from '../reading/usage.ts';
import { type RecordedCompaction, type Session, withNames } from '../session.ts';
import { type ChatMessage, createChatReader, parseMessage, textOf } from './chat.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The records of a file. */
type Context = readonly Fields[];

interface KimiChat extends ReturnType<ReturnType<typeof createChatReader>['end']> {
  /** The conversation begins with the summary of an earlier one. */
  readonly isPartial: boolean;
  readonly compactions: readonly RecordedCompaction[];
}

/** A context, the one that it took the place of, and the messages that it kept. */
interface Replaced {
  readonly context: Context;
  readonly before: Context;
  readonly kept: readonly Fields[];
}

/** Roles of records beside the messages. */
const CHECKPOINT = '_checkpoint';
const COUNT = '_usage';
const PROMPT = '_system_prompt';
const TOOL = 'tool';
const MARKS = new Set<unknown>([CHECKPOINT, COUNT, PROMPT]);

/** The start of a text that the program put in the user's place. */
const INJECTED_START = '<system>';
/** The start of a context that was compacted; the one before is in another file. */
const SUMMARY_START = '<system>Previous context has been compacted';

/** The name of a context, and of those that it took the place of; a sub-agent has one of its own. */
const CURRENT = /(?:^|[/\\])context\.jsonl$/;
const EARLIER = /^context_(\d+)\.jsonl$/;
const SUBAGENT = /(?:^|[/\\])context_sub(?:_\d+)?\.jsonl$/;

/** Contexts of Kimi CLI: messages with checkpoints and counts of tokens between. */
export const kimiCli: SessionFormat = {
  label: 'Kimi CLI context (JSON lines)',
  certainty: 'mark',
  detect: (file) => {
    const { records } = file.lines();
    return records.some(isMark) && records.some((record) => parseMessage(record) !== undefined);
  },
  readsAround: true,
  read: readContexts,
  keeps: {
    tools: 'Glob Grep ReadFile SearchWeb SetTodoList Shell StrReplaceFile Task WriteFile',
  },
};

function isMark(record: unknown): boolean {
  return isObject(record) && MARKS.has(record['role']);
}

/** Reads a context and those before it. Each that does not go on with the one before is a session of its own. */
function readContexts(file: SourceFile): readonly Session[] {
  const tally = createTally();
  const own: Context = readRecordLines(file.lines(), toFields, tally);
  const earlier = CURRENT.test(file.name) ? earlierContexts(file.surroundings, tally) : [];
  const chains = toChains([...earlier, own]);
  const sessions = chains.map((chain, index) =>
    toSession(chain, index === chains.length - 1 ? tally : createTally()),
  );
  const isSide = SUBAGENT.test(file.name);
  const spoken = sessions.filter(({ messages }) => messages.length > 0);
  if (spoken.length === 0) throw noConversation(file.name, 'a context without messages');
  return withNames(
    file.name,
    spoken.map((session) => ({ ...session, isSide })),
  );
}

function toFields(line: unknown): Fields | undefined {
  return isObject(line) ? line : undefined;
}

/** Contexts that this one took the place of, oldest first. */
function earlierContexts(around: Surroundings, tally: Tally): readonly Context[] {
  const numbered = around.filesIn({ up: 0, names: [] }).flatMap((near) => {
    const [, number] = EARLIER.exec(near.name) ?? [];
    return number === undefined ? [] : [{ near, number: Number(number) }];
  });
  return numbered
    .toSorted((one, other) => one.number - other.number)
    .map(({ near }) => {
      const { records } = createSourceFile(near.name, near.readText()).lines();
      const fields = records.flatMap((record): readonly Fields[] =>
        isObject(record) ? [record] : [],
      );
      tally.drop('line that is no object', records.length - fields.length);
      return fields;
    });
}

/** Contexts that go on with one another: by a summary, or without the end of the one before, which a person took back. */
function toChains(contexts: readonly Context[]): readonly (readonly Context[])[] {
  const chains: Context[][] = [];
  for (const context of contexts) {
    const chain = chains.at(-1);
    const [first] = messagesIn(context);
    const [last] = messagesIn(chain?.at(-1) ?? []);
    const isSame = first !== undefined && toJsonText(first) === toJsonText(last);
    if (chain !== undefined && isSame) chain.splice(-1, 1, context);
    else if (chain !== undefined && isSummary(first)) chain.push(context);
    else chains.push([context]);
  }
  return chains;
}

/** The messages of a context that a person or a model wrote, or that stand for earlier ones. */
function messagesIn(context: Context): readonly Fields[] {
  return context.filter((record) => {
    if (isMark(record)) return false;
    const message = parseMessage(record);
    return message !== undefined && (!isInjected(message) || isSummary(record));
  });
}

function isSummary(record: Fields | undefined): boolean {
  const message = parseMessage(record);
  return message !== undefined && textOf(message).startsWith(SUMMARY_START);
}

function toSession(chain: readonly Context[], tally: Tally): Omit<Session, 'name'> {
  const { drafts, system: said, isPartial, compactions } = readChain(chain, tally);
  const prompt = chain.flat().findLast(({ role }) => role === PROMPT)?.['content'];
  const system = toText(prompt) ?? said;
  const measured = drafts.flatMap(({ usage }) => usage ?? []);
  return {
    format: 'kimi-cli',
    isSide: false,
    isPartial,
    ...(system !== undefined && { system }),
    recordedCompactions: compactions,
    isOutputFinal: measured.length > 0 && measured.every(({ output }) => output > 0),
    ...finishSession(drafts, tally),
  };
}

function readChain(chain: readonly Context[], tally: Tally): KimiChat {
  const reader = createChatReader(tally);
  const compactions: RecordedCompaction[] = [];
  let isPartial = false;
  for (const [at, context] of chain.entries()) {
    const before = chain[at - 1];
    const kept = before === undefined ? [] : keptIn(context, before);
    if (before !== undefined) {
      compactions.push(toCompaction({ context, before, kept }, reader.drafts.length));
    }
    isPartial ||= before === undefined && isSummary(messagesIn(context)[0]);
    const repeated = new Set(before === undefined ? [] : [messagesIn(context)[0], ...kept]);
    for (const [index, record] of context.entries()) {
      if (!isMark(record) && !repeated.has(record)) readRecord(reader, { context, index }, tally);
    }
  }
  return { ...reader.end(), isPartial, compactions };
}

/** Messages behind a summary that end the context before, word for word. */
function keptIn(context: Context, before: Context): readonly Fields[] {
  const [, ...behind] = messagesIn(context);
  const texts = messagesIn(before).map(toJsonText);
  for (let count = Math.min(behind.length, texts.length); count > 0; count--) {
    const kept = behind.slice(0, count);
    const isTail = kept.every((each, index) => toJsonText(each) === texts.at(index - count));
    if (isTail) return kept;
  }
  return [];
}

function toCompaction(
  { context, before, kept }: Replaced,
  messageIndex: number,
): RecordedCompaction {
  const [first] = messagesIn(context);
  const message = parseMessage(first);
  const tokensBefore = countIn(before.findLast(({ role }) => role === COUNT));
  // Results of tools are no messages of a session.
  const keptCount = kept.filter(({ role }) => role !== TOOL).length;
  return {
    kind: 'full',
    messageIndex,
    ...(tokensBefore !== undefined && { tokensBefore }),
    ...(message !== undefined && { summary: textOf(message) }),
    ...(keptCount > 0 && { firstKeptMessageIndex: Math.max(0, messageIndex - keptCount) }),
  };
}

function readRecord(
  reader: ReturnType<typeof createChatReader>,
  { context, index }: { readonly context: Context; readonly index: number },
  tally: Tally,
): void {
  const message = parseMessage(withThoughts(context[index] ?? {}));
  if (message === undefined) tally.drop('message without a role');
  else if (isInjected(message)) reader.inject(textOf(message));
  else reader.readMessage(message, { usage: usageAround(context, index) });
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
