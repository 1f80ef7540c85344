import { known } from '../../lib/collections.ts';
import { isObject } from '../../lib/json.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import * as kit from '../reading/fields.ts';
import { toRecordedWindows } from '../reading/transcript.ts';
import type { Session } from '../session.ts';
import * as claude from './claude-code-conversation.ts';
import { isPartialStart, toSessions } from './claude-code.ts';

const CONVERSATION = kit.wordsIn('user assistant');
const SUBTYPES = kit.wordsIn('init status compact_boundary');
const RESULT = 'result';

const BOOKKEEPING = kit.wordsIn(`
  auth_status control_cancel_request control_request control_response keep_alive prompt_suggestion
  rate_limit_event ${RESULT} stream_event system tool_progress tool_use_summary`);

const SUMMARY_START = 'This session is being continued from a previous conversation';

/** Streams of `claude -p --output-format stream-json` and of the Agent SDK. */
export const claudeAgentSdk: SessionFormat = {
  label: 'Claude Agent SDK stream (JSON lines)',
  certainty: 'shape',
  detect: (file) => {
    const lines = kit.objectsIn(linesOf(file).records).map(unwrap);
    return lines.some(isSaid) && lines.some(isTelling);
  },
  read: readStream,
};

/** Records line by line, or in one list as `--output-format json --verbose` prints them. */
function linesOf(file: SourceFile) {
  const lines = file.lines();
  return { ...lines, records: lines.records.flatMap((line) => line) };
}

function unwrap(line: kit.Fields) {
  const { type, message, timestamp } = line;
  return isObject(message) && !CONVERSATION.has(type) ? { ...message, type, timestamp } : line;
}

function toLine(line: kit.Fields) {
  const { session_id: sessionId, parent_tool_use_id, isSynthetic: isMeta } = line;
  const { type, subtype, uuid, timestamp, message, claude_code_version: version } = line;
  const compact = kit.fieldsOf(line['compact_metadata']);
  const { trigger, pre_tokens: preTokens, post_tokens: postTokens } = compact;
  const agentId = kit.toId(parent_tool_use_id);
  const told = { type, subtype, uuid, timestamp, message, sessionId, isMeta, agentId, version };
  const compactMetadata = { trigger, preTokens, postTokens };
  return { ...told, isSidechain: agentId !== undefined, compactMetadata };
}

function isSaid(line: kit.Fields) {
  return claude.toRecord(line).isSaid;
}

/** Recognizes streams by the session id; transcripts have the same record types under another key. */
function isTelling({ type, subtype, session_id: id }: kit.Fields) {
  if (typeof id !== 'string') return false;
  return CONVERSATION.has(type) || type === RESULT || (type === 'system' && SUBTYPES.has(subtype));
}

function isInit({ type, subtype }: kit.Fields) {
  return type === 'system' && subtype === 'init';
}

function readStream(file: SourceFile) {
  const tally = kit.createTally();
  const lines = kit.readObjectLines(linesOf(file), tally).map(unwrap);
  for (const { type } of lines) {
    if (!CONVERSATION.has(type) && !BOOKKEEPING.has(type)) tally.dropUnknown(type);
  }
  const first = lines.find((line) => isInit(line) || isSaid(line));
  const isFromStart = first !== undefined && isInit(first);
  const sessions = toSessions(claude.withoutRepeats(completeTurns(lines), tally), {
    name: file.name,
    isPartial: (records, index) =>
      records.every(({ isSidechain }) => isSidechain)
        ? isPartialStart(records, index)
        : !isFromStart,
    tally,
  });
  const windows = windowsIn(lines);
  return sessions.map((session) => ({
    ...session,
    ...known({ recordedWindows: recordedWindowsOf(session, windows) }),
  }));
}

function windowsIn(lines: kit.Objects) {
  const results = lines.filter(({ type }) => type === RESULT);
  return new Map(
    results
      .flatMap(({ modelUsage }) => Object.entries(kit.fieldsOf(modelUsage)))
      .map(([model, usage]) => [model, kit.toTokens(kit.fieldsOf(usage)['contextWindow'])]),
  );
}

function recordedWindowsOf(
  { messages, model: usual }: Pick<Session, 'messages' | 'model'>,
  windows: ReadonlyMap<string, number | undefined>,
) {
  const stated = messages.flatMap((message, messageIndex) => {
    if (message.role === 'user') return [];
    const { model = usual } = message;
    const name = model?.slice(model.indexOf('/') + 1) ?? '';
    return [{ messageIndex, contextTokens: windows.get(name) }];
  });
  return toRecordedWindows(stated);
}

function completeTurns(lines: kit.Objects) {
  const records: claude.ClaudeRecord[] = [];
  // The prompt of the coming steps is known.
  let isTurnOpen = false;
  // A compaction has begun and no step followed yet.
  let isCompacting = false;
  // A boundary came last, and no message since.
  let isAfterBoundary = false;
  let version: string | undefined;
  for (const line of lines) {
    const told = claude.toRecord(toLine(line));
    version = told.version ?? version;
    const record = { ...told, version };
    // A run begins a turn, unless a compaction began it anew.
    if ((isInit(line) && !isCompacting) || line['type'] === RESULT) isTurnOpen = false;
    isAfterBoundary ||= claude.isBoundary(record);
    isCompacting ||=
      claude.isBoundary(record) || (line['type'] === 'system' && line['status'] === 'compacting');
    if (!record.isSaid || record.isSidechain) {
      records.push(record);
      continue;
    }
    const isCompactSummary = isAfterBoundary && record.type === 'user' && isSummary(record);
    if (claude.isStep(record)) {
      const { timestamp } = line;
      if (!isTurnOpen) records.push(claude.toRecord({ type: claude.LOST_PROMPT, timestamp }));
      isTurnOpen = true;
      isCompacting = false;
    } else if (claude.opensTurn({ ...record, isCompactSummary })) isTurnOpen = true;
    isAfterBoundary = false;
    records.push({ ...record, isCompactSummary });
  }
  return records;
}

function isSummary({ isMeta, blocks }: claude.ClaudeRecord) {
  return isMeta || kit.textOf(blocks).startsWith(SUMMARY_START);
}
