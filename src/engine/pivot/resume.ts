import { estimateText } from '../estimate.ts';
import { fileReadBy } from '../file-calls.ts';
import { findNewest, itemsFrom, type List, rewriteFrom } from '../history.ts';
import { isAsked, isRequest, wordsOf } from '../latest.ts';
import { isPrompt, type Message, type Part, type TextPart, type UserMessage } from '../message.ts';
import type { CutPolicy, Policy, RereadPolicy, ResumePolicy } from '../policy.ts';
import { REFUSAL_NOTE, resumeTexts } from '../prompts.ts';
import type { Tools } from '../state.ts';
import { beginningOf, endOf } from '../values.ts';
import { flattenMessage, withoutMedia } from './flatten.ts';

/** Why a compaction is queued. */
export interface MarkerOptions {
  readonly auto: boolean;
  /** The provider had refused the request. */
  readonly overflow: boolean;
}

/** A cut that says prompts again. */
export type QuotedCut = CutPolicy & { readonly keep: 'user-messages' };

const QUEUED_BEFORE = 'The user wrote this in the meantime:';
const QUEUED_AFTER = 'Please see to this request, and then go on with the rest.';
const WHOLE = { clearedOutput: '', toolOutputChars: Number.POSITIVE_INFINITY };

/** The refused prompt as a new message, its media as text. */
export function replayPrompt(prompt: UserMessage, tools: Tools): UserMessage {
  const parts = prompt.parts.map((part) => ({ ...withoutMedia(part), id: tools.newId('part') }));
  return userMessage(parts, tools);
}

/** A view with the prompts behind its newest step wrapped. Source: OpenCode 1.1.11 to 1.15.13. */
export function wrapQueued(view: List<Message>): List<Message> {
  const start = findNewest(view, (message) => 'finish' in message && Boolean(message.finish)) + 1;
  const queued = itemsFrom(view, start);
  if (start === 0 || !queued.some(isRequest)) return view;
  return rewriteFrom(view, start, queued.map(wrapPrompt));
}

/** The user message that makes the model go on after a pivot, if any. */
export function continueMessage(
  policy: ResumePolicy,
  options: { readonly afterRefusal: boolean; readonly requestOf: () => string },
  tools: Tools,
): readonly UserMessage[] {
  const text = resumeTexts[policy.continueText ?? 'none'].replace('{request}', options.requestOf);
  if (text === '') return [];
  const explains = options.afterRefusal && policy.explainRefusal;
  const part: TextPart = {
    type: 'text',
    id: tools.newId('part'),
    text: explains ? `${REFUSAL_NOTE}\n\n${text}` : text,
    synthetic: true,
  };
  return [userMessage([part], tools)];
}

/** The user message that queues a compaction. */
export function createMarker(options: MarkerOptions, tools: Tools): UserMessage {
  const { auto, overflow } = options;
  return userMessage([{ type: 'compaction', id: tools.newId('part'), auto, overflow }], tools);
}

/** Index of the first unanswered prompt; -1 where there is none. */
export function unansweredFrom(view: readonly Message[]): number {
  const answered = view.findLastIndex(({ role }) => role === 'assistant');
  return view.findIndex((message, index) => index > answered && isPrompt(message));
}

/** The prompts that fit a budget, the last one cut. Sources: Codex, `build_compacted_history`; Kimi Code. */
export function quotePrompts(
  messages: readonly Message[],
  { tokens: budgetTokens = Infinity, firstTokens = 0 }: QuotedCut,
  { estimator }: Pick<Policy, 'estimator'>,
): readonly string[] {
  const weigh = (text: string) => estimateText(text, { estimator });
  const charsOf = (tokens: number) => Math.floor(tokens * estimator.charsPerToken);
  const texts = messages.filter(isPrompt).flatMap((message) => wordsOf(message) ?? []);
  if (texts.reduce((sum, text) => sum + weigh(text), 0) <= budgetTokens) return texts;
  if (firstTokens > 0) {
    const [all, lastChars] = [texts.join('\n'), charsOf(budgetTokens - firstTokens)];
    return [beginningOf(all, charsOf(firstTokens)), endOf(all, lastChars)];
  }
  const quoted: string[] = [];
  let leftTokens = budgetTokens;
  for (const text of texts.toReversed()) {
    if (leftTokens <= 0) break;
    const tokens = weigh(text);
    quoted.push(tokens <= leftTokens ? text : cutMiddle(text, charsOf(leftTokens)));
    leftTokens -= tokens;
  }
  return quoted.toReversed();
}

/** Prompts that say so again. */
export function quoteMessages(texts: readonly string[], tools: Tools): readonly UserMessage[] {
  return texts.map((text) => ({
    id: tools.newId('message'),
    role: 'user',
    createdAt: tools.now,
    parts: [{ type: 'text', id: tools.newId('part'), text }],
  }));
}

/** The files that were read last, newest first. Sources: Claude Code and Qwen Code. */
export function rereadFiles(
  history: readonly Message[],
  rules: RereadPolicy,
  { estimator }: Pick<Policy, 'estimator'>,
): string {
  const texts: string[] = [];
  let leftTokens = rules.totalTokens;
  for (const { path, text } of newestReads(history)) {
    if (texts.length === rules.files) break;
    const shown = shorten(text, path, { rules, estimator });
    leftTokens -= estimateText(shown, { estimator });
    if (leftTokens < 0) break;
    texts.push(shown);
  }
  return texts.join('\n\n');
}

/** Beginning and end of a text, of so many characters together. */
export function cutMiddle(text: string, chars: number): string {
  const head = Math.ceil(chars / 2);
  const left = text.length - chars;
  return `${beginningOf(text, head)}\n[${left} characters left out]\n${endOf(text, chars - head)}`;
}

function userMessage(parts: readonly Part[], tools: Tools): UserMessage {
  return { id: tools.newId('message'), role: 'user', createdAt: tools.now, parts };
}

function wrapPrompt(message: Message): Message {
  if (!isPrompt(message)) return message;
  const parts = message.parts.map((part) => {
    if (part.type !== 'text' || !isAsked(part)) return part;
    const text = `<system-reminder>\n${QUEUED_BEFORE}\n${part.text}\n\n${QUEUED_AFTER}\n</system-reminder>`;
    return { ...part, text };
  });
  return { ...message, parts };
}

function* newestReads(history: readonly Message[]) {
  const seen = new Set<string>();
  for (const message of history.toReversed()) {
    for (const each of message.parts.toReversed()) {
      const read = fileReadBy(each);
      if (read === undefined || seen.has(read.path)) continue;
      seen.add(read.path);
      const { compactedAt: _, ...state } = read.part.state;
      const alone = { ...message, parts: [{ ...read.part, state }] };
      yield { path: read.path, text: flattenMessage(alone, WHOLE) };
    }
  }
}

function shorten(
  text: string,
  path: string,
  { rules, estimator }: { readonly rules: RereadPolicy } & Pick<Policy, 'estimator'>,
): string {
  if (estimateText(text, { estimator }) <= rules.fileTokens) return text;
  if (rules.longFiles === 'path') return path;
  return beginningOf(text, Math.floor(rules.fileTokens * estimator.charsPerToken));
}
