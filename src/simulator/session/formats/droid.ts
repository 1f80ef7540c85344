import { isObject } from '../../lib/json.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import { toId, toText } from '../reading/lenient.ts';
import { type Facts, readRecording, type Recording } from '../reading/recording.ts';
import { dropUnknown, readRecordLines, type Tally } from '../reading/tally.ts';
import { readConversation } from './claude-code-conversation.ts';
import {
  type ClaudeRecord,
  isConversation,
  parseRecord,
  withoutRepeats,
} from './claude-code-records.ts';

type Fields = Readonly<Record<string, unknown>>;

const START = 'session_start';
const COMPACTION = 'compaction_state';

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
    const { records } = file.lines();
    return records.some(isStart) && records.some((record) => toMessage(record) !== undefined);
  },
  read: readRecording({ format: 'droid', atPrompt: 'in-front' }, readSession),
  keeps: {
    tools: 'ApplyPatch Create Execute LS MultiEdit TodoWrite',
  },
};

function isStart(record: unknown): record is Fields {
  return isObject(record) && record['type'] === START && toId(record['id']) !== undefined;
}

/** A message as a record of a transcript, which has the same content; `undefined` if it is none. */
function toMessage(record: unknown): ClaudeRecord | undefined {
  if (!isObject(record) || record['type'] !== 'message') return undefined;
  const { id: uuid, timestamp, message } = record;
  const type = isObject(message) ? message['role'] : undefined;
  const read = parseRecord({ type, uuid, timestamp, message });
  return read !== undefined && isConversation(read) ? read : undefined;
}

function readSession(recording: Recording, file: SourceFile): Facts {
  const { tally } = recording;
  const lines = readRecordLines(file.lines(), (line) => (isObject(line) ? line : undefined), tally);
  const records = lines.flatMap((line) => toRecords(line, tally));
  readConversation(recording, withoutRepeats(records, tally));
  return { sessionId: toId(lines.find(isStart)?.['id']) };
}

/** The records of a line as a transcript has them; a compaction is a boundary with its summary behind it. */
function toRecords(line: Fields, tally: Tally): readonly ClaudeRecord[] {
  const { type, timestamp } = line;
  const message = toMessage(line);
  if (message !== undefined) return [message];
  if (type === COMPACTION) {
    const summary = SUMMARY_KEYS.flatMap((key) => toText(line[key]) ?? [])[0];
    const boundary = { type: 'system', subtype: 'compact_boundary', timestamp };
    const told = { type: 'user', isCompactSummary: true, message: { content: summary } };
    return [boundary, ...(summary === undefined ? [] : [told])].flatMap(
      (each) => parseRecord(each) ?? [],
    );
  }
  if (type === 'message') tally.drop('message without a role');
  else if (!BOOKKEEPING.has(type)) dropUnknown(tally, [toText(type)]);
  return [];
}
