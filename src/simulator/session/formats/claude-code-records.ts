import { sum } from '../../lib/collections.ts';
import { isObject } from '../../lib/json.ts';
import { MINUTE_MS } from '../../lib/units.ts';
import * as kit from '../reading/fields.ts';

/** A line of a transcript. */
export type ClaudeRecord = Readonly<ReturnType<typeof toRecord>>;

const COMMAND = /^\s*<command-name>\/?([\w-]+)/;

/** Stands in for a prompt that was not recorded. */
export const LOST_PROMPT = 'lost-prompt';

const CONVERSATION = kit.wordsIn('user assistant');

/** Types without conversation, except boundaries in `system` and texts in `attachment`. */
const BOOKKEEPING = kit.wordsIn(`
  agent-name ai-title atis-latch attachment bridge-session custom-title file-history-snapshot
  frame-link last-prompt mode permission-mode pr-link progress queue-operation relocated result
  started summary system worktree-state`);

/** The record of a line. */
export function toRecord(line: kit.Fields) {
  const { type, parentUuid } = line;
  const { id, model, content } = kit.fieldsOf(line['message']);
  const pieces = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  return {
    line,
    type,
    uuid: kit.toId(line['uuid']),
    parentUuid: kit.toId(parentUuid),
    /** Without a parent and without this, the parent is unknown. */
    isRoot: parentUuid === null,
    sessionId: kit.toId(line['sessionId']),
    agentId: kit.toId(line['agentId']),
    version: kit.toText(line['version']),
    createdAt: kit.toLocalTime(kit.toText(line['timestamp'])),
    isSidechain: line['isSidechain'] === true,
    isMeta: line['isMeta'] === true,
    isCompactSummary: line['isCompactSummary'] === true,
    /** A message of a user or a model with any content. */
    isSaid: CONVERSATION.has(type) && Array.isArray(pieces),
    messageId: kit.toId(id),
    model: kit.toText(model),
    blocks: Array.isArray(pieces) ? pieces.filter(isObject) : [],
  };
}

/** Records with repeats left out. */
export function withoutRepeats(records: readonly ClaudeRecord[], tally: kit.Tally) {
  const seen = new Set<string>();
  const unique = records.filter(({ uuid }) => {
    const isNew = uuid === undefined || !seen.has(uuid);
    if (uuid !== undefined) seen.add(uuid);
    return isNew;
  });
  tally.drop('repeated record', records.length - unique.length);
  return unique;
}

/** Recognizes the boundary at which a summary replaced the history. */
export function isBoundary({ type, line }: ClaudeRecord): boolean {
  return type === 'system' && line['subtype'] === 'compact_boundary';
}

/** The local command that a record echoes, without its slash. */
export function commandIn({ type, isCompactSummary, blocks }: ClaudeRecord): string | undefined {
  if (type !== 'user' || isCompactSummary) return undefined;
  return blocks.flatMap(({ text }) => COMMAND.exec(kit.toText(text) ?? '')?.[1] ?? [])[0];
}

/** Recognizes records that are neither conversation nor known bookkeeping. */
export function isUnknown({ isSaid, type }: ClaudeRecord): boolean {
  return !isSaid && !BOOKKEEPING.has(type);
}

/** The last release that some records name, as numbers; absent if none does. */
export function releaseOf(records: readonly ClaudeRecord[]): readonly number[] | undefined {
  return kit.toRelease(records.findLast(({ version }) => kit.toRelease(version))?.version);
}

/** The cache lifetime of most written tokens; absent if no record has one. */
export function cacheTtlOf(records: readonly ClaudeRecord[]): number | undefined {
  const written = (kind: string) =>
    sum(
      records.map(({ line }) =>
        kit.atLeastZero(kit.toTokens(kit.valueAt(line, `message.usage.cache_creation.${kind}`))),
      ),
    );
  const short = written('ephemeral_5m_input_tokens');
  const long = written('ephemeral_1h_input_tokens');
  if (short + long === 0) return undefined;
  return (long > short ? 60 : 5) * MINUTE_MS;
}

/** The sum of the recorded costs of steps, each counted once; absent if no step has one. */
export function ownCostOf(records: readonly ClaudeRecord[]): number | undefined {
  const costs = new Map<string | undefined, number>();
  for (const { line, messageId, uuid } of records) {
    const { costUSD: cost } = line;
    if (Number.isFinite(cost) && Number(cost) > 0) costs.set(messageId ?? uuid, Number(cost));
  }
  return sum(costs.values()) || undefined;
}
