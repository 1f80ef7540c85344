import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { badOption, HarnessError, messageOf } from '../lib/errors.ts';
import { writeWhole } from '../lib/files.ts';
import { contentHash, describeIssue, shortHash } from '../lib/json.ts';
import { quoted } from '../lib/names.ts';
import { toTextRequest } from './model/prompt.ts';
import type {
  AsyncSummarizer,
  SummarizerTools,
  SummaryAnswer,
  SummaryRequest,
} from './summarizer.ts';

/** Which call a recording is of. */
export type CallId = Pick<Recording, 'repeat' | 'nth'> & { readonly key: string };

/** The recordings of a folder, one call a file. */
export interface Store {
  find(id: CallId): Recording | undefined;
  all(): readonly Recording[];
  /** Writes a recording whole or not at all, and gives it as it will be read. */
  write(recording: Recording): Recording;
}

/** One call as a cassette keeps it. */
export interface Recording {
  readonly version: typeof VERSION;
  /** The server that answered: the provider's own, or a substitute. */
  readonly recordedAgainst: string;
  /** Which repetition of a run asked, from 1. */
  readonly repeat: number;
  /** How often that run had asked the same by then, from 1. */
  readonly nth: number;
  readonly request: RequestOutline;
  readonly answer: SummaryAnswer;
  /** Set where filler stands in the place of the model's words. */
  readonly isRedacted?: true;
}

/** Who was asked. */
export type Asked = Pick<AsyncSummarizer, 'name' | 'settings'>;

/** A request as a cassette keeps it: enough to know it again and to tell what differs, without what the session says. */
export interface RequestOutline {
  /** Hash of everything that is sent and of who is asked. */
  readonly key: string;
  readonly summarizer: string;
  readonly settings: Readonly<Record<string, string | number | boolean>>;
  readonly outputCapTokens?: number;
  /** In lines. */
  readonly system: readonly string[];
  /** In lines. */
  readonly prompt: readonly string[];
  /** Role, length and hash of each. */
  readonly messages: readonly string[];
}

/** Makes the outlines of requests. */
interface OutlineTools extends Pick<SummarizerTools, 'render'> {
  readonly scrub: (text: string) => string;
  /** True to keep hashes of the lines of prompts, which may repeat an earlier summary. */
  readonly isRedacted?: boolean | undefined;
}

const KEY_LENGTH = 16;
const EXTENSION = '.json';
const LONGEST_SHOWN = 300;

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
const RecordingFile = z.strictObject({
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
  isRedacted: z.literal(true).optional(),
});

/** The store of a folder, which is read once and created with the first recording; missing entries are looked up again. */
export function openStore(folder: string, scrub: (text: string) => string): Store {
  let recordings: Map<string, Recording> | undefined;
  const read = () => {
    recordings ??= readFolder(folder);
    return recordings;
  };
  return {
    find: (id) => {
      const name = nameOf(id);
      // Others may have recorded it since.
      const found = read().get(name) ?? readFile(folder, name);
      if (found !== undefined) read().set(name, found);
      return found;
    },
    all: () => [...read().values()],
    write: (recording) => {
      const text = toFileText(recording, scrub);
      const name = nameOf({ ...recording, key: recording.request.key });
      inFolder(folder, () => writeWhole(join(folder, name), text));
      const stored = parse(text, name);
      read().set(name, stored);
      return stored;
    },
  };
}

/** The file of a call. */
export function nameOf({ key, repeat, nth }: CallId): string {
  const again = nth === 1 ? '' : `-${nth}`;
  return `${key.slice(0, KEY_LENGTH)}-${repeat}${again}${EXTENSION}`;
}

/** The outline of a request. Its key covers the whole texts, the rest shortened ones. */
export function outlineOf(
  request: SummaryRequest,
  asked: Asked,
  { render, scrub, isRedacted = false }: OutlineTools,
): RequestOutline {
  const { outputCapTokens } = request;
  const { system, messages } = toTextRequest({ ...request, prompt: '' }, render);
  const { messages: whole } = toTextRequest(request, render);
  const settings = asked.settings ?? {};
  const linesOf = (text: string) =>
    text.split('\n').map((line) => (isRedacted ? outlineOfText(line) : line));
  const capped = outputCapTokens !== undefined && { outputCapTokens };
  return {
    key: contentHash({ summarizer: asked.name, settings, ...capped, system, messages: whole }),
    summarizer: asked.name,
    settings,
    ...capped,
    system: linesOf(scrub(system)),
    prompt: linesOf(scrub(request.prompt)),
    messages: messages.map(({ role, content }) => `${role}, ${outlineOfText(content)}`),
  };
}

function outlineOfText(text: string): string {
  return `${text.length} characters, ${shortHash(text)}`;
}

function readFolder(folder: string): Map<string, Recording> {
  const names = existsSync(folder) ? inFolder(folder, () => readdirSync(folder)) : [];
  const files = names.filter((name) => name.endsWith(EXTENSION)).toSorted();
  return new Map(
    files.map((name) => {
      const recording = parse(readText(folder, name), name);
      return [nameOf({ ...recording, key: recording.request.key }), recording];
    }),
  );
}

/** Runs an action on the folder; a failure stops further calls, whose answers could not be stored. */
function inFolder<Result>(folder: string, act: () => Result): Result {
  try {
    return act();
  } catch (error) {
    throw badOption(
      `Expected a folder for recorded calls, got ${quoted(folder)}: ${quoted(messageOf(error), LONGEST_SHOWN)}.`,
      { cause: error },
    );
  }
}

function parse(text: string, name: string): Recording {
  const checked = RecordingFile.safeParse(toJson(text, name));
  if (checked.success) return fromFile(checked.data);
  throw badRecording(name, `at ${describeIssue(checked.error.issues[0])}`, checked.error);
}

function toJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw badRecording(name, 'it is not JSON', error);
  }
}

function badRecording(name: string, why: string, cause: unknown): HarnessError {
  return new HarnessError(
    'UNREADABLE',
    `Expected ${quoted(name)} to be a recorded call, but ${quoted(why, LONGEST_SHOWN)}. Record it again, or remove it.`,
    { cause },
  );
}

function fromFile({ answer: filed, ...rest }: z.infer<typeof RecordingFile>): Recording {
  if (filed.state === 'failed') return { ...rest, answer: filed } as Recording;
  const { text, reasoningText, ...told } = filed;
  const thought = reasoningText && { reasoningText: reasoningText.join('\n') };
  return { ...rest, answer: { ...told, text: text.join('\n'), ...thought } } as Recording;
}

function readText(folder: string, name: string): string {
  return inFolder(folder, () => readFileSync(join(folder, name), 'utf8'));
}

function readFile(folder: string, name: string): Recording | undefined {
  const recording = existsSync(join(folder, name))
    ? parse(readText(folder, name), name)
    : undefined;
  return recording && nameOf({ ...recording, key: recording.request.key }) === name
    ? recording
    : undefined;
}

/** The text of a recording's file; every string of it has gone through the scrub, long texts before they are lines. */
function toFileText(recording: Recording, scrub: (text: string) => string): string {
  const { answer: given, ...rest } = recording;
  const filed =
    given.state === 'failed'
      ? given
      : {
          ...given,
          text: scrub(given.text).split('\n'),
          ...(given.reasoningText !== undefined && {
            reasoningText: scrub(given.reasoningText).split('\n'),
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
