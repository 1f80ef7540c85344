import { z } from 'zod';
import { isObject } from '../../lib/json.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import { textOf } from '../reading/content.ts';
import {
  atLeastZero,
  flag,
  list,
  listOf,
  maybeId,
  maybeObject,
  maybeText,
  maybeTokens,
  toList,
  toModelName,
  toRelease,
  toText,
} from '../reading/lenient.ts';
import { type Facts, readRecording, type Recording } from '../reading/recording.ts';
import { dropUnknown, type Tally } from '../reading/tally.ts';
import { known } from '../reading/transcript.ts';
import type { RecordedCompaction } from '../session.ts';
import { type Places, readContents } from './gemini-turns.ts';

type QwenRecord = z.infer<typeof recordSchema>;
type QwenUsage = QwenRecord['usageMetadata'];

const recordSchema = z.object({
  type: maybeText,
  subtype: maybeText,
  uuid: maybeId,
  parentUuid: maybeId,
  sessionId: maybeId,
  timestamp: maybeText,
  version: maybeText,
  isSidechain: flag,
  model: maybeText,
  contextWindowSize: maybeTokens,
  message: maybeObject({ role: maybeText, parts: list }),
  usageMetadata: maybeObject({
    promptTokenCount: maybeTokens,
    candidatesTokenCount: maybeTokens,
    thoughtsTokenCount: maybeTokens,
    cachedContentTokenCount: maybeTokens,
    toolUsePromptTokenCount: maybeTokens,
    totalTokenCount: maybeTokens,
  }),
  systemPayload: maybeObject({
    info: maybeObject({ originalTokenCount: maybeTokens, newTokenCount: maybeTokens }),
    compressedHistory: listOf(z.object({ parts: list })),
  }),
});

const SAID = new Set<string | undefined>(['assistant', 'tool_result', 'user']);
const COMPRESSION = 'chat_compression';

/** Prompts that a program wrote. */
const INJECTED = new Set<string | undefined>([
  'background_task_completed',
  'cron',
  'goal_runtime',
  'notification',
]);

/** Sessions of Qwen Code: contents of the Gemini API in a tree of records. */
export const qwenCode: SessionFormat = {
  label: 'Qwen Code session (JSON lines)',
  certainty: 'mark',
  detect: (file) => file.lines().records.some(isMark),
  read: readRecording({ format: 'qwen-code', atPrompt: 'in-front' }, readSession),
  keeps: {
    tools:
      'run_shell_command read_many_files search_file_content list_directory todo_write save_memory',
    reasons: 'taken',
  },
};

/** Recognizes records with the content of a model under a key of their own. */
function isMark(line: unknown): boolean {
  if (!isObject(line) || !SAID.has(toText(line['type']))) return false;
  const { uuid, sessionId, message } = line;
  if (typeof uuid !== 'string' || typeof sessionId !== 'string') return false;
  return isObject(message) && Array.isArray(message['parts']);
}

function readSession(recording: Recording, file: SourceFile): Facts {
  const chain = activeChain(recording.parseLines(file.lines(), recordSchema), recording.tally);
  const places = readContents(recording, toTurns(chain));
  recording.compactions.push(...compactionsIn(chain, places));
  for (const { uuid = '', contextWindowSize } of chain) {
    const place = places.get(uuid);
    if (place !== undefined) recording.addWindow(contextWindowSize, place.before);
  }
  return {
    sessionId: chain[0]?.sessionId,
    isSide: chain[0]?.isSidechain,
    isPartial: chain[0]?.parentUuid !== undefined,
    release: toRelease(chain.findLast(({ version }) => toRelease(version))?.version),
    isOutputFinal: true,
  };
}

/** The records that lead to the last message. What was taken back leads elsewhere. */
function activeChain(records: readonly QwenRecord[], tally: Tally): readonly QwenRecord[] {
  const parents = new Map(records.map(({ uuid, parentUuid }) => [uuid, parentUuid]));
  const active = new Set<string>();
  let uuid = records.findLast(isSaid)?.uuid;
  while (uuid !== undefined && !active.has(uuid)) {
    active.add(uuid);
    uuid = parents.get(uuid);
  }
  const isActive = (record: QwenRecord) => record.uuid === undefined || active.has(record.uuid);
  const gone = records.filter((record) => isSaid(record) && !isActive(record));
  tally.drop('message that was taken back', gone.length);
  const unknown = records.filter(({ type }) => type !== 'system' && !SAID.has(type));
  dropUnknown(
    tally,
    unknown.map(({ type }) => type),
  );
  return records.filter(isActive);
}

function isSaid({ type }: QwenRecord): boolean {
  return SAID.has(type);
}

/** Turns of the Gemini API. Records of one role and uuid are one turn, with the last usage and model. */
function toTurns(chain: readonly QwenRecord[]): readonly unknown[] {
  const turns = new Map<string, Readonly<Record<string, unknown>>>();
  for (const [index, record] of chain.entries()) {
    if (!isSaid(record)) continue;
    const { uuid = `record-${index + 1}`, type, timestamp, model, message } = record;
    const role = type === 'assistant' ? 'model' : 'user';
    const isOther = (turns.get(uuid)?.['type'] ?? role) !== role;
    const id = isOther ? `${uuid}-${role}` : uuid;
    const before = turns.get(id);
    turns.set(id, {
      id,
      type: role,
      timestamp,
      parts: [...toList(before?.['parts']), ...(message?.parts ?? [])],
      model: model === undefined ? before?.['model'] : toModelName(model, 'qwen-code'),
      tokens: toTokens(record.usageMetadata) ?? before?.['tokens'],
      isInjected: INJECTED.has(record.subtype),
    });
  }
  return [...turns.values()];
}

/** Counts by kind. A total without thoughts means that the answer includes them. */
function toTokens(usage: QwenUsage) {
  if (usage?.promptTokenCount === undefined) return undefined;
  const { promptTokenCount: input, candidatesTokenCount: told, totalTokenCount: total } = usage;
  const thoughts = atLeastZero(usage.thoughtsTokenCount);
  const answered = atLeastZero(told);
  const isIncluded = total === input + answered && answered >= thoughts;
  return {
    input,
    output: isIncluded ? answered - thoughts : answered,
    thoughts,
    cached: usage.cachedContentTokenCount,
    tool: usage.toolUsePromptTokenCount,
  };
}

/** Compressions, each behind the message before it. */
function compactionsIn(
  chain: readonly QwenRecord[],
  places: Places,
): readonly RecordedCompaction[] {
  return chain.flatMap(({ subtype, systemPayload }, index): readonly RecordedCompaction[] => {
    const last = chain.slice(0, index).findLast(isSaid)?.uuid;
    const messageIndex = places.get(last ?? '')?.after ?? 0;
    if (subtype !== COMPRESSION || messageIndex === 0) return [];
    const { originalTokenCount, newTokenCount } = systemPayload?.info ?? {};
    const [summary] = systemPayload?.compressedHistory ?? [];
    const told = known<Partial<RecordedCompaction>>({
      tokensBefore: originalTokenCount,
      tokensAfter: newTokenCount,
      summary: textOf(summary?.parts) || undefined,
    });
    return [{ kind: 'full', messageIndex, ...told }];
  });
}
