import type { Message, Part } from '../../../engine/index.ts';
import { addToGroup, sum } from '../../lib/collections.ts';
import { isObject } from '../../lib/json.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import { createRecording, type Facts, type Recording } from '../reading/recording.ts';
import { createTally, dropUnknown, readRecordLines, type Tally } from '../reading/tally.ts';
import { findByCallId, withMessages } from '../reading/transcript.ts';
import { type Session, sessionName } from '../session.ts';
import {
  isStep,
  isToolCall,
  isToolResult,
  opensTurn,
  readConversation,
} from './claude-code-conversation.ts';
import {
  blocksOf,
  cacheTtlOf,
  type ClaudeRecord,
  commandIn,
  isBoundary,
  isConversation,
  isUnknown,
  ownCostOf,
  parseRecord,
  releaseOf,
  withoutRepeats,
} from './claude-code-records.ts';

/** The source of some records. */
interface ClaudeRecording {
  readonly name: string;
  readonly format: string;
  /** The conversation continues something that the recording does not hold. */
  isPartial(records: readonly ClaudeRecord[], index: RecordIndex): boolean;
  readonly tally: Tally;
}

/** Places of prompts and answers, from which abandoned branches are found. */
interface Tree {
  readonly records: readonly ClaudeRecord[];
  /** The uuid that each record follows; absent where the file does not hold or name it. */
  readonly forks: readonly (string | undefined)[];
  /** Place of the last prompt after each record. */
  readonly lastPrompts: ReadonlyMap<string, number>;
  /** Place of the last message in a branch, by the uuid of its first record. */
  readonly lastWords: ReadonlyMap<string, number>;
}

/** The records of one conversation. */
interface Chain {
  readonly records: readonly ClaudeRecord[];
  readonly isSide: boolean;
  /** The agent of a side conversation, or the uuid of its first record. */
  readonly agentId?: string | undefined;
}

/** Records by uuid. */
type RecordIndex = ReadonlyMap<string, ClaudeRecord>;

/** Stands for the parent of a session's first record; no uuid equals it. */
const BEGINNING = ' beginning';

/** An output of so few tokens cannot be more characters. */
const BEGUN_TOKENS = 3;
const BEGUN_CHARS = 80;

/** Commands that empty the context. */
const CLEARS: ReadonlySet<string | undefined> = new Set(['clear', 'reset', 'new']);

/** Names of the tool that starts a sub-agent. */
const STARTERS = new Set<string | undefined>(['Agent', 'Task']);

/** Transcripts of Claude Code, one record a line; sub-agents inline or in their own files. */
export const claudeCode: SessionFormat = {
  label: 'Claude Code transcript (JSON lines)',
  certainty: 'mark',
  detect: (file) => file.lines().records.some(isClaudeLine),
  read: readTranscript,
  keeps: {
    tools:
      'Bash BashOutput KillShell KillBash Read Edit MultiEdit Write NotebookEdit NotebookRead Grep Glob LS Skill Task Agent TodoWrite TodoRead TaskCreate TaskUpdate TaskList TaskGet TaskOutput TaskStop WebFetch WebSearch AskUserQuestion EnterPlanMode ExitPlanMode exit_plan_mode SlashCommand',
    arguments: 'activeForm multiline output_mode run_in_background subagent_type',
    sizes: 'head_limit',
    reasons: 'local notice prompt recorded',
  },
};

/** The conversations of a recording, the main one first. Throws `HarnessError` if there is none. */
export function toSessions(
  records: readonly ClaudeRecord[],
  recording: ClaudeRecording,
): readonly Session[] {
  const { name, tally } = recording;
  const index = indexByUuid(records);
  const chains = splitSidechains(records, index).map((chain) =>
    chain.isSide ? chain : { ...chain, records: withoutRewound(chain.records, index, tally) },
  );
  const findSideIds = findByCallId(findSideSessions(chains));
  const sessions = chains.map((chain, position) => ({
    name: sessionName(name, { index: position, count: chains.length }),
    ...toSession(
      createRecording(position === 0 ? tally : undefined, { atPrompt: 'in-front' }),
      chain,
      {
        format: recording.format,
        isPartial: recording.isPartial(chain.records, index),
        findSideIds,
      },
    ),
  }));
  return withMessages(sessions, name, 'a transcript without messages');
}

/** Recognizes a conversation that continues something the file does not hold. */
export function isPartialStart(records: readonly ClaudeRecord[], index: RecordIndex): boolean {
  const first = records.find((record) => isConversation(record) || isBoundary(record));
  if (first === undefined) return false;
  if (isBoundary(first) || first.isCompactSummary || first.type === 'assistant') return true;
  return hasLostAncestor(first, index) || beginsWithLostCall(records);
}

/** Records of a file by uuid. */
function indexByUuid(records: readonly ClaudeRecord[]): RecordIndex {
  return new Map(records.flatMap((record) => (record.uuid ? [[record.uuid, record]] : [])));
}

/** The main conversation, then those of sub-agents in their order. A file with sub-agent records only is one side conversation. */
function splitSidechains(records: readonly ClaudeRecord[], index: RecordIndex): readonly Chain[] {
  const main = records.filter((record) => !record.isSidechain);
  if (main.some(isConversation)) {
    const conversations = splitConversations(main);
    return [
      ...conversations.map((own) => ({ records: own, isSide: false })),
      ...splitSides(records, index),
    ];
  }
  const agentId = records.find((record) => record.agentId !== undefined)?.agentId;
  return [{ records, isSide: true, agentId }];
}

/** Records by conversation: a command that empties the context begins another, if any step came before and comes after. */
function splitConversations(records: readonly ClaudeRecord[]): readonly ClaudeRecord[][] {
  const lastStep = records.findLastIndex(isStep);
  const conversations: ClaudeRecord[][] = [[]];
  let isAnswered = false;
  for (const [place, record] of records.entries()) {
    if (isAnswered && place < lastStep && CLEARS.has(commandIn(record))) {
      conversations.push([]);
      isAnswered = false;
    }
    conversations.at(-1)?.push(record);
    isAnswered ||= isStep(record);
  }
  return conversations;
}

function splitSides(records: readonly ClaudeRecord[], index: RecordIndex): readonly Chain[] {
  const findRoot = createRootFinder(index);
  const chains = new Map<string | undefined, ClaudeRecord[]>();
  for (const record of records.filter(({ isSidechain }) => isSidechain)) {
    addToGroup(chains, record.agentId ?? findRoot(record), record);
  }
  return [...chains].map(([agentId, chain]) => ({ records: chain, isSide: true, agentId }));
}

/**
 * Finds the first sub-agent record among a record's ancestors, itself included. Chains run through all types, end at the main
 * conversation, and are walked once.
 */
function createRootFinder(index: RecordIndex): (record: ClaudeRecord) => string | undefined {
  const roots = new Map<ClaudeRecord, string | undefined>();
  return (record) => {
    const path: ClaudeRecord[] = [];
    let current: ClaudeRecord | undefined = record;
    while (current !== undefined && !roots.has(current) && !isMain(current)) {
      path.push(current);
      roots.set(current, undefined);
      current = parentOf(current, index);
    }
    let root = current && roots.get(current);
    for (const ancestor of path.toReversed()) {
      if (ancestor.isSidechain) root ??= ancestor.uuid;
      roots.set(ancestor, root);
    }
    return root;
  };
}

function isMain(record: ClaudeRecord): boolean {
  return isConversation(record) && !record.isSidechain;
}

/** The record that another one follows, if the file holds it. */
function parentOf({ parentUuid }: ClaudeRecord, index: RecordIndex): ClaudeRecord | undefined {
  return parentUuid === undefined ? undefined : index.get(parentUuid);
}

/**
 * Leaves out branches abandoned by a rewind, where the new prompt follows the same record as the old one. Results and notes fork
 * too: a branch counts as abandoned if it has messages before the new prompt and none after.
 */
function withoutRewound(
  records: readonly ClaudeRecord[],
  index: RecordIndex,
  tally: Tally,
): readonly ClaudeRecord[] {
  const tree = toTree(records, index);
  const left = new Set<string | undefined>();
  const kept = records.filter((record, place) => {
    const isLeft = left.has(record.parentUuid) || wasLeft(tree, record, place);
    if (isLeft && record.uuid !== undefined) left.add(record.uuid);
    return !isLeft;
  });
  tally.drop('message of another branch', countMessages(records) - countMessages(kept));
  return kept;
}

/** Collects the places of prompts and messages. Records with a missing parent are in no branch. */
function toTree(records: readonly ClaudeRecord[], index: RecordIndex): Tree {
  const lastPrompts = new Map<string, number>();
  const lastWords = new Map<string, number>();
  const forks = findForks(records, index);
  for (const [place, record] of [...records.entries()].toReversed()) {
    const fork = forks[place];
    const isNew = opensTurn(record);
    if (isNew || isStep(record)) raise(lastWords, record.uuid, place);
    raise(lastWords, fork, lastWords.get(record.uuid ?? ''));
    if (isNew) raise(lastPrompts, fork, place);
  }
  return { records, forks, lastPrompts, lastWords };
}

/**
 * The uuid that each record follows. A root follows the beginning or the last compaction; where even steps are roots, parents are
 * not recorded.
 */
function findForks(
  records: readonly ClaudeRecord[],
  index: RecordIndex,
): readonly (string | undefined)[] {
  const tellsRoots = !records.some((record) => record.isRoot && isStep(record));
  let beginning = BEGINNING;
  return records.map((record) => {
    if (isBoundary(record)) beginning = `${BEGINNING} ${record.uuid}`;
    else if (record.isRoot && tellsRoots) return beginning;
    return parentOf(record, index)?.uuid;
  });
}

function raise(places: Map<string, number>, uuid: string | undefined, place = -1): void {
  if (uuid !== undefined) places.set(uuid, Math.max(places.get(uuid) ?? -1, place));
}

/** Recognizes abandoned branches. Only a prompt of the same session abandons one: a resumed session is no branch. */
function wasLeft(tree: Tree, record: ClaudeRecord, place: number): boolean {
  const { records, forks, lastPrompts, lastWords } = tree;
  const { uuid = '', sessionId } = record;
  const next = lastPrompts.get(forks[place] ?? '') ?? -1;
  const lastWord = lastWords.get(uuid) ?? -1;
  const isOver = place <= lastWord && lastWord < next;
  return isOver && records[next]?.sessionId === sessionId;
}

/** Counts messages; records with one message id are one step. */
function countMessages(records: readonly ClaudeRecord[]): number {
  const stepIds = records.filter(isStep).map(({ message, uuid }) => message?.id ?? uuid);
  return records.filter(opensTurn).length + new Set(stepIds).size;
}

/** Sub-agent sessions by call id: from results, from agents named by the call, or by an equal prompt in order. */
function findSideSessions(chains: readonly Chain[]): ReadonlyMap<string, readonly string[]> {
  const records = chains.flatMap((chain) => chain.records);
  const sides = chains.filter(({ isSide }) => isSide);
  const main = chains.find(({ isSide }) => !isSide)?.records ?? [];
  const found = new Map([...idsInResults(records), ...idsOfCalls(records, sides)]);
  const toldIds = new Set(found.values());
  const open = openCallsByPrompt(main, found);
  for (const { agentId, records: own } of sides) {
    const calls = open.get(promptOf(own));
    const [callId] = calls ?? [];
    if (agentId === undefined || toldIds.has(agentId) || callId === undefined) continue;
    calls?.delete(callId);
    found.set(callId, agentId);
  }
  return new Map([...found].map(([callId, id]) => [callId, [id]]));
}

/** Agent ids by call; a record with several results does not say which is the agent's. */
function idsInResults(records: readonly ClaudeRecord[]): ReadonlyMap<string, string> {
  const ids = new Map<string, string>();
  for (const record of records) {
    if (record.resultAgentId === undefined) continue;
    const [result, ...others] = blocksOf(record).filter(isToolResult);
    const callId = others.length === 0 ? result?.tool_use_id : undefined;
    if (callId !== undefined && !ids.has(callId)) ids.set(callId, record.resultAgentId);
  }
  return ids;
}

function idsOfCalls(
  records: readonly ClaudeRecord[],
  sides: readonly Chain[],
): ReadonlyMap<string, string> {
  const callIds = new Set(
    records
      .flatMap(blocksOf)
      .filter(isToolCall)
      .map(({ id }) => id),
  );
  return new Map(
    sides.flatMap(({ agentId: id }) => (id !== undefined && callIds.has(id) ? [[id, id]] : [])),
  );
}

function openCallsByPrompt(
  records: readonly ClaudeRecord[],
  found: ReadonlyMap<string, string>,
): ReadonlyMap<unknown, Set<string>> {
  const open = new Map<unknown, Set<string>>();
  for (const { id, name, input } of records.flatMap(blocksOf).filter(isToolCall)) {
    const prompt = STARTERS.has(name) && isObject(input) ? input['prompt'] : undefined;
    if (id === undefined || typeof prompt !== 'string' || found.has(id)) continue;
    const calls = open.get(prompt);
    if (calls === undefined) open.set(prompt, new Set([id]));
    else calls.add(id);
  }
  return open;
}

/** The first text that the calling model sent to a sub-agent. */
function promptOf(records: readonly ClaudeRecord[]): string | undefined {
  const first = records.find((record) => record.type === 'user' && isConversation(record));
  return first && blocksOf(first).find(({ text }) => text !== undefined)?.text;
}

function toSession(
  recording: Recording,
  { records, isSide, agentId }: Chain,
  { format, ...facts }: Pick<Facts, 'isPartial' | 'findSideIds'> & { readonly format: string },
): Omit<Session, 'name'> {
  const restarts = readConversation(recording, records);
  const recordedId = records.find((record) => record.sessionId !== undefined)?.sessionId;
  const session = recording.finish(format, {
    ...facts,
    sessionId: agentId ?? recordedId,
    isSide,
    parentSessionId: agentId === undefined ? undefined : recordedId,
    restarts: restarts.length > 0 ? restarts : undefined,
    release: releaseOf(records),
    cacheTtlMs: cacheTtlOf(records),
    ownCostUsd: ownCostOf(records),
  });
  return { ...session, isOutputFinal: isOutputFinal(session.messages) };
}

/** Tells of outputs that agree with their texts; a count that was written as a stream began does not. False without usage. */
function isOutputFinal(messages: readonly Message[]): boolean {
  const measured = messages.flatMap((message) =>
    message.role === 'assistant' && message.usage ? [{ ...message, usage: message.usage }] : [],
  );
  const isBegun = ({ usage, parts }: (typeof measured)[number]) =>
    usage.output <= BEGUN_TOKENS && sum(parts.map(writtenChars)) > BEGUN_CHARS;
  return measured.length > 0 && !measured.some(isBegun);
}

function writtenChars(part: Part): number {
  if (part.type === 'text' || part.type === 'reasoning') return part.text.length;
  return part.type === 'tool' ? (JSON.stringify(part.state.input)?.length ?? 0) : 0;
}

/** Follows the parents of a record to one that the file does not hold. */
function hasLostAncestor(record: ClaudeRecord, index: RecordIndex): boolean {
  const seen = new Set<ClaudeRecord>();
  let current = record;
  for (;;) {
    if (current.parentUuid === undefined || seen.has(current)) return false;
    seen.add(current);
    const parent = parentOf(current, index);
    if (parent === undefined) return true;
    current = parent;
  }
}

/** Recognizes records that begin with the result of a call that is not among them. */
function beginsWithLostCall(records: readonly ClaudeRecord[]): boolean {
  const blocks = records.flatMap(blocksOf);
  const first = blocks.find((block) => isToolCall(block) || isToolResult(block));
  if (first === undefined || isToolCall(first)) return false;
  return !blocks.some((block) => isToolCall(block) && block.id === first.tool_use_id);
}

/** Recognizes transcript records; the Agent SDK spells the session id otherwise. */
function isClaudeLine(line: unknown): boolean {
  const record = parseRecord(line);
  if (record === undefined || !isConversation(record)) return false;
  const isNamed = record.uuid !== undefined && record.session_id === undefined;
  return record.sessionId !== undefined || isNamed;
}

function readTranscript(file: SourceFile): readonly Session[] {
  const tally = createTally();
  const records = readRecords(file, tally);
  return toSessions(records, {
    name: file.name,
    format: 'claude-code',
    isPartial: isPartialStart,
    tally,
  });
}

/** Records in file order, without repeats. */
function readRecords(file: SourceFile, tally: Tally): readonly ClaudeRecord[] {
  const records = withoutRepeats(readRecordLines(file.lines(), parseRecord, tally), tally);
  dropUnknown(
    tally,
    records.filter(isUnknown).map(({ type }) => type),
  );
  return records;
}
