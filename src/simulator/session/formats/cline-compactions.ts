import { known } from '../../lib/collections.ts';
import { parseJson } from '../../lib/json.ts';
import type { SourceFile } from '../format.ts';
import * as kit from '../reading/fields.ts';
import type { Recording } from '../reading/recording.ts';
import type { RecordedUsage } from '../reading/transcript.ts';
import type { RecordedCompaction } from '../session.ts';
import { isScreenMessage, REQUEST, resizeOf, sizesIn, usageOfRequest } from './cline-ui.ts';

interface Task {
  readonly file: SourceFile;
  readonly messages: readonly kit.Fields[];
  readonly ends: readonly number[];
  readonly screen: readonly kit.Fields[];
}

type Compactions = readonly RecordedCompaction[];

const FILE = 'ui_messages.json';
const MESSAGES = /([^/\\]+)\.messages\.json$/;
/** The start of a notice about the compaction behind it, and of what the program tells about the editor. */
const PROGRAM_STARTS = /^<(?:SYSTEM_NOTICE|environment_details)>/;

/** The kind of a message that stands for earlier ones. */
export const SUMMARY = 'compaction_summary';

/**
 * Messages that stay behind a summary of the assistant's; a summary of the user's is the last message at its time. Source: Roo Code,
 * `src/core/condense/index.ts`, `N_MESSAGES_TO_KEEP`.
 */
const KEPT_BEHIND_SUMMARY = 3;

/** The messages of a task's screen, from the file beside its history. */
export function readScreen({ surroundings }: SourceFile): readonly kit.Fields[] {
  const file = surroundings.filesIn({ up: 0, names: [] }).find(({ name }) => name === FILE);
  return kit.objectsIn(parseJson(file?.readText() ?? '')).filter(isScreenMessage);
}

/** Ids of condensations, by which the messages that they replaced name them. */
export function condenseIdsIn(messages: readonly kit.Fields[]): ReadonlySet<unknown> {
  return new Set(messages.flatMap(({ condenseParent: id }) => kit.toId(id) ?? []));
}

/** The usage of each answered request of the screen, with the time when it was sent, in ms. */
export function requestsOn(screen: readonly kit.Fields[]) {
  return screen.flatMap((message): { sentMs: number; usage: RecordedUsage }[] => {
    const usage = message['say'] === REQUEST ? usageOfRequest(message) : undefined;
    return usage === undefined ? [] : [{ sentMs: Number(message['ts']), usage }];
  });
}

/** The compactions of a task. */
export function findCompactions(recording: Recording, task: Task): Compactions {
  return [
    ...condensationsOf(task),
    ...truncationsOf(recording, task),
    ...cutsOf(task),
    ...keptBeside(task),
    ...thinningsOf(task),
  ];
}

/** The summary of a compaction with the tokens before it. */
export function summaryFields({ summary, tokensBefore }: kit.Fields, content: unknown) {
  return {
    summary: kit.toText(summary) ?? kit.outputText(content),
    tokensBefore: kit.toTokens(tokensBefore),
  };
}

/** The texts of a summary, without the state of the editor. */
export function summaryOf({ content }: kit.Fields): string {
  const texts = kit.blocksOf(content).filter(({ type = 'text' }) => type === 'text');
  return kit.textOf(texts.filter(({ text }) => !isOfProgram(text)));
}

/** Recognizes texts that the program wrote beside a prompt or a result. */
export function isOfProgram(text: unknown): boolean {
  return PROGRAM_STARTS.test(kit.toText(text) ?? '');
}

function condensationsOf(task: Task): Compactions {
  const { messages, ends } = task;
  const condenseIds = condenseIdsIn(messages);
  return messages.flatMap((message, index): Compactions => {
    const { isSummary, condenseId: id, role } = message;
    const place = ends[index] ?? 0;
    if (isSummary !== true || !condenseIds.has(id) || place === 0) return [];
    const keptCount = role === 'assistant' ? KEPT_BEHIND_SUMMARY : 0;
    const messageIndex = ends[Math.min(index + keptCount, ends.length - 1)] ?? place;
    const told = { ...sizesIn(noticeOf(task, id)), summary: summaryOf(message) };
    return [{ kind: 'full', messageIndex, ...told, ...keptFrom(place, messageIndex) }];
  });
}

function noticeOf({ screen }: Task, id: unknown): kit.Fields {
  return (
    screen.findLast((message) => {
      const { condenseId, truncationId } = resizeOf(message);
      return kit.toId(condenseId ?? truncationId) === id;
    }) ?? {}
  );
}

function keptFrom(place: number | undefined, messageIndex: number) {
  return place !== undefined && place < messageIndex && { firstKeptMessageIndex: place };
}

/** Where the screen does not tell when, as many messages stayed as were hidden. */
function truncationsOf({ tally, drafts }: Recording, task: Task): Compactions {
  const { messages, ends } = task;
  return messages.flatMap(({ isTruncationMarker, truncationId }, index): Compactions => {
    if (isTruncationMarker !== true) return [];
    const id = kit.toId(truncationId);
    const hidden = messages.filter(({ truncationParent: parent }) => parent === id).length;
    const place = ends[index] ?? 0;
    if (id === undefined || hidden === 0 || place === 0) {
      tally.drop('truncation marker');
      return [];
    }
    const notice = noticeOf(task, id);
    const { ts: toldMs } = notice;
    const messageIndex =
      typeof toldMs === 'number'
        ? drafts.filter(({ createdAt }) => createdAt < toldMs).length
        : (ends[Math.min(index + hidden, ends.length - 1)] ?? place);
    const told = { ...sizesIn(notice), ...keptFrom(place, messageIndex) };
    return [{ kind: 'full', trigger: 'auto', messageIndex, ...told }];
  });
}

/** The truncations by Cline: only the screen tells the range of messages that requests leave out from then on. */
function cutsOf({ ends, screen }: Task): Compactions {
  let last = -1;
  return screen.flatMap((message): Compactions => {
    const [, lastIndex] = kit.toList(message['conversationHistoryDeletedRange']);
    const index = kit.toTokens(message['conversationHistoryIndex']);
    if (typeof lastIndex !== 'number' || lastIndex <= last || index === undefined) return [];
    last = lastIndex;
    const [messageIndex, place] = [ends[index], ends[lastIndex]];
    if (messageIndex === undefined || place === undefined || place >= messageIndex) return [];
    return [{ kind: 'full', messageIndex, firstKeptMessageIndex: place }];
  });
}

/** The newest compaction by Cline, whose messages stay whole: a file beside them tells it. */
function keptBeside({ messages, ends, file: { name, surroundings } }: Task): Compactions {
  const [, stem] = MESSAGES.exec(name) ?? [];
  const beside = surroundings
    .filesIn({ up: 0, names: [] })
    .find((file) => stem !== undefined && file.name === `${stem}.compaction.json`);
  const state = kit.fieldsOf(parseJson(beside?.readText() ?? ''));
  const after = kit.objectsIn(state['messages']);
  const summary = after.find(({ metadata }) => kit.fieldsOf(metadata)['kind'] === SUMMARY);
  const messageIndex = ends[(kit.toTokens(state['source_message_count']) ?? 0) - 1];
  if (summary === undefined || messageIndex === undefined) return [];
  const keptId = after.flatMap(({ id }) => kit.toId(id) ?? [])[0];
  const first = messages.findIndex(({ id }) => keptId !== undefined && id === keptId);
  const told = summaryFields(kit.fieldsOf(summary['metadata']), summary['content']);
  const kept = keptFrom(ends[first - 1], messageIndex);
  return [{ kind: 'full', messageIndex, ...known(told), ...kept }];
}

/** A compaction that keeps prompts and answers, as messages report it, happened after the last of them. */
function thinningsOf({ messages, ends }: Task): Compactions {
  const metadata = messages.map((message) => kit.fieldsOf(message['metadata']));
  const told = metadata.findLast(({ kind }) => kind === 'compaction');
  const messageIndex = ends[metadata.findLastIndex(({ compaction }) => compaction === 'preserved')];
  if (told === undefined || !messageIndex) return [];
  const reason = kit.toText(told['reason']);
  const trigger = reason?.startsWith('manual') ? 'manual' : 'auto';
  return [{ kind: 'full', ...(reason !== undefined && { trigger }), messageIndex }];
}
