import { z } from 'zod';
import type { SummaryAnswer } from '../summarizer.ts';
import type { RequestOutline } from './outline.ts';

/** One call as a cassette keeps it. */
export interface Recording {
  readonly version: typeof VERSION;
  /** What answered: a provider's own service, or something that stands in for one. */
  readonly recordedAgainst: string;
  /** Which repetition of a run asked, from 1. */
  readonly repeat: number;
  /** How often that run had asked the same by then, from 1. */
  readonly nth: number;
  readonly request: RequestOutline;
  readonly answer: SummaryAnswer;
}

/** Changes whenever older recordings cannot be read any more. */
export const VERSION = 1;

const lines = z.array(z.string());
const count = z.number().int().nonnegative();
const call = z.strictObject({
  usage: z
    .strictObject({
      input: count,
      output: count,
      reasoning: count,
      cacheRead: count,
      cacheWrite: count,
      total: count.optional(),
    })
    .optional(),
  costNanoUsd: count.optional(),
  latencyMs: z.number().nonnegative().optional(),
  model: z.string().optional(),
  answeredAt: z.iso.datetime().optional(),
});
const failure = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('fail'), message: z.string().optional() }),
  z.strictObject({ type: z.literal('time-out'), afterMs: count }),
  z.strictObject({ type: z.literal('rate-limit'), retryAfterMs: count.optional() }),
  z.strictObject({
    type: z.literal('overflow'),
    statusCode: count.optional(),
    message: z.string().optional(),
  }),
  z.strictObject({ type: z.literal('abort'), afterTokens: count }),
]);
const answer = z.discriminatedUnion('state', [
  z.strictObject({
    state: z.literal('finished'),
    finish: z.string(),
    text: lines,
    reasoningText: lines.optional(),
    call: call.optional(),
  }),
  z.strictObject({
    state: z.literal('failed'),
    reason: z.string(),
    isOverflow: z.boolean(),
    failure: failure.optional(),
    error: z
      .strictObject({
        message: z.string(),
        statusCode: count.optional(),
        body: z.string().optional(),
      })
      .optional(),
    tries: count.optional(),
    call: call.optional(),
  }),
]);

/** A recording as a file has it: texts are lists of lines, so that a change shows as the lines that changed. */
export const RecordingFile = z.strictObject({
  version: z.literal(VERSION),
  recordedAgainst: z.string(),
  repeat: count.min(1),
  nth: count.min(1),
  request: z.strictObject({
    key: z.string().regex(/^[0-9a-f]{64}$/),
    summarizer: z.string(),
    settings: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
    outputCapTokens: count.optional(),
    system: lines,
    prompt: lines,
    messages: lines,
  }),
  answer,
});

/** A recording as its file says it. */
export function fromFile({ answer: filed, ...rest }: z.infer<typeof RecordingFile>): Recording {
  if (filed.state === 'failed') return { ...rest, answer: filed } as Recording;
  const { text, reasoningText, ...told } = filed;
  const thought = reasoningText && { reasoningText: reasoningText.join('\n') };
  return { ...rest, answer: { ...told, text: text.join('\n'), ...thought } } as Recording;
}

/** The text of a recording's file; every string of it has gone through the scrub. */
export function toFileText(recording: Recording, scrub: (text: string) => string): string {
  const { answer: given, ...rest } = recording;
  const filed =
    given.state === 'failed'
      ? given
      : {
          ...given,
          text: given.text.split('\n'),
          ...(given.reasoningText !== undefined && {
            reasoningText: given.reasoningText.split('\n'),
          }),
        };
  const value = { ...rest, answer: filed };
  const text = JSON.stringify(
    value,
    (_, field: unknown) => (typeof field === 'string' ? scrub(field) : field),
    2,
  );
  return `${text}\n`;
}
