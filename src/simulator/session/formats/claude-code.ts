import { addToGroup, sum } from '../../lib/collections.ts';
import type { FormatSession, SessionFormat, SourceFile } from '../format.ts';
import * as kit from '../reading/fields.ts';
import { createRecording } from '../reading/recording.ts';
import * as made from '../reading/transcript.ts';
import { sessionName } from '../session.ts';
import * as claude from './claude-code-conversation.ts';

type Records = readonly claude.ClaudeRecord[];

interface ClaudeSource {
  readonly name: string;
  /** Tests if a conversation continues something that the source does not hold. */
  isPartial(records: Records, index: RecordIndex): boolean;
  readonly tally: kit.Tally;
}

interface Chain {
  readonly records: Records;
  readonly isSide: boolean;
  /** The agent of a side conversation, or the uuid of its first record. */
  readonly agentId?: string | undefined;
}

type RecordIndex = ReadonlyMap<string | undefined, claude.ClaudeRecord>;

/** Stands for the parent of a session's first record; no uuid equals it. */
const BEGINNING = ' beginning';
/** An output of so few tokens cannot be more characters. */
const BEGUN_TOKENS = 3;
const BEGUN_CHARS = 80;
const CLEARS = kit.wordsIn('clear reset new');
const STARTERS = kit.wordsIn('Agent Task');

/** Transcripts of Claude Code, one record a line; sub-agents inline or in their own files. */
export const claudeCode: SessionFormat = {
  label: 'Claude Code transcript (JSON lines)',
  detect: (file) => file.lines().records.some(isClaudeLine),
  read: readTranscript,
};

/** The conversations of some records, the main one first. Throws `HarnessError` if there is none. */
export function toSessions(records: Records, source: ClaudeSource): readonly FormatSession[] {
  const { name, tally } = source;
  const index = new Map(records.map((record) => [record.uuid, record]));
  const chains = splitChains(records).map((chain) =>
    chain.isSide ? chain : { ...chain, records: withoutRewound(chain.records, index, tally) },
  );
  const findSideIds = made.findByCallId(findSideSessions(chains));
  const sessions = chains.map(({ records: own, isSide, agentId }, place) => {
    const recording = createRecording(place === 0 ? tally : undefined, claude.CLAUDE_BLOCKS);
    const restarts = claude.readConversation(recording, own);
    const recordedId = own.find(({ sessionId }) => sessionId !== undefined)?.sessionId;
    const session = recording.finish({
      isPartial: source.isPartial(own, index),
      findSideIds,
      sessionId: agentId ?? recordedId,
      isSide,
      parentSessionId: agentId === undefined ? undefined : recordedId,
      restarts: restarts.length > 0 ? restarts : undefined,
      release: claude.releaseOf(own),
      cacheTtlMs: claude.cacheTtlOf(own),
      ownCostUsd: claude.ownCostOf(own),
      isOutputFinal: isOutputFinal(recording.drafts),
    });
    return { name: sessionName(name, { index: place, count: chains.length }), ...session };
  });
  return made.withMessages(sessions, name, 'a transcript without messages');
}

/** Recognizes a conversation that continues something the file does not hold. */
export function isPartialStart(records: Records, index: RecordIndex): boolean {
  const first = records.find((record) => record.isSaid || claude.isBoundary(record));
  if (first === undefined) return false;
  if (claude.isBoundary(first) || first.isCompactSummary || first.type === 'assistant') return true;
  return hasLostAncestor(first, index) || beginsWithLostCall(records);
}

/** A file with sub-agent records only is one side conversation. */
function splitChains(records: Records): readonly Chain[] {
  const main = records.filter(({ isSidechain }) => !isSidechain);
  if (main.some(({ isSaid }) => isSaid)) {
    const own = splitAtClearings(main).map((each) => ({ records: each, isSide: false }));
    return [...own, ...splitSides(records)];
  }
  const agentId = records.find((record) => record.agentId !== undefined)?.agentId;
  return [{ records, isSide: true, agentId }];
}

/** Records by conversation: a command that empties the context begins another, if any step came before and comes after. */
function splitAtClearings(records: Records): readonly Records[] {
  const lastStep = records.findLastIndex(claude.isStep);
  const conversations: claude.ClaudeRecord[][] = [[]];
  let isAnswered = false;
  for (const [place, record] of records.entries()) {
    if (isAnswered && place < lastStep && CLEARS.has(claude.commandIn(record))) {
      conversations.push([]);
      isAnswered = false;
    }
    conversations.at(-1)?.push(record);
    isAnswered ||= claude.isStep(record);
  }
  return conversations;
}

/** Side conversations by their agent, or by the first record of a sub-agent among the ancestors, up to the main conversation. */
function splitSides(records: Records): readonly Chain[] {
  const roots = new Map<string | undefined, string | undefined>();
  const chains = new Map<string | undefined, claude.ClaudeRecord[]>();
  for (const record of records) {
    const { isSidechain, isSaid, uuid, parentUuid, agentId } = record;
    const above = isSaid && !isSidechain ? undefined : roots.get(parentUuid);
    const root = above ?? (isSidechain ? uuid : undefined);
    if (uuid !== undefined) roots.set(uuid, root);
    if (isSidechain) addToGroup(chains, agentId ?? root, record);
  }
  return [...chains].map(([agentId, own]) => ({ records: own, isSide: true, agentId }));
}

/**
 * Leaves out branches abandoned by a rewind, where the new prompt follows the same record as the old one. Results and notes fork
 * too: a branch counts as abandoned if it has messages before the new prompt and none after. Only a prompt of the same session
 * abandons one: a resumed session is no branch.
 */
function withoutRewound(records: Records, index: RecordIndex, tally: kit.Tally): Records {
  const forks = findForks(records, index);
  /** Place of the last prompt after each record, and of the last message in the branch that it begins. */
  const lastPrompts = new Map<string | undefined, number>();
  const lastWords = new Map<string | undefined, number>();
  for (const [place, record] of [...records.entries()].toReversed()) {
    const isNew = claude.opensTurn(record);
    if (isNew || claude.isStep(record)) raise(lastWords, record.uuid, place);
    raise(lastWords, forks[place], lastWords.get(record.uuid));
    if (isNew) raise(lastPrompts, forks[place], place);
  }
  const left = new Set<string | undefined>();
  const kept = records.filter(({ uuid, parentUuid, sessionId }, place) => {
    const next = lastPrompts.get(forks[place]) ?? -1;
    const lastWord = lastWords.get(uuid) ?? -1;
    const isOver = place <= lastWord && lastWord < next && records[next]?.sessionId === sessionId;
    const isLeft = left.has(parentUuid) || isOver;
    if (isLeft && uuid !== undefined) left.add(uuid);
    return !isLeft;
  });
  tally.drop('message of another branch', countMessages(records) - countMessages(kept));
  return kept;
}

/** A root follows the beginning or the last compaction; where even steps are roots, parents are not recorded. */
function findForks(records: Records, index: RecordIndex): readonly (string | undefined)[] {
  const tellsRoots = !records.some((record) => record.isRoot && claude.isStep(record));
  let beginning = BEGINNING;
  return records.map((record) => {
    if (claude.isBoundary(record)) beginning = `${BEGINNING} ${record.uuid}`;
    else if (record.isRoot && tellsRoots) return beginning;
    return record.parentUuid && index.get(record.parentUuid)?.uuid;
  });
}

function raise(places: Map<string | undefined, number>, uuid: string | undefined, place = -1) {
  if (uuid !== undefined) places.set(uuid, Math.max(places.get(uuid) ?? -1, place));
}

function countMessages(records: Records): number {
  const stepIds = records.filter(claude.isStep).map(({ messageId, uuid }) => messageId ?? uuid);
  return records.filter(claude.opensTurn).length + new Set(stepIds).size;
}

/** Sub-agent sessions by call id: from results, from agents named by the call, or by an equal prompt in order. */
function findSideSessions(chains: readonly Chain[]): ReadonlyMap<string, readonly string[]> {
  const calls = callsIn(chains.flatMap(({ records }) => records));
  const callIds = new Set(calls.map(({ id }) => kit.toId(id)));
  const sides = chains.filter(({ isSide }) => isSide);
  const main = chains.find(({ isSide }) => !isSide)?.records ?? [];
  const found = idsInResults(chains.flatMap(({ records }) => records));
  for (const { agentId } of sides) {
    if (agentId !== undefined && callIds.has(agentId)) found.set(agentId, agentId);
  }
  const toldIds = new Set(found.values());
  const starters = callsIn(main).filter(({ name }) => STARTERS.has(name));
  for (const { agentId, records } of sides) {
    const first = records.find(({ type, isSaid }) => type === 'user' && isSaid);
    const prompt = first?.blocks.flatMap(({ text }) => kit.toText(text) ?? [])[0];
    const call = starters.find(({ id, input }) => {
      const isOpen = kit.toId(id) !== undefined && !found.has(String(id));
      return isOpen && prompt !== undefined && kit.fieldsOf(input)['prompt'] === prompt;
    });
    if (agentId !== undefined && !toldIds.has(agentId) && call !== undefined)
      found.set(String(call['id']), agentId);
  }
  return new Map([...found].map(([callId, id]) => [callId, [id]]));
}

function callsIn(records: Records) {
  return records.flatMap(({ blocks }) => blocks).filter(claude.isToolCall);
}

function idsInResults(records: Records): Map<string, string> {
  const ids = new Map<string, string>();
  for (const { line, blocks } of records) {
    const agentId = kit.toId(kit.valueAt(line, 'toolUseResult.agentId'));
    const [result, ...others] = blocks.filter(claude.isToolResult);
    const callId = kit.toId(result?.['tool_use_id']);
    if (agentId === undefined || callId === undefined || others.length > 0) continue;
    if (!ids.has(callId)) ids.set(callId, agentId);
  }
  return ids;
}

/** Tells of outputs that agree with their texts; a count that was written as a stream began does not. False without usage. */
function isOutputFinal(drafts: readonly made.DraftMessage[]) {
  const measured = drafts.filter(({ usage }) => usage !== undefined);
  return measured.length > 0 && !measured.some(isBegun);
}

function isBegun({ usage, parts }: made.DraftMessage) {
  return (usage?.output ?? 0) <= BEGUN_TOKENS && sum(parts.map(made.charsWritten)) > BEGUN_CHARS;
}

function hasLostAncestor(record: claude.ClaudeRecord, index: RecordIndex) {
  const seen = new Set<claude.ClaudeRecord>();
  let current: claude.ClaudeRecord | undefined = record;
  while (current?.parentUuid !== undefined && !seen.has(current)) {
    seen.add(current);
    current = index.get(current.parentUuid);
  }
  return current === undefined;
}

function beginsWithLostCall(records: Records) {
  const blocks = records.flatMap((record) => record.blocks);
  const first = blocks.find((one) => claude.isToolCall(one) || claude.isToolResult(one));
  if (first === undefined || claude.isToolCall(first)) return false;
  return !blocks.some((one) => claude.isToolCall(one) && one['id'] === first['tool_use_id']);
}

/** Recognizes transcript records; the Agent SDK spells the session id otherwise. */
function isClaudeLine(value: unknown) {
  const { isSaid, uuid, sessionId, line } = claude.toRecord(kit.fieldsOf(value));
  const isNamed = uuid !== undefined && kit.toText(line['session_id']) === undefined;
  return isSaid && (sessionId !== undefined || isNamed);
}

function readTranscript(file: SourceFile) {
  const tally = kit.createTally();
  const all = kit.readObjectLines(file.lines(), tally).map(claude.toRecord);
  const records = claude.withoutRepeats(all, tally);
  for (const { type } of records.filter(claude.isUnknown)) tally.dropUnknown(type);
  const source = { name: file.name, isPartial: isPartialStart, tally };
  return toSessions(records, source);
}
