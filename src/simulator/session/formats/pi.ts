import { sum } from '../../lib/collections.ts';
import { NANO_USD_PER_USD } from '../../lib/units.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import * as kit from '../reading/fields.ts';
import { type Facts, readRecording, type Recording } from '../reading/recording.ts';
import { splitOutput } from '../reading/transcript.ts';
import type { RecordedCost } from '../session.ts';

interface Entry {
  readonly record: kit.Fields;
  readonly index: number;
}

interface Reading {
  readonly recording: Recording;
  /** Messages before each entry, by its index and by its id. */
  readonly messageIndices: Map<unknown, number>;
  isPartial: boolean;
}

const ROLES = kit.wordsIn('user assistant toolResult bashExecution');

const KNOWN_TYPES = kit.wordsIn(`
  branch_summary compaction custom custom_message label model_change session session_info
  thinking_level_change`);

/** Errors of steps without an answer. Partial text of an interrupted step is not sent again. */
const ERRORS: kit.Fields = { aborted: 'AbortedError', error: 'APIError' };

/** Sessions of pi and of agents built on it: a list or a tree of entries. */
export const pi: SessionFormat = {
  label: 'pi session (JSON lines)',
  detect: (file) => kit.hasLines(file, isHeader, isMessage) || kit.hasLines(file, isMessage, isOwn),
  read: readRecording(
    {
      empty: 'a pi session without messages',
      silent: kit.wordsIn('text thinking'),
      reason: 'unknown content block',
      holding: 'last',
    },
    readSession,
  ),
};

function isHeader({ type, id, cwd }: kit.Fields): boolean {
  return type === 'session' && kit.toId(id) !== undefined && typeof cwd === 'string';
}

function isMessage({ type, message }: kit.Fields): boolean {
  return type === 'message' && ROLES.has(kit.fieldsOf(message)['role']);
}

/** Recognizes what no other agent writes, for files without their first line. */
function isOwn({ type, message }: kit.Fields) {
  const { role, stopReason, provider } = kit.fieldsOf(message);
  const isStep = role === 'assistant' && [stopReason, provider].every(kit.toId);
  return type === 'message' && (isStep || role === 'toolResult');
}

function isSystem({ type, message }: kit.Fields): boolean {
  return type === 'message' && kit.fieldsOf(message)['role'] === 'system';
}

function readSession(recording: Recording, file: SourceFile): Facts {
  const { tally } = recording;
  const lines = file.lines();
  for (const record of recording.readLines(lines)) {
    const isKnown = isMessage(record) || isSystem(record) || KNOWN_TYPES.has(record['type']);
    if (!isKnown) tally.dropUnknown(record['type']);
  }
  // Other lines keep their place, because entries are also known by index.
  const records = lines.records.map(kit.fieldsOf);
  const branch = activeBranch(records);
  const countOnBranch = branch.filter(({ record }) => isMessage(record)).length;
  tally.drop('message of another branch', records.filter(isMessage).length - countOnBranch);
  const reading: Reading = { recording, messageIndices: new Map(), isPartial: false };
  for (const entry of branch) readEntry(reading, entry);
  const opened = records.find(({ modelId }) => typeof modelId === 'string');
  return {
    sessionId: records.find(isHeader)?.['id'],
    isPartial: reading.isPartial || recording.beginsWithStep() || !records.some(isHeader),
    system: systemOf(records),
    model: opened && modelOf(opened['provider'], opened['modelId']),
    isOutputFinal: true,
  };
}

/** A parent that does not precede is the entry before. */
function activeBranch(records: kit.Objects): readonly Entry[] {
  const indexById = new Map<unknown, number>();
  const parents = records.map(({ id, parentId }, index) => {
    const parent = parentId === null ? -1 : (indexById.get(parentId) ?? index - 1);
    if (kit.toId(id) !== undefined) indexById.set(id, index);
    return parent;
  });
  const branch: Entry[] = [];
  for (let index = records.length - 1; index >= 0; index = parents[index] ?? -1)
    branch.push({ record: records[index] ?? {}, index });
  return branch.toReversed();
}

function readEntry(reading: Reading, { record, index }: Entry): void {
  const { recording, messageIndices } = reading;
  const { type, summary, content } = record;
  const id = kit.toId(record['id']);
  messageIndices.set(index, recording.drafts.length);
  if (id !== undefined) messageIndices.set(id, recording.drafts.length);
  if (type === 'compaction') readCompaction(reading, record);
  else if (type === 'branch_summary') recording.inject(kit.orEmpty(summary));
  else if (type === 'custom_message') recording.inject(kit.textOf(content));
  else if (type === 'message') readMessage(reading, record);
}

function readCompaction(reading: Reading, record: kit.Fields): void {
  const { recording, messageIndices } = reading;
  const { summary, tokensBefore, firstKeptEntryIndex, firstKeptEntryId } = record;
  if (recording.drafts.length === 0) {
    reading.isPartial = true;
    return recording.inject(kit.orEmpty(summary));
  }
  const kept = kit.toId(firstKeptEntryId) ?? firstKeptEntryIndex;
  const firstKeptMessageIndex = messageIndices.get(kept);
  recording.addCompaction({ tokensBefore, firstKeptMessageIndex, summary });
}

function readMessage({ recording }: Reading, record: kit.Fields): void {
  const message = kit.fieldsOf(record['message']);
  const { role, content, command, output, timestamp, isError, toolCallId } = message;
  const said = { id: record['id'], time: kit.toMoment(timestamp) ?? record['timestamp'] };
  if (role === 'assistant') readStep(recording, message, said);
  else if (role === 'toolResult') recording.calls.finish({ id: toolCallId, content, isError });
  else if (role === 'user') recording.readPrompt({ ...said, content });
  else if (role === 'bashExecution') {
    // A command that a person ran; with `!!` its output was not sent to the model.
    const isSent = message['excludeFromContext'] !== true;
    if (isSent) recording.inject(`$ ${kit.orEmpty(command)}\n${kit.orEmpty(output)}`);
    else recording.tally.drop('shell output that was not sent');
  }
}

function readStep(
  recording: Recording,
  message: kit.Fields,
  said: { readonly id: unknown; readonly time: unknown },
): void {
  const { provider, model, usage: told, stopReason, errorMessage } = message;
  const usage = splitOutput(told);
  const error = kit.toText(ERRORS[kit.orEmpty(stopReason)]);
  const step = recording.readStep({
    ...said,
    model: typeof model === 'string' ? modelOf(provider, model) : undefined,
    finish: stopReason,
    error: error ? { name: error, message: kit.orEmpty(errorMessage) } : undefined,
    usage,
    cost: usage && toCost(kit.fieldsOf(told)['cost']),
  });
  for (const block of kit.blocksOf(message['content'])) {
    if (block['type'] === 'toolCall') recording.calls.read(step, block);
    else step.parts.push(...recording.partsOf([block]));
  }
}

function modelOf(provider: unknown, model: unknown): string {
  return `${kit.toText(provider) ?? 'unknown'}/${kit.toText(model)}`;
}

/** The cost of a step; absent where it is unknown, zero (as for models without a price), or beyond any real request. */
function toCost(recorded: unknown): RecordedCost | undefined {
  const nanoUsdOf = (...kinds: readonly string[]) => {
    const told = kinds.map((kind) => kit.fieldsOf(recorded)[kind]);
    const usd = sum(told.flatMap((one) => (Number.isFinite(one) ? Number(one) : [])));
    return Math.round(Math.max(0, usd) * NANO_USD_PER_USD);
  };
  const cost = {
    inputNanoUsd: nanoUsdOf('input', 'cacheRead', 'cacheWrite'),
    outputNanoUsd: nanoUsdOf('output'),
  };
  const nanoUsd = cost.inputNanoUsd + cost.outputNanoUsd;
  return nanoUsd > 0 && Number.isSafeInteger(nanoUsd) ? cost : undefined;
}

function systemOf(records: kit.Objects): string {
  const { content, sections } = kit.fieldsOf(records.findLast(isSystem)?.['message']);
  const pieces = Object.values(kit.fieldsOf(sections)).flatMap((piece) => kit.toText(piece) ?? []);
  return [kit.textOf(content), ...pieces].filter((text) => text !== '').join('\n\n');
}
