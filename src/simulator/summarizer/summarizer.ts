import * as z from 'zod';
import {
  type Message,
  type ModelContent,
  render,
  type RenderPolicy,
  type SummaryRequest,
} from '../../engine/index.ts';
import type { Immutable } from '../lib/json.ts';
import { FailureSchema } from '../scenario/scenario.ts';

const count = z.number().int().nonnegative();

const CallSchema = z.strictObject({
  /** Absent where the provider reported none, which is not 0. */
  usage: z
    .strictObject({
      input: count,
      output: count,
      reasoning: count,
      cacheRead: count,
      cacheWrite: count,
      total: count.exactOptional(),
    })
    .exactOptional(),
  /** By the list price of the model that answered; absent where that or the usage is unknown. */
  costNanoUsd: count.exactOptional(),
  latencyMs: z.number().nonnegative().exactOptional(),
  /** The model as its provider named it, often with a date; absent of a mock. */
  model: z.string().exactOptional(),
  /** When the provider says that it answered. */
  answeredAt: z.iso.datetime().exactOptional(),
});

export const FinishedSchema = z.strictObject({
  state: z.literal('finished'),
  finish: z.string(),
  text: z.string(),
  /** Reasoning of the model before it wrote; no part of the summary. */
  reasoningText: z.string().exactOptional(),
  call: CallSchema.exactOptional(),
});

export const FailedSchema = z.strictObject({
  state: z.literal('failed'),
  reason: z.string(),
  /** True if the newest rules recognise the failure as a request that was too large. */
  isOverflow: z.boolean(),
  failure: FailureSchema.exactOptional(),
  /** The refusal as the provider worded it, by which a policy knows an overflow or does not. */
  error: z
    .strictObject({
      message: z.string(),
      statusCode: count.optional(),
      body: z.string().optional(),
    })
    .exactOptional(),
  /** Requests that were sent. Absent where the policy's own client still has to try again. */
  tries: count.exactOptional(),
  call: CallSchema.exactOptional(),
});

/** Measurements of a call; a mock has only those that it was told to pretend. */
export type CallRecord = Immutable<z.infer<typeof CallSchema>>;

/** A summary request that was answered. */
export type FinishedAnswer = Immutable<z.infer<typeof FinishedSchema>>;

/** A summary request that was not answered. */
export type FailedAnswer = Immutable<z.infer<typeof FailedSchema>>;

/** The answer to a summary request. */
export type SummaryAnswer = FinishedAnswer | FailedAnswer;

/** Answers a summary request synchronously. */
export interface Summarizer {
  readonly name: string;
  readonly isAsync?: false;
  /** Deterministic for the same request, and never throws for a well-typed one. */
  summarise(request: SummaryRequest, tools: SummarizerTools): SummaryAnswer;
}

/** Answers a summary request asynchronously. */
export interface AsyncSummarizer {
  readonly name: string;
  readonly isAsync: true;
  /** Settings besides the name that affect an answer, such as the cap of a whole run. */
  readonly settings?: Readonly<Record<string, string | number | boolean>> | undefined;
  /** Rejects only where no other request could be answered either, with a `HarnessError`, or when it was aborted. */
  summarise(request: SummaryRequest, tools: AsyncTools): Promise<SummaryAnswer>;
}

/** Any summarizer; `isAsync` decides on the driver. */
export type AnySummarizer = Summarizer | AsyncSummarizer;

/** Tools of a summarizer besides the request. */
export interface SummarizerTools {
  readonly countTokens: (text: string) => number;
  readonly random: () => number;
  /** How the policy shows messages to a model; as the newest OpenCode does by default. */
  readonly render?: RenderPolicy;
}

/** Tools of an asynchronous summarizer. One object stands for one run. */
export interface AsyncTools extends SummarizerTools {
  /** Aborts when the answer is no longer needed. */
  readonly signal?: AbortSignal | undefined;
  /** Which repetition of the same run it is, from 1. */
  readonly repeat?: number | undefined;
  /** A likely answer where it is no summary, for a dry run; absent for a summary. */
  readonly likelyAnswer?: ((request: SummaryRequest) => string) | undefined;
}

export interface SummarizerEntry {
  readonly describes: string;
  /** Its answers; with the number behind its name where that has one. */
  readonly answers: (value?: number) => Summarizer['summarise'];
  readonly takes?: TakenNumber;
}

export interface TakenNumber {
  readonly what: string;
  readonly most: number;
  readonly isWhole: boolean;
  readonly example: number;
}

/** The length of a summary where no policy names one, which is assumed as presets assume it. */
const USUAL_TOKENS = 2_000;
const EARLIER_SUMMARY = /<previous-summary>[\s\S]*?<\/previous-summary>/g;
const PREVIOUS_START = '<previous-summary>';
const PREVIOUS_END = '</previous-summary>';
const HEADING = /^#{1,6}\s+\S/;
const LEAVES: ReadonlySet<string> = new Set(['string', 'number', 'bigint', 'boolean']);
/** Cleared outputs and markers say nothing of the head itself. */
const SILENT = { clearedOutput: '', markerQuestion: '', summaryAs: 'assistant' } as const;

/** Tokens of an answer without a model: as of real ones, and never above the cap. */
export function budgetTokens({ targetTokens, outputCapTokens }: SummaryRequest) {
  return Math.min(targetTokens ?? USUAL_TOKENS, outputCapTokens ?? Infinity);
}

/** The longest cut of a text that fits; empty where none does. */
export function longestFitting(
  { length }: string,
  cutAt: (length: number) => string,
  fits: (text: string) => boolean,
) {
  let best = '';
  let [low, high] = [1, length - 1];
  while (low <= high) {
    const middle = Math.floor((low + high) / 2);
    const text = cutAt(middle);
    if (fits(text)) {
      if (text.length > best.length) best = text;
      low = middle + 1;
    } else high = middle - 1;
  }
  return best;
}

/** The headings that a summary request asks for, each once and in order. */
export function askedHeadings(prompt: string) {
  const lines = prompt.replaceAll(EARLIER_SUMMARY, '').split('\n');
  return [...new Set(lines.map((line) => line.trim()).filter((line) => HEADING.test(line)))];
}

/** The summary that an instruction quotes; empty where there is none. */
export function quotedSummary(prompt: string) {
  const start = prompt.indexOf(PREVIOUS_START);
  const end = prompt.lastIndexOf(PREVIOUS_END);
  return start < 0 || end < start ? '' : prompt.slice(start + PREVIOUS_START.length, end);
}

export function headTexts(messages: readonly Message[]) {
  return render(messages, SILENT)
    .flatMap(({ content }) => content.flatMap(textsOf))
    .filter((text) => text !== '');
}

/** The texts of a head without those of calls. */
export function saidTexts(messages: readonly Message[]) {
  return render(messages, SILENT)
    .flatMap(({ content }) => content)
    .flatMap((one) => (one.type === 'tool-call' ? [] : textsOf(one)));
}

/** The keys and values of an input, in order, without a stack for deep ones. */
export function leavesOf(input: unknown) {
  const leaves: string[] = [];
  const waiting: unknown[] = [input];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value === 'object' && value !== null) {
      const keyed = Object.entries(value).toReversed();
      for (const [key, child] of keyed) waiting.push(child, ...(Array.isArray(value) ? [] : [key]));
    } else if (LEAVES.has(typeof value)) leaves.push(String(value));
  }
  return leaves;
}

function textsOf(content: ModelContent) {
  switch (content.type) {
    case 'text':
    case 'reasoning':
      return [content.text];
    case 'file':
      return [content.filename ?? ''];
    case 'tool-call':
      return [content.tool, ...leavesOf(content.input)];
    case 'tool-result':
      return [content.output];
  }
}

/** Re-exported for summarizers. */
export type { Message, SummaryRequest };
