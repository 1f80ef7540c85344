/** A request as the scripted server understands it, whatever its dialect. */

import { createHash } from 'node:crypto';
import { countEach, sum } from '../../lib/collections.ts';

/** A message in a request. */
export interface SentMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly text: string;
  readonly calls: number;
}

/** A tool that the model may call, with the JSON Schema of its parameters. */
export interface OfferedTool {
  readonly name: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface SentRequest {
  readonly messages: readonly SentMessage[];
  readonly tools: readonly OfferedTool[];
  readonly isStreaming: boolean;
}

/** `other`: titles of sessions, checks of a summary, and the like. */
export type RequestKind = 'agent' | 'summary' | 'title' | 'other';

/** A request without its texts. */
export interface RequestFacts {
  readonly kind: RequestKind;
  readonly roles: Readonly<Record<string, number>>;
  readonly tools: number;
  readonly chars: number;
  /** Of all texts, so that two runs can be held against each other. */
  readonly hash: string;
  /** Markdown headings of the last message: they name the template of a summary. */
  readonly headings: readonly string[];
  /** Share of its beginning that equals the request of the agent before it. */
  readonly samePrefix: number;
  /** Outputs of tools that are marked and no longer there. */
  readonly clearedOutputs: number;
  readonly promptsKept: number;
  readonly outputsKept: number;
}

/** Texts of a script, by which a request is searched. */
export interface Known {
  readonly prompts: readonly string[];
  readonly outputMarks: readonly string[];
  /** A sentence of the summaries that the script answers with. */
  readonly summaryMark: string;
  /** Tools of the agent's requests so far; programs that tidy up on the side have fewer. */
  readonly agentTools: number;
  /** The last message of the request before, where that was one for a summary: the next one that asks otherwise goes on with it. */
  readonly summaryPrompt?: string | undefined;
}

const ASKS_SUMMARY =
  /summar(?:y|i[sz])|compact(?:ed|ion|ing)|hand-?off|state_snapshot|continuation|condens/i;
const ASKS_TITLE = /\btitle\b|\btopic\b|session name/i;
const HEADING = /^#{1,4} .+$/gmu;
const MOST_HEADINGS = 20;
/** A prompt for a summary is long; a person's prompt in a script is not. */
const LONG_PROMPT_CHARS = 150;
const SHOWN_SHARE_DIGITS = 100;
const CLEARED =
  /^\s*(?:[[<(]?[^\n]{0,80}(?:cleared|pruned|omitted|masked|removed|trimmed)[^\n]{0,120}$|<tool_output_masked>)/i;

/** Tells requests of the agent from those that the program makes on its own. */
export function kindOf({ messages, tools }: SentRequest, known: Known): RequestKind {
  const last = messages.findLast(({ role }) => role === 'user' || role === 'system');
  const system = messages.find(({ role }) => role === 'system')?.text ?? '';
  const isOwn = known.prompts.some((prompt) => last?.text.includes(prompt) === true);
  const newest = messages.at(-1);
  const asks =
    newest?.role === 'user' &&
    newest.text.length > LONG_PROMPT_CHARS &&
    ASKS_SUMMARY.test(newest.text);
  const isContinued =
    tools.length > 0 &&
    (isOwn ||
      newest?.text.includes(known.summaryMark) === true ||
      (known.summaryPrompt !== undefined && newest?.text !== known.summaryPrompt));
  if (asks && !isContinued) return 'summary';
  if (tools.length > 0) return tools.length < known.agentTools / 2 ? 'other' : 'agent';
  if (ASKS_TITLE.test(system) || ASKS_TITLE.test(last?.text ?? '')) return 'title';
  return ASKS_SUMMARY.test(system) ? 'summary' : 'other';
}

/** The facts of a request; `before` is the agent's request before it. */
export function factsOf(
  request: SentRequest,
  kind: RequestKind,
  { known, before }: { readonly known: Known; readonly before: SentRequest | undefined },
): RequestFacts {
  const { messages, tools } = request;
  const whole = textOf(request);
  const holds = (texts: readonly string[], where = whole) =>
    texts.filter((text) => where.includes(text)).length;
  // The model's own messages hold the calls, which name the words of their outputs.
  const notOwn = textOf({
    ...request,
    messages: messages.filter((one) => one.role !== 'assistant' && !isCleared(one)),
  });
  return {
    kind,
    roles: Object.fromEntries(countEach(messages.map(({ role }) => role))),
    tools: tools.length,
    chars: sum(messages.map(({ text }) => text.length)),
    hash: createHash('sha256').update(whole).digest('hex').slice(0, 16),
    headings: (messages.at(-1)?.text.match(HEADING) ?? []).slice(0, MOST_HEADINGS),
    samePrefix: before === undefined ? 0 : samePrefix(textOf(before), whole),
    clearedOutputs: messages.filter(isCleared).length,
    promptsKept: holds(known.prompts),
    outputsKept: holds(known.outputMarks, notOwn),
  };
}

function isCleared({ role, text }: SentMessage): boolean {
  return role === 'tool' && CLEARED.test(text);
}

function textOf({ tools, messages }: SentRequest): string {
  const names = tools.map(({ name }) => name).join(',');
  return [names, ...messages.map(({ role, text }) => `${role}: ${text}`)].join('\n');
}

/** The share of the earlier text that the later one begins with, in hundredths. */
function samePrefix(earlier: string, later: string): number {
  const longest = Math.min(earlier.length, later.length);
  let same = 0;
  while (same < longest && earlier[same] === later[same]) same += 1;
  return Math.round((same / Math.max(1, earlier.length)) * SHOWN_SHARE_DIGITS) / SHOWN_SHARE_DIGITS;
}
