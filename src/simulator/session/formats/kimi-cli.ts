import { isObject } from '../../lib/json.ts';
import { createSourceFile, toJsonText } from '../files/source-file.ts';
import type { SessionFormat, SourceFile, Surroundings } from '../format.ts';
import { textOf } from '../reading/content.ts';
import { toText, toTokens } from '../reading/lenient.ts';
import { createRecording, type Facts, type Recording } from '../reading/recording.ts';
import { createTally, readRecordLines, type Tally } from '../reading/tally.ts';
import { noConversation, type RecordedUsage } from '../reading/transcript.ts';
import { countKinds } from '../reading/usage.ts';
import { type Session, withNames } from '../session.ts';
import { type ChatMessage, parseMessage, readChatMessage } from './chat.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The records of a file. */
type Context = readonly Fields[];

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
  const sessions = chains.map((chain, index) => {
    const recording = createRecording(index === chains.length - 1 ? tally : undefined);
    const facts = readChain(recording, chain);
    return recording.finish('kimi-cli', { ...facts, isSide: SUBAGENT.test(file.name) });
  });
  const spoken = sessions.filter(({ messages }) => messages.length > 0);
  if (spoken.length === 0) throw noConversation(file.name, 'a context without messages');
  return withNames(file.name, spoken);
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
  return message !== undefined && textOf(message.content).startsWith(SUMMARY_START);
}

function readChain(recording: Recording, chain: readonly Context[]): Facts {
  let isPartial = false;
  for (const [at, context] of chain.entries()) {
    const before = chain[at - 1];
    const [first] = messagesIn(context);
    const kept = before === undefined ? [] : keptIn(context, before);
    if (before === undefined) isPartial = isSummary(first);
    else addCompaction(recording, { summary: first, before, kept });
    const repeated = new Set(before === undefined ? [] : [first, ...kept]);
    for (const [index, record] of context.entries()) {
      if (!isMark(record) && !repeated.has(record)) readRecord(recording, context, index);
    }
  }
  const prompt = chain.flat().findLast(({ role }) => role === PROMPT)?.['content'];
  const measured = recording.drafts.flatMap(({ usage }) => usage ?? []);
  const isOutputFinal = measured.length > 0 && measured.every(({ output }) => output > 0);
  return { isPartial, isOutputFinal, system: toText(prompt) };
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

function addCompaction(
  recording: Recording,
  {
    summary,
    before,
    kept,
  }: {
    readonly summary: Fields | undefined;
    readonly before: Context;
    readonly kept: readonly Fields[];
  },
): void {
  const { length: count } = recording.drafts;
  // Results of tools are no messages of a session.
  const keptCount = kept.filter(({ role }) => role !== TOOL).length;
  recording.addCompaction({
    tokensBefore: countIn(before.findLast(({ role }) => role === COUNT)),
    summary: textOf(summary?.['content']),
    firstKeptMessageIndex: keptCount > 0 ? Math.max(0, count - keptCount) : undefined,
  });
}

function readRecord(recording: Recording, context: Context, index: number): void {
  const message = parseMessage(context[index]);
  if (message === undefined) recording.tally.drop('message without a role');
  else if (isInjected(message)) recording.inject(textOf(message.content));
  else readChatMessage(recording, message, { usage: usageAround(context, index) });
}

/** Recognizes messages that the program wrote in the place of the user, or of the model after a compaction. */
function isInjected(message: ChatMessage): boolean {
  const start = message.role === 'user' ? INJECTED_START : SUMMARY_START;
  return message.role !== 'tool' && textOf(message.content).startsWith(start);
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
