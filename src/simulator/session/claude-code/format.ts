import type { SessionFormat, SourceFile } from '../format.ts';
import { readRecordLines } from '../reading/record-lines.ts';
import type { Session } from '../session.ts';
import { createTally, type Tally } from '../reading/tally.ts';
import { dropUnknown } from '../reading/unknown-records.ts';
import { isPartialStart } from './partial.ts';
import {
  type ClaudeRecord,
  isConversation,
  isUnknown,
  parseRecord,
  withoutRepeats,
} from './record.ts';
import { toSessions } from './sessions.ts';

/** Transcripts of Claude Code, one record a line, with sub-agents inline or in files of their own. */
export const claudeCode: SessionFormat = {
  label: 'Claude Code transcript (JSON lines)',
  detect: (file) => file.lines().records.some(isClaudeLine),
  read: readTranscript,
};

/** A record of the Agent SDK may have a uuid as well, but spells the session otherwise. */
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

/** The records in file order, each once. */
function readRecords(file: SourceFile, tally: Tally): readonly ClaudeRecord[] {
  const records = withoutRepeats(readRecordLines(file.lines(), parseRecord, tally), tally);
  dropUnknown(
    tally,
    records.filter(isUnknown).map(({ type }) => type),
  );
  return records;
}
