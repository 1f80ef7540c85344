import { claudeCode } from '../claude-code/format.ts';
import { isPartialStart } from '../claude-code/partial.ts';
import { type ClaudeRecord, isConversation, withoutRepeats } from '../claude-code/record.ts';
import { toSessions } from '../claude-code/sessions.ts';
import type { JsonLines, SessionFormat, SourceFile } from '../format.ts';
import { readRecordLines } from '../reading/record-lines.ts';
import type { Session } from '../session.ts';
import { createTally } from '../reading/tally.ts';
import { dropUnknown } from '../reading/unknown-records.ts';
import { isUnknown, parseLine } from './record.ts';
import { completeTurns } from './turns.ts';

/** Streams of `claude -p --output-format stream-json` and of the Agent SDK, as they are or in a logger's envelopes. */
export const claudeAgentSdk: SessionFormat = {
  label: 'Claude Agent SDK stream (JSON lines)',
  detect: isStream,
  read: readStream,
};

/** What has the ids of a transcript is one, though streams and transcripts have records in common. */
function isStream(file: SourceFile): boolean {
  if (claudeCode.detect(file)) return false;
  const stream = linesOf(file).records.flatMap((line) => parseLine(line) ?? []);
  return (
    stream.some(({ record }) => isConversation(record)) && stream.some(({ isTelling }) => isTelling)
  );
}

function readStream(file: SourceFile): readonly Session[] {
  const tally = createTally();
  const stream = readRecordLines(linesOf(file), parseLine, tally);
  dropUnknown(
    tally,
    stream.filter(isUnknown).map(({ record }) => record.type),
  );
  const isFromStart = stream.find(({ record, isInit }) => isInit || isConversation(record))?.isInit;
  return toSessions(withoutRepeats(completeTurns(stream), tally), {
    name: file.name,
    format: 'claude-agent-sdk',
    isPartial: (records, index) =>
      isSide(records) ? isPartialStart(records, index) : isFromStart !== true,
    tally,
  });
}

/** The records of a stream also stand in one list, as `--output-format json --verbose` prints them. */
function linesOf(file: SourceFile): JsonLines {
  const lines = file.lines();
  return { ...lines, records: lines.records.flatMap((line) => line) };
}

function isSide(records: readonly ClaudeRecord[]): boolean {
  return records.every(({ isSidechain }) => isSidechain);
}
