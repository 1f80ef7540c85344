import { addToGroup, keepIn, sum } from '../../lib/collections.ts';
import { fillTemplate } from '../extractive/extractive.ts';
import type { AsyncSummarizer, SummarizerTools, SummaryRequest } from '../summarizer.ts';
import { callModel, type CallOptions, worstCostOf } from './call.ts';
import { fileFailure } from './failure.ts';
import { type TextReply, type TextRequest, toTextRequest } from './prompt.ts';

interface ModelSummarizerOptions extends CallOptions {
  readonly name: string;
  readonly outputCapTokens?: number | undefined;
  readonly settings?: AsyncSummarizer['settings'];
  readonly scrub: (text: string) => string;
}

type CapOptions = Pick<ModelSummarizerOptions, 'outputCapTokens' | 'profile'>;

export interface Estimate {
  readonly requests: number;
  readonly inputTokens: number;
  /** Of answers as long as those that stood in. */
  readonly outputTokens: number;
  readonly likelyNanoUsd: number | undefined;
  /** With answers as long as the cap allows; unknown without prices. */
  readonly mostNanoUsd: number | undefined;
}

/** A summarizer in place of a real model that counts what would have been asked. */
export interface DryRun {
  readonly summarizer: AsyncSummarizer;
  estimate(): Estimate;
}

type Said = ReturnType<typeof toSaid>;
type BareText = ReturnType<typeof bareOf>;

const SHOWN = '[of the request]';
const WINDOW_LENGTH = 20;
const LONGEST_READ = 100_000;
const NEIGHBOURS = /\[of the request\](?:[^\p{L}\p{N}]*\[of the request\])+/gu;
/** Text that quoting adds, removes or spells differently, once or repeatedly. */
const QUOTING =
  /\\+(?:u([0-9a-f]{4})|x([0-9a-f]{2})|[nrtbfv0])?|&(?:quot|apos|lt|gt|amp|#34|#39|#x27);|[\s"'<>&]/gi;
const NOT_BARE = /[\s"'<>&\\]/;
const LEAST_LENGTH = 8;
/** A word of an alphabet, or a number. Other scripts write whole sentences without a blank. */
const PLAIN =
  /^[^\p{L}\p{N}]*(?:[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{M}]+|[\p{N}.,]+)[^\p{L}\p{N}]*$/u;
const WORD_END = /[\p{L}\p{N}]$/u;
const WORD_START = /^[\p{L}\p{N}]/u;

const USUAL_CAP_TOKENS = 32_000;
const TOKENS_PER_MESSAGE = 4;
/** Other tokenizers than the one at hand count up to a fifth more. */
const INPUT_MARGIN = 1.2;

const NOTHING: Estimate = {
  requests: 0,
  inputTokens: 0,
  outputTokens: 0,
  likelyNanoUsd: 0,
  mostNanoUsd: 0,
};

export function createModelSummarizer(options: ModelSummarizerOptions): AsyncSummarizer {
  const { name, settings, scrub } = options;
  return {
    name,
    isAsync: true,
    settings,
    summarise: async (request, tools) => {
      const { signal, countTokens } = tools;
      const asked = toModelRequest(request, tools, options);
      const size = sizeOf(asked, tools);
      const estimateUsage = ({ text, reasoningText = '' }: TextReply) => ({
        input: countInput(asked, tools),
        output: countTokens(text),
        reasoning: countTokens(reasoningText),
        cacheRead: 0,
        cacheWrite: 0,
      });
      const answer = await callModel(options, asked, { size, estimateUsage, signal });
      if (answer.state === 'finished') return answer;
      // The words of a provider on a failure may repeat what it was sent.
      return fileFailure(answer, createWithoutRequest(asked, scrub));
    },
  };
}

/** A dry run, in which the extractive summarizer stands in. Every repetition counts. */
export function createDryRun({
  profile,
  outputCapTokens,
  ...asked
}: Pick<AsyncSummarizer, 'name' | 'settings'> & CapOptions): DryRun {
  let total = NOTHING;
  return {
    summarizer: {
      ...asked,
      isAsync: true,
      summarise: async (request, tools) => {
        const likely = tools.likelyAnswer?.(request);
        const answer =
          likely === undefined
            ? fillTemplate(request, tools)
            : ({ state: 'finished', text: likely, finish: 'stop' } as const);
        const sent = toModelRequest(request, tools, { outputCapTokens, profile });
        const { inputTokens, outputTokens: capTokens } = sizeOf(sent, tools);
        const outputTokens = tools.countTokens(answer.text);
        const costOf = (tokens: number) =>
          worstCostOf(profile, { inputTokens, outputTokens: tokens });
        total = {
          requests: total.requests + 1,
          inputTokens: total.inputTokens + inputTokens,
          outputTokens: total.outputTokens + outputTokens,
          likelyNanoUsd: add(total.likelyNanoUsd, costOf(outputTokens)),
          mostNanoUsd: add(total.mostNanoUsd, costOf(capTokens)),
        };
        return answer;
      },
    },
    estimate: () => total,
  };
}

/** Removes pieces of a request from texts: long runs, and whole short messages, however quoted. */
export function createWithoutRequest(
  { system, messages }: TextRequest,
  scrub: (text: string) => string,
): (text: string) => string {
  const texts = [system, ...messages.map(({ content }) => content)];
  let said: Said | undefined;
  return (text) => {
    said ??= toSaid(texts.map(scrub));
    return withoutSaid(scrub(text.slice(0, LONGEST_READ)), said);
  };
}

/** Always with a cap, so that its price has one. */
function toModelRequest(
  request: SummaryRequest,
  { render }: SummarizerTools,
  { outputCapTokens, profile }: CapOptions,
) {
  const caps = [request.outputCapTokens, outputCapTokens, profile?.limits.outputTokens];
  const known = caps.filter((cap) => cap !== undefined);
  return {
    ...toTextRequest(request, render),
    outputCapTokens: Math.min(...known.filter((cap) => cap > 0), USUAL_CAP_TOKENS),
  };
}

function sizeOf(asked: TextRequest & { readonly outputCapTokens: number }, tools: SummarizerTools) {
  const inputTokens = Math.ceil(countInput(asked, tools) * INPUT_MARGIN);
  return { inputTokens, outputTokens: asked.outputCapTokens };
}

function countInput({ system, messages }: TextRequest, { countTokens }: SummarizerTools) {
  const texts = [system, ...messages.map(({ content }) => content)];
  return sum(texts.map((text) => countTokens(text) + TOKENS_PER_MESSAGE));
}

function add(one: number | undefined, other: number | undefined) {
  return one === undefined || other === undefined ? undefined : one + other;
}

function toSaid(texts: readonly string[]) {
  const short = new Map<number, Set<string>>();
  const bare = texts.map((text) => text.replace(QUOTING, unquoted));
  for (const [index, one] of bare.entries()) {
    const isShort = one.length >= LEAST_LENGTH && one.length < WINDOW_LENGTH;
    if (!isShort || PLAIN.test(texts[index] ?? '')) continue;
    keepIn(short, one.length, () => new Set()).add(one);
  }
  return { texts: bare, short };
}

function unquoted(_: string, unicode: string | undefined, byte: string | undefined) {
  const code = unicode ?? byte;
  if (code === undefined) return '';
  const character = String.fromCharCode(Number.parseInt(code, 16));
  return NOT_BARE.test(character) ? '' : character;
}

function withoutSaid(text: string, said: Said) {
  const bare = bareOf(text);
  const isSaid = findRuns(bare.text, said.texts);
  markWhole(bare, said.short, isSaid);
  let result = '';
  let writtenTo = 0;
  for (let from = isSaid.indexOf(1); from !== -1; from = isSaid.indexOf(1, from)) {
    const end = isSaid.indexOf(0, from);
    const to = end === -1 ? isSaid.length : end;
    result += `${text.slice(writtenTo, bare.starts[from])}${SHOWN}`;
    writtenTo = bare.ends[to - 1] ?? text.length;
    from = to;
  }
  return `${result}${text.slice(writtenTo)}`.replace(NEIGHBOURS, SHOWN);
}

function bareOf(text: string) {
  const bare = { text: '', starts: [] as number[], ends: [] as number[] };
  const add = (characters: string, from: number, to: number | undefined) => {
    for (let index = 0; index < characters.length; index++) {
      bare.starts.push(from + (to === undefined ? index : 0));
      bare.ends.push(to ?? from + index + 1);
    }
    bare.text += characters;
  };
  let readTo = 0;
  for (const match of text.matchAll(QUOTING)) {
    const [whole, unicode, byte] = match;
    add(text.slice(readTo, match.index), readTo, undefined);
    readTo = match.index + whole.length;
    add(unquoted(whole, unicode, byte), match.index, readTo);
  }
  add(text.slice(readTo), readTo, undefined);
  return bare;
}

function findRuns(text: string, said: readonly string[]) {
  const isSaid = new Uint8Array(text.length);
  const windows = new Map<string, number[]>();
  for (let at = 0; at + WINDOW_LENGTH <= text.length; at++)
    addToGroup(windows, text.slice(at, at + WINDOW_LENGTH), at);
  for (const one of said) {
    for (let at = 0; at + WINDOW_LENGTH <= one.length && windows.size > 0; at++) {
      const window = one.slice(at, at + WINDOW_LENGTH);
      for (const start of windows.get(window) ?? []) isSaid.fill(1, start, start + WINDOW_LENGTH);
      // Once is enough, so that a text that repeats itself is marked but once.
      windows.delete(window);
    }
  }
  return isSaid;
}

function markWhole(bare: BareText, messages: Said['short'], marks: Uint8Array) {
  for (const [length, known] of messages) {
    for (let start = 0; start + length <= bare.text.length; start++) {
      const end = start + length;
      if (!known.has(bare.text.slice(start, end))) continue;
      if (isWordBoundary(bare, start) && isWordBoundary(bare, end)) marks.fill(1, start, end);
    }
  }
}

/** Text that quoting put there separates words too. */
function isWordBoundary({ text, starts, ends }: BareText, at: number) {
  if (at === 0 || at === text.length || ends[at - 1] !== starts[at]) return true;
  const [before, behind] = [text.slice(Math.max(0, at - 2), at), text.slice(at, at + 2)];
  return !WORD_END.test(before) || !WORD_START.test(behind);
}
