import { isObject } from '../../lib/json.ts';
import * as kit from '../reading/fields.ts';

/** A line of a rollout: an item that the model saw, an event, or settings. */
export interface CodexRecord {
  readonly type: unknown;
  /** Time in ms; 0 if unknown. */
  readonly time: number;
  readonly payload: kit.Fields;
}

const ENVELOPES = kit.wordsIn(`
  compacted event_msg inter_agent_communication_metadata response_item session_meta
  token_usage_record turn_context world_state`);

const PIECES = kit.wordsIn('input_text output_text');

/** The beginning of all marks of redacted texts. */
export const REDACTED = '[REDACTED_';
const MARKER = /^\[REDACTED_[A-Z_\d]+ len=(\d{1,9}) sha=([\da-f]{1,64})\]$/;
const FILLER =
  'the water in the kettle is still cold and nobody has found the lid; look for it below the sink, ' +
  'then fill it again, close the lid, switch it on and wait until it whistles before you pour. ';
const MAX_CHARS = 30_000_000;
const MAX_CHARS_IN_ALL = 100_000_000;
const MAX_DEPTH = 10;

const INJECTED =
  /^\s*(?:# AGENTS\.md instructions|<\/image>|<(?:INSTRUCTIONS|apps_instructions|collaboration_mode|environment_context|environments_instructions|goal_context|model_switch|permissions instructions|permissions|personality_spec|plugins_instructions|realtime_conversation|skill|skills_instructions|subagent_notification|turn_aborted|user_instructions|user_shell_command)>|<hook_prompt|<image)/;

/** The record of a line. Old lines are items without an envelope. */
export function toRecord(line: kit.Fields): CodexRecord {
  const { type, payload, role, id, record_type: named } = line;
  const time = kit.toLocalTime(kit.toText(line['timestamp'] ?? line['created_at']));
  if (isObject(payload)) return { type, time, payload };
  const isItem = kit.toText(type) !== undefined || kit.toText(role) !== undefined || !kit.toId(id);
  const usual = isItem ? 'response_item' : 'session_meta';
  return { type: kit.toText(named) ?? usual, time, payload: line };
}

/** Recognizes lines that no other recorder writes. */
export function isRolloutLine(line: unknown): boolean {
  const { type, payload, content } = kit.fieldsOf(line);
  if (isObject(payload)) return ENVELOPES.has(type);
  return type === 'message' && kit.blocksOf(content).some((piece) => PIECES.has(piece['type']));
}

/** Recognizes messages and calls. */
export function isConversation({ type: lineType, payload }: CodexRecord): boolean {
  const { role, type } = payload;
  const isCall = kit.toText(type)?.endsWith('_call') === true;
  return lineType === 'response_item' && (role === 'user' || role === 'assistant' || isCall);
}

/** Recognizes known types of lines, whatever they hold. */
export function isKnownLine({ type }: CodexRecord): boolean {
  return ENVELOPES.has(type) || type === 'state';
}

/** Recognizes context that a program put in the user's place. */
export function isInjectedText(text: string): boolean {
  return INJECTED.test(text);
}

/** Creates an expander for one file; texts above the limits stay unchanged. */
export function createExpander(tally: kit.Tally): {
  /** The value with all its texts restored; equal texts get equal fillers. */
  readonly expand: (value: unknown) => unknown;
  readonly fillers: ReadonlySet<unknown>;
} {
  const known = new Map<string, string>();
  const fillers = new Set<unknown>();
  let charsInAll = 0;
  const fillerOf = (text: string) => {
    const [, length, sha = ''] = MARKER.exec(text) ?? [];
    if (length === undefined) return text;
    const key = `${length} ${sha}`;
    const chars = Number(length);
    const isTooLong = chars > MAX_CHARS || charsInAll + chars > MAX_CHARS_IN_ALL;
    if (isTooLong && !known.has(key)) tally.drop('redacted text that is too long');
    else if (!known.has(key)) {
      charsInAll += chars;
      known.set(key, fill(chars, sha));
    }
    const filler = known.get(key) ?? text;
    fillers.add(filler);
    return filler;
  };
  const expand = (value: unknown, depth: number): unknown => {
    if (typeof value === 'string') return fillerOf(value);
    if (depth === 0 || typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((each) => expand(each, depth - 1));
    const entries = Object.entries(value).map(([key, each]) => [key, expand(each, depth - 1)]);
    return Object.fromEntries(entries);
  };
  return { expand: (value) => expand(value, MAX_DEPTH), fillers };
}

function fill(chars: number, sha: string) {
  const start = Number.parseInt(sha.slice(0, 8), 16) % FILLER.length;
  const rest = FILLER.repeat(Math.ceil((chars + start) / FILLER.length)).slice(start);
  return `${sha} ${rest}`.slice(0, chars);
}
