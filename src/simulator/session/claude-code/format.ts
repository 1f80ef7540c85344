import { HarnessError } from '../../errors.ts';
import { quote } from '../describe-content.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import { sessionName } from '../session-name.ts';
import type { Session } from '../session.ts';
import { createTally, type Tally } from '../tally.ts';
import { finishMessages } from '../transcript.ts';
import { isStep, readConversation } from './conversation.ts';
import { indexByUuid, type RecordIndex } from './parents.ts';
import { isPartialStart } from './partial.ts';
import { type ClaudeRecord, isConversation, isUnknown, parseRecord } from './record.ts';
import { type Chain, splitSidechains } from './sidechains.ts';
import { isOutputFinal } from './usage.ts';

/** Transcripts of Claude Code, one record a line, with sub-agents inline or in files of their own. */
export const claudeCode: SessionFormat = {
  label: 'Claude Code transcript (JSON lines)',
  detect: (file) => file.lines().records.some(isClaudeLine),
  read: readTranscript,
};

function isClaudeLine(line: unknown): boolean {
  const record = parseRecord(line);
  if (record === undefined || !isConversation(record)) return false;
  return record.sessionId !== undefined || record.uuid !== undefined;
}

function readTranscript(file: SourceFile): readonly Session[] {
  const tally = createTally();
  const records = readRecords(file, tally);
  const index = indexByUuid(records);
  const chains = splitSidechains(records, index);
  const sessions = chains.map((chain, position) => ({
    name: sessionName(file.name, { index: position, count: chains.length }),
    ...toSession(chain, index, position === 0 ? tally : createTally()),
  }));
  const withMessages = sessions.filter((session) => session.messages.length > 0);
  if (withMessages.length > 0) return withMessages;
  throw new HarnessError(
    'BAD_SESSION',
    `Expected ${quote(file.name)} to hold a conversation, got a transcript without messages.`,
  );
}

/** The records in file order, each once. */
function readRecords(file: SourceFile, tally: Tally): readonly ClaudeRecord[] {
  const { records: lines, brokenLines, gluedRecords } = file.lines();
  const parsed = lines.flatMap((line) => parseRecord(line) ?? []);
  const records = withoutRepeats(parsed);
  tally.drop('broken line', brokenLines);
  tally.drop('line that is no object', lines.length - parsed.length);
  tally.drop('repeated record', parsed.length - records.length);
  tally.drop('unknown record', records.filter(isUnknown).length);
  tally.repair('record on the line of another', gluedRecords);
  return records;
}

function withoutRepeats(records: readonly ClaudeRecord[]): readonly ClaudeRecord[] {
  const seen = new Set<string>();
  return records.filter(({ uuid }) => {
    if (uuid === undefined) return true;
    const isNew = !seen.has(uuid);
    seen.add(uuid);
    return isNew;
  });
}

function toSession(chain: Chain, index: RecordIndex, tally: Tally): Omit<Session, 'name'> {
  const { records, isSide, agentId } = chain;
  const { drafts, compactions } = readConversation(records, tally);
  const messages = finishMessages(drafts, tally);
  const sessionId = agentId ?? records.find((record) => record.sessionId !== undefined)?.sessionId;
  const model = modelOf(records);
  return {
    format: 'claude-code',
    ...(sessionId !== undefined && { sessionId }),
    isSide,
    isPartial: isPartialStart(records, index),
    ...(model !== undefined && { model: `anthropic/${model}` }),
    messages,
    recordedCompactions: compactions,
    isOutputFinal: isOutputFinal(records),
    report: tally.toReport(),
  };
}

function modelOf(records: readonly ClaudeRecord[]): string | undefined {
  return records.find(isStep)?.message?.model;
}
