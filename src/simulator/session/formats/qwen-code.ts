import { known } from '../../lib/collections.ts';
import { isObject } from '../../lib/json.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import {
  atLeastZero,
  type Fields,
  fieldsOf,
  objectsIn,
  textOf,
  toId,
  toList,
  toModel,
  toRelease,
  toTokens,
  valueAt,
  wordsIn,
} from '../reading/fields.ts';
import { type Facts, readRecording, type Recording } from '../reading/recording.ts';
import type { RecordedCompaction } from '../session.ts';
import { type Places, readContents } from './gemini-contents.ts';

const SAID = wordsIn('assistant tool_result user');
const COMPRESSION = 'chat_compression';

const INJECTED = wordsIn('background_task_completed cron goal_runtime notification');

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

function isMark(line: unknown): boolean {
  if (!isObject(line) || !SAID.has(line['type'])) return false;
  const { uuid, sessionId, message } = line;
  const isNamed = typeof uuid === 'string' && typeof sessionId === 'string';
  return isNamed && Array.isArray(fieldsOf(message)['parts']);
}

function readSession(recording: Recording, file: SourceFile): Facts {
  const chain = activeChain(recording, recording.readLines(file.lines()));
  const places = readContents(recording, toTurns(chain));
  recording.compactions.push(...compactionsIn(chain, places));
  for (const { uuid, contextWindowSize } of chain) {
    const place = places.get(toId(uuid) ?? '');
    if (place !== undefined) recording.addWindow(toTokens(contextWindowSize), place.before);
  }
  const [first = {}] = chain;
  return {
    sessionId: toId(first['sessionId']),
    isSide: first['isSidechain'] === true,
    isPartial: toId(first['parentUuid']) !== undefined,
    release: toRelease(chain.findLast(({ version }) => toRelease(version))?.['version']),
    isOutputFinal: true,
  };
}

/** The records that lead to the last message. What was taken back leads elsewhere. */
function activeChain({ tally }: Recording, records: readonly Fields[]): readonly Fields[] {
  const parents = new Map(records.map(({ uuid, parentUuid }) => [toId(uuid), toId(parentUuid)]));
  const active = new Set<string | undefined>([undefined]);
  let uuid = toId(records.findLast(isSaid)?.['uuid']);
  while (!active.has(uuid)) {
    active.add(uuid);
    uuid = parents.get(uuid);
  }
  const chain = records.filter((record) => active.has(toId(record['uuid'])));
  const goneCount = records.filter(isSaid).length - chain.filter(isSaid).length;
  tally.drop('message that was taken back', goneCount);
  for (const { type } of records) if (type !== 'system' && !SAID.has(type)) tally.dropUnknown(type);
  return chain;
}

function isSaid({ type }: Fields): boolean {
  return SAID.has(type);
}

/** Turns of the Gemini API. Records of one role and uuid are one turn, with the last usage and model. */
function toTurns(chain: readonly Fields[]): readonly Fields[] {
  const turns = new Map<string, Fields>();
  for (const [index, record] of chain.entries()) {
    if (!isSaid(record)) continue;
    const { type: recordType, timestamp, model, message, usageMetadata, subtype } = record;
    const uuid = toId(record['uuid']) ?? `record-${index + 1}`;
    const type = recordType === 'assistant' ? 'model' : 'user';
    const isOther = (turns.get(uuid)?.['type'] ?? type) !== type;
    const id = isOther ? `${uuid}-${type}` : uuid;
    const before = turns.get(id) ?? {};
    turns.set(id, {
      id,
      type,
      timestamp,
      parts: [...toList(before['parts']), ...toList(fieldsOf(message)['parts'])],
      model: toModel(model, 'qwen-code') ?? before['model'],
      tokens: toCounts(fieldsOf(usageMetadata)) ?? before['tokens'],
      isInjected: INJECTED.has(subtype),
    });
  }
  return [...turns.values()];
}

/** Counts by kind. A total without thoughts means that the answer includes them. */
function toCounts(usage: Fields): Fields | undefined {
  const input = toTokens(usage['promptTokenCount']);
  if (input === undefined) return undefined;
  const thoughts = atLeastZero(toTokens(usage['thoughtsTokenCount']));
  const answered = atLeastZero(toTokens(usage['candidatesTokenCount']));
  const isIncluded = usage['totalTokenCount'] === input + answered && answered >= thoughts;
  return {
    input,
    output: isIncluded ? answered - thoughts : answered,
    thoughts,
    cached: usage['cachedContentTokenCount'],
    tool: usage['toolUsePromptTokenCount'],
  };
}

function compactionsIn(chain: readonly Fields[], places: Places): readonly RecordedCompaction[] {
  return chain.flatMap(({ subtype, systemPayload }, index): readonly RecordedCompaction[] => {
    const last = chain.slice(0, index).findLast(isSaid)?.['uuid'];
    const messageIndex = places.get(toId(last) ?? '')?.after ?? 0;
    if (subtype !== COMPRESSION || messageIndex === 0) return [];
    const [summary = {}] = objectsIn(fieldsOf(systemPayload)['compressedHistory']);
    const told = known({
      tokensBefore: toTokens(valueAt(systemPayload, 'info.originalTokenCount')),
      tokensAfter: toTokens(valueAt(systemPayload, 'info.newTokenCount')),
      summary: textOf(summary['parts']) || undefined,
    });
    return [{ kind: 'full', messageIndex, ...told }];
  });
}
