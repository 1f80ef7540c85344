/** Records what real models answer, one call a file, and replays it. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { countEach, known } from '../lib/collections.ts';
import { badOption, HarnessError, messageOf } from '../lib/errors.ts';
import { writeWhole } from '../lib/files.ts';
import { contentHash, describeIssue, shortHash } from '../lib/json.ts';
import { quoted } from '../lib/names.ts';
import { toTextRequest } from './model/prompt.ts';
import {
  type AnySummarizer,
  type AsyncSummarizer,
  type AsyncTools,
  FailedSchema,
  FinishedSchema,
  type SummaryAnswer,
  type SummaryRequest,
} from './summarizer.ts';

/** When a cassette asks: where nothing is recorded, always, never; or it is left out. */
export const CASSETTE_MODES = ['auto', 'record', 'strict', 'off'] as const;

export type CassetteMode = (typeof CASSETTE_MODES)[number];

export interface CassetteOptions {
  readonly folder: string;
  readonly mode: CassetteMode;
  /** Takes keys and machine paths out of all that is stored. */
  readonly scrub: (text: string) => string;
  readonly recordedAgainst: string;
  /** True if answers are stored and used as filler. */
  readonly redacts?: boolean | undefined;
  readonly needsWords?: boolean | undefined;
}

export type Asked = Pick<AsyncSummarizer, 'name' | 'settings'>;

const lines = z.array(z.string());
const text = lines.transform((all) => all.join('\n'));
const count = z.number().int().nonnegative();

/** One call as a file has it: texts are lists of lines, for readable differences. */
const RecordingFile = z.strictObject({
  version: z.literal(1),
  /** The server that answered: the provider's own, or a substitute. */
  recordedAgainst: z.string(),
  repeat: count.min(1),
  nth: count.min(1),
  request: z.strictObject({
    key: z.string().regex(/^[0-9a-f]{64}$/),
    summarizer: z.string(),
    settings: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
    outputCapTokens: count.exactOptional(),
    system: lines,
    prompt: lines,
    messages: lines,
  }),
  answer: z.discriminatedUnion('state', [
    FinishedSchema.extend({ text, reasoningText: text.exactOptional() }),
    FailedSchema,
  ]),
  isRedacted: z.literal(true).exactOptional(),
});

type Recording = z.output<typeof RecordingFile>;
type Outline = Recording['request'];

interface Call {
  readonly request: SummaryRequest;
  readonly tools: AsyncTools;
  readonly id: Pick<Recording, 'repeat' | 'nth'>;
  readonly outline: Outline;
  readonly file: string;
}

type Store = ReturnType<typeof openStore>;
const KEY_LENGTH = 16;
const EXTENSION = '.json';
const LONGEST_REASON = 300;
const SHOWN_LINES = 3;
const SHOWN_LENGTH = 160;

/** The summarizer with its calls recorded and replayed, under its own name. */
export function createCassette(inner: AnySummarizer, options: CassetteOptions): AnySummarizer {
  const { recordedAgainst, redacts = false } = options;
  // Identical concurrent requests share one answer.
  const recording = new Map<string, Promise<SummaryAnswer>>();
  const record = async ({ request, tools, id, outline }: Call, store: Store) => {
    const given = await inner.summarise(request, tools);
    const answer = redacts ? await redactAnswer(given) : given;
    const told = { version: 1, recordedAgainst, ...id, request: outline, answer } as const;
    return store.write(redacts ? { ...told, isRedacted: true } : told).answer;
  };
  return replaying(inner, options, (call, store, replayed) => {
    const before = recording.get(call.file) ?? replayed();
    if (before !== undefined) return before;
    const recorded = record(call, store);
    recording.set(call.file, recorded);
    recorded.catch(() => recording.delete(call.file));
    return recorded;
  });
}

/** A summarizer that replays recordings and asks for the rest without writing. */
export function createPlayback(inner: AnySummarizer, options: CassetteOptions): AnySummarizer {
  const mode = options.mode === 'strict' ? 'auto' : options.mode;
  return replaying(
    inner,
    { ...options, mode },
    async ({ request, tools }, _, replayed) => replayed() ?? inner.summarise(request, tools),
  );
}

/** The model of a folder's recordings, where none is named; there must be exactly one. */
export function askedIn(folder: string, scrub: (text: string) => string): Asked {
  const all = openStore(folder, scrub)
    .all()
    .map(({ request: { summarizer: name, settings } }) => ({ name, settings }));
  const asked = new Map(all.map((one) => [JSON.stringify(one), one]));
  const [only, ...others] = asked.values();
  if (only !== undefined && others.length === 0) return only;
  if (only === undefined)
    throw badOption(`Expected recorded calls in ${quoted(folder)}, found none.`);
  const names = [...new Set(all.map(({ name }) => quoted(name)))].toSorted().join(', ');
  throw badOption(
    `Expected 'cassette:DIR=NAME' to say whose calls of ${quoted(folder)} are meant, of ${names}.`,
  );
}

function replaying(
  inner: AnySummarizer,
  options: CassetteOptions,
  answerTo: (
    call: Call,
    store: Store,
    replayed: () => Promise<SummaryAnswer> | undefined,
  ) => Promise<SummaryAnswer>,
): AnySummarizer {
  if (options.mode === 'off') return inner;
  const store = openStore(options.folder, options.scrub);
  const asked = new WeakMap<AsyncTools, Map<string, number>>();
  return {
    name: inner.name,
    isAsync: true,
    settings: inner.isAsync ? inner.settings : undefined,
    summarise: async (request, tools) => {
      const outline = outlineOf(request, inner, { ...options, ...tools });
      const counts = asked.get(tools) ?? new Map<string, number>();
      asked.set(tools, counts);
      const nth = (counts.get(outline.key) ?? 0) + 1;
      counts.set(outline.key, nth);
      const id = { repeat: tools.repeat ?? 1, nth };
      const call = { request, tools, id, outline, file: fileOf({ ...id, request: outline }) };
      return answerTo(call, store, () => replay(call, store, options));
    },
  };
}

/** Nothing where the summarizer is to be asked: an outage may pass, a request that is too large stays so. */
function replay(asked: Call, store: Store, { mode, folder, needsWords = false }: CassetteOptions) {
  if (mode === 'record') return undefined;
  const found = store.find(asked.file);
  if (found?.isRedacted && needsWords) {
    throw badOption(
      `Expected recorded answers with their words, because they are judged by these, got filler in ${quoted(folder)}. Record them without '--cassette-redact'.`,
    );
  }
  if (mode === 'strict' && found === undefined) {
    const { outline, id, file } = asked;
    throw new HarnessError(
      'CASSETTE_MISS',
      `No recording of request ${file} (${outline.summarizer}, repeat ${id.repeat}) in ${quoted(folder)}. ${nearestTo(asked, store.all())} Record it with '--cassette-mode auto', or take the change back.`,
    );
  }
  const isLasting = mode === 'strict' || found?.answer.state === 'finished';
  const isKept = isLasting || (found?.answer.state === 'failed' && found.answer.isOverflow);
  return found && isKept ? Promise.resolve(found.answer) : undefined;
}

function nearestTo({ id, outline }: Call, recordings: readonly Recording[]) {
  if (recordings.length === 0) return 'The folder has no recordings at all.';
  const same = recordings.filter(({ request }) => request.key === outline.key);
  if (same.length > 0) {
    const found = same.map(({ repeat, nth }) => `${repeat}.${nth}`).join(', ');
    return `The same request is recorded for repeat ${found}, not for ${id.repeat}.${id.nth}.`;
  }
  const wanted = linesOf(outline);
  const [nearest] = recordings
    .map((recording) => {
      const recorded = linesOf(recording.request);
      const [gone, added] = [without(recorded, wanted), without(wanted, recorded)];
      return { file: fileOf(recording), gone, added, size: gone.length + added.length };
    })
    .toSorted((a, b) => a.size - b.size);
  if (nearest === undefined) return '';
  const sides = [...shown('it has', nearest.gone), ...shown('the request has', nearest.added)];
  return `Nearest is ${nearest.file}: ${sides.join(', ')}.`;
}

function linesOf(outline: Outline) {
  const { summarizer, settings, outputCapTokens, system, prompt, messages } = outline;
  return [
    `summarizer: ${summarizer}`,
    ...Object.entries(settings).map(([key, value]) => `setting ${key}: ${value}`),
    `output cap: ${outputCapTokens ?? 'none'}`,
    ...system.map((line) => `system: ${line}`),
    ...prompt.map((line) => `prompt: ${line}`),
    ...messages.map((message, index) => `message ${index + 1}: ${message}`),
  ];
}

function without(all: readonly string[], others: readonly string[]) {
  const left = countEach(others);
  return all.filter((line) => {
    const partners = left.get(line) ?? 0;
    left.set(line, partners - 1);
    return partners <= 0;
  });
}

function shown(who: string, all: readonly string[]) {
  if (all.length === 0) return [];
  const some = all.slice(0, SHOWN_LINES).map((line) => quoted(line, SHOWN_LENGTH));
  const rest = all.length - some.length;
  return [`${who} ${some.join(' and ')}${rest > 0 ? ` and ${rest} more` : ''}`];
}

function openStore(folder: string, scrub: (text: string) => string) {
  let recordings: Map<string, Recording> | undefined;
  const read = (name: string) => {
    const content = inFolder(folder, () => readFileSync(join(folder, name), 'utf8'));
    return parse(content, name);
  };
  const stored = () => {
    if (recordings !== undefined) return recordings;
    const names = existsSync(folder) ? inFolder(folder, () => readdirSync(folder)) : [];
    const files = names.filter((name) => name.endsWith(EXTENSION)).toSorted();
    recordings = new Map(files.map(read).map((recording) => [fileOf(recording), recording]));
    return recordings;
  };
  return {
    find: (file: string): Recording | undefined => {
      // Others may have recorded it since.
      if (!stored().has(file) && existsSync(join(folder, file))) {
        const recording = read(file);
        stored().set(fileOf(recording), recording);
      }
      return stored().get(file);
    },
    all: (): readonly Recording[] => [...stored().values()],
    write: (recording: Recording): Recording => {
      const file = fileOf(recording);
      const content = toFileText(recording, scrub);
      inFolder(folder, () => writeWhole(join(folder, file), content));
      const written = parse(content, file);
      stored().set(file, written);
      return written;
    },
  };
}

function fileOf({
  request: { key },
  repeat,
  nth,
}: Pick<Recording, 'repeat' | 'nth'> & { readonly request: Pick<Outline, 'key'> }) {
  const again = nth === 1 ? '' : `-${nth}`;
  return `${key.slice(0, KEY_LENGTH)}-${repeat}${again}${EXTENSION}`;
}

/** Its key covers the whole texts, the rest shortened ones. */
function outlineOf(
  request: SummaryRequest,
  { name, settings = {} }: Asked,
  { render, scrub, redacts = false }: CassetteOptions & Pick<AsyncTools, 'render'>,
) {
  const { system, messages } = toTextRequest({ ...request, prompt: '' }, render);
  const { messages: whole } = toTextRequest(request, render);
  // Prompts may repeat an earlier summary.
  const toLines = (told: string) =>
    scrub(told)
      .split('\n')
      .map((line) => (redacts ? outlineOfText(line) : line));
  const capped = known({ outputCapTokens: request.outputCapTokens });
  return {
    key: contentHash({ summarizer: name, settings, ...capped, system, messages: whole }),
    summarizer: name,
    settings,
    ...capped,
    system: toLines(system),
    prompt: toLines(request.prompt),
    messages: messages.map(({ role, content }) => `${role}, ${outlineOfText(content)}`),
  };
}

function outlineOfText(told: string) {
  return `${told.length} characters, ${shortHash(told)}`;
}

function inFolder<Result>(folder: string, act: () => Result) {
  try {
    return act();
  } catch (error) {
    throw badOption(
      `Expected a folder for recorded calls, got ${quoted(folder)}: ${quoted(messageOf(error), LONGEST_REASON)}.`,
      { cause: error },
    );
  }
}

function parse(content: string, name: string) {
  const bad = (why: string, cause: unknown) =>
    new HarnessError(
      'UNREADABLE',
      `Expected ${quoted(name)} to be a recorded call, but ${quoted(why, LONGEST_REASON)}. Record it again, or remove it.`,
      { cause },
    );
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch (error) {
    throw bad('it is not JSON', error);
  }
  const checked = RecordingFile.safeParse(value);
  if (checked.success) return checked.data;
  throw bad(`at ${describeIssue(checked.error.issues[0])}`, checked.error);
}

/** Every string goes through the scrub, long texts before they are lines. */
function toFileText({ answer, ...rest }: Recording, scrub: (text: string) => string) {
  const toLines = (whole: string) => scrub(whole).split('\n');
  const { text: words, reasoningText } = answer.state === 'failed' ? {} : answer;
  const texts = {
    text: words === undefined ? undefined : toLines(words),
    reasoningText: reasoningText === undefined ? undefined : toLines(reasoningText),
  };
  const scrubbed = (_: string, field: unknown) =>
    typeof field === 'string' ? scrub(field) : field;
  return `${JSON.stringify({ ...rest, answer: { ...answer, ...known(texts) } }, scrubbed, 2)}\n`;
}

async function redactAnswer(answer: SummaryAnswer) {
  if (answer.state === 'failed') return answer;
  const { text: words, reasoningText } = answer;
  // Redaction brings a vocabulary, which only recordings of filler load.
  const { createKeyedHash, stretchSalt } = await import('../session/redact/cipher.ts');
  const { createRedactor } = await import('../session/redact/redactor.ts');
  const { loadVocabulary } = await import('../session/redact/vocabulary.ts');
  const { redactText } = createRedactor({
    vocabulary: await loadVocabulary(),
    hash: createKeyedHash(stretchSalt(`${words}\n${reasoningText ?? ''}`)),
  });
  return {
    ...answer,
    text: redactText(words),
    ...(reasoningText !== undefined && { reasoningText: redactText(reasoningText) }),
  };
}
