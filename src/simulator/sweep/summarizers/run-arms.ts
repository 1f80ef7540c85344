import type { Message } from '../../../engine/index.ts';
import { keepIn } from '../../lib/collections.ts';
import { HarnessError, messageOf } from '../../lib/errors.ts';
import { askProbes, createRemembering, type ProbeResult } from '../../metrics/probes/ask-probes.ts';
import {
  type Reader,
  type ReaderPrompt,
  recordOf,
  UNKNOWN_ANSWER,
} from '../../metrics/probes/probe.ts';
import { buildProbes, QUESTION_TEXTS } from '../../metrics/probes/questions.ts';
import { transcriptOf } from '../../metrics/probes/transcript.ts';
import { SCORER_VERSION } from '../../metrics/quality/score-text.ts';
import {
  type BenchConditions,
  SUMMARY_ROW_VERSION,
  type SummaryRow,
} from '../../report/arm-metrics.ts';
import type { AnySummarizer, SummaryAnswer, SummaryRequest } from '../../summarizer/summarizer.ts';
import { rowKey, type SharedFields } from './comparable.ts';
import { lastStep, type SummaryArm, summaryHash, type SummaryScenario } from './inputs.ts';
import { runTrial, type TrialContext, type TrialResult } from './run-trial.ts';

/** A comparison's arms and conditions. */
export interface ArmsContext extends TrialContext {
  readonly arms: readonly SummaryArm[];
  readonly repeats: number;
  /** Conditions that all rows share. */
  readonly bench: Bench;
  /** Keys of rows that are there already. */
  readonly known: ReadonlySet<string>;
  /** Who is asked about what is left; nobody where it is absent. */
  readonly reader?: NamedReader | undefined;
}

type Trial =
  | (TrialResult & Partial<ProbedTrial>)
  | { readonly state: 'broken'; readonly reason: string };

/** The conditions of all rows of a comparison. */
interface Bench {
  /** Of all conditions. */
  readonly hash: string;
  readonly conditions: BenchConditions;
}

/** Who answers questions. */
export interface NamedReader {
  readonly name: string;
  /** The reader for one repetition. */
  readonly of: (repeat: number) => Reader;
}

/** The answers about a trial. */
interface ProbedTrial {
  readonly probes: readonly ProbeResult[];
  readonly unanswered: readonly string[];
  /** The models behind the reader, as their provider names them. */
  readonly readerModel?: string | undefined;
}

/** The means of a reader that is a model. */
export interface ModelReaderOptions {
  readonly count: (text: string) => number;
  readonly signal?: AbortSignal | undefined;
  readonly repeat?: number | undefined;
}

/** All that a reader is told beside the session, as a hash. */
const QUESTIONS_HASH = summaryHash(QUESTION_TEXTS);

/** The length of answers in dry runs: readers answer shortly. */
const likelyAnswer = (): string => UNKNOWN_ANSWER;

/** Rows of one session under every arm, as they come. What is there already is not run again. */
export async function* runArms(
  scenario: SummaryScenario,
  context: ArmsContext,
): AsyncGenerator<SummaryRow, void, void> {
  const reader = rememberByRepeat(context.reader);
  for (const arm of context.arms) {
    if (context.signal?.aborted) return;
    const rows = repeatsOf(context).map((repeat) => emptyRow(scenario, arm, { context, repeat }));
    const wanted = rows.filter((row) => !context.known.has(rowKey(row)));
    const start = (row: SummaryRow) =>
      tryTrial(scenario, arm, { ...context, reader, repeat: row.repeat });
    if (arm.summarizer.isAsync === true) {
      // Trials that wait for an answer wait for all of them at once.
      yield* asTheyCome(wanted.map(async (row) => fillRow(row, await start(row))));
    } else yield* runInTurn(wanted, start, context.signal);
  }
}

/** The fields that every row of a comparison shares. */
export function sharedFields({
  bench,
  reader,
}: Pick<ArmsContext, 'bench'> & {
  readonly reader?: Pick<NamedReader, 'name'> | undefined;
}): SharedFields {
  return {
    rowVersion: SUMMARY_ROW_VERSION,
    scorerVersion: SCORER_VERSION,
    bench: bench.hash,
    conditions: bench.conditions,
    ...(reader && { reader: reader.name, questions: QUESTIONS_HASH }),
  };
}

/** Everything besides its name that decides a summarizer's answers; absent if nothing does. */
export function settingsOf(summarizer: SummaryArm['summarizer']): SummaryRow['settings'] {
  const settings = summarizer.isAsync === true ? summarizer.settings : undefined;
  return settings && Object.keys(settings).length > 0 ? settings : undefined;
}

/** The conditions that rows must share to be compared, besides their session. */
export function benchOf(
  { policy, model, seed, compactAt, pivots }: TrialContext,
  tokenizer: string,
): Bench {
  const { summary, ...rest } = policy;
  const { instruction: _, ...summaryRest } = summary;
  const limits = compactAt === undefined ? { ...model.limits, model: model.id } : 'none';
  const at = compactAt ?? 'policy';
  return {
    hash: hashPlain({ rest, summaryRest, seed, at, pivots, limits, tokenizer }),
    conditions: {
      policy: hashPlain({ rest, summaryRest }),
      ...(compactAt === undefined && { model: hashPlain(limits) }),
      pivots: String(pivots),
      places: String(at),
      tokenizer,
      seed: String(seed),
    },
  };
}

/** A model as a reader: asked as a summarizer is, so that cassettes, limits and budget hold for it too. */
export function createModelReader(
  model: AnySummarizer,
  { count, signal, repeat }: ModelReaderOptions,
): Reader {
  const models = new Set<string>();
  const tools = { countTokens: count, random: () => 0, signal, repeat, likelyAnswer };
  return {
    name: model.name,
    answer: async (prompt) => {
      const answer: SummaryAnswer = await model.summarise(toRequest(prompt), tools);
      if (answer.call?.model !== undefined) models.add(answer.call.model);
      if (answer.state === 'finished') return { state: 'answered', text: answer.text };
      return { state: 'failed', reason: answer.reason };
    },
    models: () => [...models],
  };
}

function repeatsOf({ repeats }: ArmsContext): readonly number[] {
  return Array.from({ length: repeats }, (_, index) => index + 1);
}

function emptyRow(
  { name, hash, family, factSource }: SummaryScenario,
  { summarizer, prompt }: SummaryArm,
  { context, repeat }: { readonly context: ArmsContext; readonly repeat: number },
): SummaryRow {
  const settings = settingsOf(summarizer);
  return {
    ...sharedFields(context),
    scenario: name,
    scenarioHash: hash,
    ...(family !== undefined && { family }),
    facts: factSource,
    summarizer: summarizer.name,
    ...(settings && { settings }),
    model: summarizer.name,
    prompt: prompt.name,
    promptHash: prompt.hash,
    repeat,
    isRandom: true,
    pivots: [],
    survival: [],
  };
}

/** A trial that breaks is a row with its reason, and the others go on; what is set up wrongly breaks them all. */
async function tryTrial(
  scenario: SummaryScenario,
  arm: SummaryArm,
  context: ArmsContext & { readonly repeat: number },
): Promise<Trial> {
  try {
    const reader = context.reader?.of(context.repeat);
    const trial = await runTrial(scenario, arm, { ...context, judge: reader });
    if (reader === undefined) return trial;
    const probed = await probeTrial(scenario, trial, reader);
    const [reason] = probed.unanswered;
    const isMute = probed.probes.length === 0 && reason !== undefined;
    return isMute ? { state: 'broken', reason } : { ...trial, ...probed };
  } catch (error) {
    if (error instanceof HarnessError && error.code === 'BAD_OPTION') throw error;
    return { state: 'broken', reason: messageOf(error) };
  }
}

/** Readers that are asked the same only once for all arms. */
function rememberByRepeat(reader: NamedReader | undefined): NamedReader | undefined {
  if (reader === undefined) return undefined;
  const known = new Map<number, Reader>();
  const of = (repeat: number) => keepIn(known, repeat, () => createRemembering(reader.of(repeat)));
  return { ...reader, of };
}

/** Asks about what the first pivot of a trial left; nothing where there was none. */
async function probeTrial(
  scenario: SummaryScenario,
  { outcomes }: TrialResult,
  reader: Reader,
): Promise<ProbedTrial> {
  const [first] = outcomes;
  if (first?.state !== 'compacted') return { probes: [], unanswered: [] };
  const { messages, facts, stepOf } = scenario;
  const { history, view } = first;
  const said = history.filter(({ id }) => stepOf.has(id));
  const tail = view.filter(({ id }) => stepOf.has(id));
  const later = without(messages, said);
  const head = without(said, tail);
  const atStep = lastStep(scenario, said);
  const probes = buildProbes({ facts, atStep, head, tail, later });
  const contexts = { full: transcriptOf(said), compacted: transcriptOf(view) };
  const { results, unanswered } = await askProbes(probes, { reader, contexts });
  const models = reader.models?.() ?? [];
  return {
    probes: results,
    unanswered,
    ...(models.length > 0 && { readerModel: models.join(' and ') }),
  };
}

function without(messages: readonly Message[], others: readonly Message[]): readonly Message[] {
  const ids = new Set(others.map(({ id }) => id));
  return messages.filter(({ id }) => !ids.has(id));
}

/** Values in the order in which they are there, until one rejects. */
async function* asTheyCome<Value>(
  promises: readonly Promise<Value>[],
): AsyncGenerator<Value, void, void> {
  const waiting = new Map(
    promises.map((promise, index) => [index, promise.then((value) => ({ index, value }))]),
  );
  while (waiting.size > 0) {
    const { index, value } = await Promise.race(waiting.values());
    waiting.delete(index);
    yield value;
  }
}

function fillRow(row: SummaryRow, trial: Trial): SummaryRow {
  if ('state' in trial) {
    return { ...row, missing: { pivot: 1, state: 'broken', reason: trial.reason } };
  }
  const { pivots, survival, missing, isRandom, model = row.model } = trial;
  const { probes, unanswered = [], readerModel } = trial;
  return {
    ...row,
    model,
    isRandom,
    pivots,
    survival,
    ...(probes && { probes }),
    ...(unanswered.length > 0 && { unanswered }),
    ...(readerModel !== undefined && { readerModel }),
    ...(missing && { missing }),
  };
}

/** Rows in their order; where chance has no part, the first one stands for all. */
async function* runInTurn(
  rows: readonly SummaryRow[],
  start: (row: SummaryRow) => Promise<Trial>,
  signal: AbortSignal | undefined,
): AsyncGenerator<SummaryRow, void, void> {
  let same: Trial | undefined;
  for (const row of rows) {
    if (signal?.aborted) return;
    const trial = same ?? (await start(row));
    if (!('state' in trial) && !trial.isRandom) same = trial;
    yield fillRow(row, trial);
  }
}

function hashPlain(value: unknown): string {
  return summaryHash(JSON.parse(JSON.stringify(value)));
}

function toRequest({ system, context, question }: ReaderPrompt): SummaryRequest {
  const message: Message = {
    id: 'context',
    role: 'user',
    createdAt: 0,
    parts: [{ type: 'text', id: 'context-0', text: recordOf(context) }],
  };
  return { system, messages: context === '' ? [] : [message], prompt: question };
}
