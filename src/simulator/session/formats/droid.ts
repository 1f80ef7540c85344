import type { SessionFormat, SourceFile } from '../format.ts';
import { type Fields, fieldsOf, toId, toText, wordsIn } from '../reading/lenient.ts';
import { type Facts, readRecording, type Recording } from '../reading/recording.ts';
import { CLAUDE_BLOCKS, readConversation } from './claude-code-conversation.ts';
import { toRecord, withoutRepeats } from './claude-code-records.ts';

const START = 'session_start';

/** Records that no model saw. */
const BOOKKEEPING = wordsIn(`agent_turn_outcome session_settings ${START} todo_state`);

const SUMMARY_KEYS = ['summaryText', 'summary', 'text'];

/** Sessions of Droid: messages of the Anthropic API, one a line. */
export const droid: SessionFormat = {
  label: 'Droid session (JSON lines)',
  certainty: 'mark',
  detect: (file) => {
    const lines = file.lines().records.map(fieldsOf);
    return lines.some(isStart) && lines.some(isMessage);
  },
  read: readRecording({ format: 'droid', ...CLAUDE_BLOCKS }, readSession),
  keeps: { tools: 'ApplyPatch Create Execute LS MultiEdit TodoWrite' },
};

function isStart({ type, id }: Fields): boolean {
  return type === START && toId(id) !== undefined;
}

function isMessage({ type, message }: Fields): boolean {
  return type === 'message' && toRecord({ type: fieldsOf(message)['role'], message }).isSaid;
}

function readSession(recording: Recording, file: SourceFile): Facts {
  const lines = recording.readLines(file.lines());
  const records = lines.flatMap((line) => toLines(recording, line)).map(toRecord);
  readConversation(recording, withoutRepeats(records, recording.tally));
  return { sessionId: toId(lines.find(isStart)?.['id']) };
}

/** A line as a transcript has it; a compaction is a boundary with its summary behind it. */
function toLines({ tally }: Recording, line: Fields): readonly Fields[] {
  const { type, id: uuid, timestamp, message } = line;
  if (isMessage(line)) return [{ type: fieldsOf(message)['role'], uuid, timestamp, message }];
  if (type === 'compaction_state') {
    const content = SUMMARY_KEYS.flatMap((key) => toText(line[key]) ?? [])[0];
    const boundary = { type: 'system', subtype: 'compact_boundary', timestamp };
    const summary = { type: 'user', isCompactSummary: true, message: { content } };
    return content === undefined ? [boundary] : [boundary, summary];
  }
  if (type === 'message') tally.drop('message without a role');
  else if (!BOOKKEEPING.has(type)) tally.dropUnknown(type);
  return [];
}
