import type { SessionFormat, SourceFile } from '../format.ts';
import { type Fields, fieldsOf, toId, toText } from '../reading/lenient.ts';
import { type Facts, readRecording, type Recording } from '../reading/recording.ts';
import { readConversation } from './claude-code-conversation.ts';
import {
  type ClaudeRecord,
  isConversation,
  parseRecord,
  withoutRepeats,
} from './claude-code-records.ts';

const START = 'session_start';

/** Records that no model saw. */
const BOOKKEEPING = new Set<unknown>([
  'agent_turn_outcome',
  'session_settings',
  START,
  'todo_state',
]);

/** Keys of a compaction that may hold its summary. */
const SUMMARY_KEYS = ['summaryText', 'summary', 'text'];

/** Sessions of Droid: messages of the Anthropic API, one a line. */
export const droid: SessionFormat = {
  label: 'Droid session (JSON lines)',
  certainty: 'mark',
  detect: (file) => {
    const lines = file.lines().records.map(fieldsOf);
    return lines.some(isStart) && lines.some((line) => toMessage(line) !== undefined);
  },
  read: readRecording({ format: 'droid', atPrompt: 'in-front' }, readSession),
  keeps: {
    tools: 'ApplyPatch Create Execute LS MultiEdit TodoWrite',
  },
};

function isStart({ type, id }: Fields): boolean {
  return type === START && toId(id) !== undefined;
}

/** A message as a record of a transcript, which has the same content; `undefined` if it is none. */
function toMessage({ type: kind, id: uuid, timestamp, message }: Fields): ClaudeRecord | undefined {
  if (kind !== 'message') return undefined;
  const read = parseRecord({ type: fieldsOf(message)['role'], uuid, timestamp, message });
  return read !== undefined && isConversation(read) ? read : undefined;
}

function readSession(recording: Recording, file: SourceFile): Facts {
  const lines = recording.readLines(file.lines());
  const records = lines.flatMap((line) => toRecords(recording, line));
  readConversation(recording, withoutRepeats(records, recording.tally));
  return { sessionId: toId(lines.find(isStart)?.['id']) };
}

/** The records of a line as a transcript has them; a compaction is a boundary with its summary behind it. */
function toRecords({ tally }: Recording, line: Fields): readonly ClaudeRecord[] {
  const { type, timestamp } = line;
  const message = toMessage(line);
  if (message !== undefined) return [message];
  if (type === 'compaction_state') {
    const content = SUMMARY_KEYS.flatMap((key) => toText(line[key]) ?? [])[0];
    const boundary = { type: 'system', subtype: 'compact_boundary', timestamp };
    const summary = { type: 'user', isCompactSummary: true, message: { content } };
    const told = content === undefined ? [boundary] : [boundary, summary];
    return told.flatMap((each) => parseRecord(each) ?? []);
  }
  if (type === 'message') tally.drop('message without a role');
  else if (!BOOKKEEPING.has(type)) tally.dropUnknown(type);
  return [];
}
