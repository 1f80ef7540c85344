import { PATH_KEYS } from '../../../engine/index.ts';
import type { KeptWords, SessionFormat } from '../format.ts';
import { sessionFormats } from '../formats.ts';
import { STEERED_KEYS, STEERING_WORDS } from '../shell.ts';

/** Values that redaction keeps, by field; everything else is replaced. */
const VALUES = {
  role: 'user assistant',
  type: 'text reasoning file tool step-start step-finish compaction subtask',
  status: 'pending running completed error',
  kind: 'full micro',
  trigger: 'auto manual',
  format: [...Object.keys(sessionFormats), 'synthetic'].join(' '),
  finish:
    'stop tool-calls length content-filter error other unknown max_tokens end_turn tool_use tool_calls',
  reason:
    'stop tool-calls length content-filter error other unknown max_tokens end_turn tool_use tool_calls',
  signedBy: 'anthropic openai google bedrock vertex azure openrouter',
  name: keptBy('errors'),
  mime: 'image/png image/jpeg image/gif image/webp image/svg+xml image/* application/pdf application/json application/octet-stream application/x-directory text/plain text/html text/csv text/markdown',
  tool: keptBy(
    'tools',
    'bash shell run_command run_terminal run_terminal_cmd shell_exec read read_file ReadFile view open cat edit edit_file replace str_replace str_replace_based_edit_tool insert write write_file create create_file grep search codebase_search file_search grep_search find glob ls list_dir tree agent editor web_fetch web_search fetch',
  ),
} satisfies Record<string, string>;

/** Argument names that many tools share. */
const ARGUMENTS = keptBy(
  'arguments',
  'path paths file files file_path filePath filename file_name dir directory folder cwd command commands cmd args input pattern query queries regex glob include exclude content contents text old_string new_string oldString newString old_str new_str oldText newText old_text new_text replace_all replaceAll edits description explanation prompt thought title name id type status priority todos plan step steps message summary subject url format recursive skill',
);

/** Argument names whose short numbers are sizes, lines and times. */
const SIZES = keptBy(
  'sizes',
  'line line_number start_line end_line offset limit timeout timeout_ms startLine endLine lines max_lines count max_count max_results depth max_depth page page_size context',
);

/** Search switches followed by a number of lines. */
const LINE_SWITCH = /^-[ABC]$/;
/** The most digits of a plain size. */
const SIZE_DIGITS = 6;
/** A command line switch; there are too few to reveal anything. */
const SWITCH = /^-[A-Za-z]$/;

/** Field names of sessions, messages, parts and reports. */
const FIELDS =
  'name format sessionId isSide parentSessionId sideSessions isPartial isRedacted model system messages recordedCompactions isOutputFinal isCacheUnknown cacheTtlMs recordedWindows contextTokens ownCostUsd recordedCosts restarts release report dropped repaired kind trigger messageIndex tokensBefore tokensAfter summary summaryUsage clearedCallIds firstKeptMessageIndex inputNanoUsd outputNanoUsd id role createdAt parts parentId finish error usage input output reasoning cacheRead cacheWrite total message type text synthetic ignored signedBy mime filename url callId tool state status attachments compactedAt partialOutput snapshot reason auto overflow tailStartId headEndId prompt';

/** Words of import reasons, apart from quoted text. */
const REASON_WORDS = keptBy(
  'reasons',
  'a another are arguments as back begins block branch broken call compaction content copy deep empty event events for grouped id in injected input is it json kept known later line lines link made message missing no not object of on or other output part parts record records redacted repeated result results role session shared step steps text texts than that the too tool type unknown user was were with without',
);

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));

const values: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(VALUES).map(([field, list]) => [field, words(list)]),
);
const argumentNames = new Set([...words(`${ARGUMENTS} ${SIZES}`), ...PATH_KEYS, ...STEERED_KEYS]);
const sizeNames = words(SIZES);
const fieldNames = words(FIELDS);
const reasonWords = words(REASON_WORDS);
const QUOTED = /"[^"]*"|“[^”]*”|'[^']*'/g;

/** Checks a value against those that its field may keep. */
export function isAllowedValue(field: string, value: string): boolean {
  return values.get(field)?.has(value) ?? false;
}

/** Checks the name of a tool argument against those that may be kept. */
export function isAllowedArgument(name: string): boolean {
  return argumentNames.has(name) || SWITCH.test(name);
}

/** Accepts sizes too short to reveal anything. */
export function isAllowedNumber(name: string, value: number): boolean {
  if (!sizeNames.has(name) && !LINE_SWITCH.test(name)) return false;
  return String(value).replaceAll(/\D/g, '').length <= SIZE_DIGITS;
}

/** Checks for a field name of sessions. */
export function isField(name: string): boolean {
  return fieldNames.has(name);
}

/** Recognizes reasons of import reports, apart from their quoted text. */
export function isReason(reason: string): boolean {
  const own = reason.replaceAll(QUOTED, ' ').toLowerCase().split(/\s+/);
  return own.every((word) => word === '' || reasonWords.has(word));
}

/** Replaces the quoted text in a reason. */
export function replaceQuoted(reason: string, replace: (text: string) => string): string {
  return reason.replaceAll(QUOTED, replace);
}

/** All texts that may be kept, so that no filler equals one. */
export function allowedTexts(): readonly string[] {
  const named = [ARGUMENTS, SIZES, FIELDS, ...Object.values(VALUES)];
  return [
    ...named.flatMap((list) => list.split(' ')),
    ...PATH_KEYS,
    ...STEERED_KEYS,
    ...STEERING_WORDS,
  ];
}

/** Common words and those of single formats. */
function keptBy(key: keyof KeptWords, common = ''): string {
  const formats: readonly SessionFormat[] = Object.values(sessionFormats);
  const lists = [common, ...formats.flatMap(({ keeps }) => keeps?.[key] ?? [])];
  return lists.filter((list) => list !== '').join(' ');
}
