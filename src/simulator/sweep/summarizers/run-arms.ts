import {
  type Message,
  type Move,
  resolvePolicy,
  type Policy,
  viewOf,
} from '../../../engine/index.ts';
import { countEach, groupBy, known, sum } from '../../lib/collections.ts';
import { HarnessError, messageOf } from '../../lib/errors.ts';
import {
  askProbes,
  createRemembering,
  modelsOf,
  type Reader,
  recordOf,
  UNKNOWN_ANSWER,
} from '../../metrics/probes/probe.ts';
import { buildProbes, QUESTION_TEXTS, transcriptOf } from '../../metrics/probes/questions.ts';
import {
  decideFacts,
  type Deciders,
  JUDGE_SYSTEM,
  likelyLabels,
  lossesOf,
  type QualityScore,
  SCORER_VERSION,
  scoreText,
} from '../../metrics/quality/score-text.ts';
import { stringsAfter, viewText } from '../../metrics/quality/used-strings.ts';
import type { ModelProfile } from '../../provider/model-profile.ts';
import { runTraceAsync } from '../../replay/run-trace.ts';
import {
  type BenchConditions,
  type MissingPivot,
  type PivotScore,
  SUMMARY_ROW_VERSION,
  type SummaryRow,
} from '../../report/summarizers-report.ts';
import { countOf } from '../../report/numbers.ts';
import type {
  AnySummarizer,
  AsyncSummarizer,
  AsyncTools,
  SummaryAnswer,
  SummaryRequest,
} from '../../summarizer/summarizer.ts';
import { refusesRequest } from '../run/row.ts';
import {
  lastStep,
  type SummaryArm,
  summaryHash,
  type SummaryScenario,
  withPrompt,
} from './inputs.ts';
import {
  rowKey,
  type RowsFile,
  type SharedFields,
  whyIncomparable,
  whySettingsDiffer,
} from './rows-file.ts';

export interface TrialContext {
  readonly policy: Policy;
  readonly model: ModelProfile;
  readonly seed: number;
  readonly pivots: number;
  /** In shares of a session's steps; absent where the policy itself decides. */
  readonly compactAt?: readonly number[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ArmsContext extends TrialContext {
  readonly arms: readonly SummaryArm[];
  readonly repeats: number;
  readonly bench: { readonly hash: string; readonly conditions: BenchConditions };
  readonly reader?: AnySummarizer | undefined;
  readonly judge?: AnySummarizer | undefined;
}

interface Call {
  readonly request: SummaryRequest;
  readonly answer: SummaryAnswer;
}

interface Compacted {
  readonly view: readonly Message[];
  readonly history: readonly Message[];
}

type Attempt = (Compacted | { readonly reason: string }) & { readonly calls: readonly Call[] };

interface TrialOptions extends TrialContext, Deciders {
  readonly repeat: number;
}

const likelyAnswer = ({ system, prompt }: SummaryRequest) =>
  system === JUDGE_SYSTEM ? likelyLabels(prompt) : UNKNOWN_ANSWER;

export async function runArms(
  scenario: SummaryScenario,
  context: ArmsContext,
  sink: {
    readonly known: ReadonlySet<string>;
    readonly onRow: (row: SummaryRow) => Promise<void>;
  },
): Promise<void> {
  const { arms, reader, judge, repeats, ...trial } = context;
  const { signal } = trial;
  const { count } = scenario.trace;
  // Asked the same only once for all arms; each repetition has recordings of its own.
  const numbers = Array.from({ length: repeats }, (_, index) => index + 1);
  const askedIn = (model: AnySummarizer | undefined, repeat: number) =>
    model && createRemembering(createModelReader(model, { count, signal, repeat }));
  const asked = numbers.map((repeat) => ({
    reader: askedIn(reader, repeat),
    judge: askedIn(judge, repeat),
  }));
  for (const arm of arms) {
    const rows = numbers
      .map((repeat) => emptyRow(scenario, arm, { context, repeat }))
      .filter((row) => !sink.known.has(rowKey(row)));
    const run = async (row: SummaryRow) => {
      const options = { ...trial, repeat: row.repeat, ...asked[row.repeat - 1] };
      return { ...row, ...(await tryTrial(scenario, arm, options)) };
    };
    if (arm.summarizer.isAsync) {
      // Trials that wait for an answer wait for all of them at once.
      await Promise.all(rows.map(async (row) => sink.onRow(await run(row))));
      continue;
    }
    // Where chance has no part, the first row stands for all.
    let same: SummaryRow | undefined;
    for (const row of rows) {
      if (signal?.aborted) return;
      const filled = same === undefined ? await run(row) : { ...same, repeat: row.repeat };
      if (!filled.isRandom) same = filled;
      await sink.onRow(filled);
    }
  }
}

export async function runTrial(
  scenario: SummaryScenario,
  arm: SummaryArm,
  { repeat, judge, reader, ...context }: TrialOptions,
) {
  const calls: Call[] = [];
  const attempts: Attempt[] = [];
  const seed = context.seed + repeat - 1;
  const { summarizer, isRandom } = watch(arm, (call) => calls.push(call));
  const events = runTraceAsync(scenario.trace, {
    ...settingOf(scenario, arm, context),
    summarizer,
    seed,
    signal: context.signal,
    repeat,
    onTransition: (move) => {
      const end = endOf(move);
      if (end !== undefined) attempts.push({ ...end, calls: calls.splice(0) });
    },
  });
  for await (const _ of events) {
    const isOver = attempts.length >= context.pivots;
    if (isOver || attempts.some((attempt) => 'reason' in attempt)) break;
  }
  const scored: Awaited<ReturnType<typeof scorePivot>>[] = [];
  for (const attempt of attempts) {
    if ('view' in attempt) scored.push(await scorePivot(scenario, attempt, { judge, reader }));
  }
  const answers = attempts.flatMap((attempt) => attempt.calls.map(({ answer }) => answer));
  const model = answers.find(({ call }) => call?.model !== undefined)?.call?.model;
  return {
    ...known({ model }),
    isRandom: isRandom(),
    pivots: scored.map(({ pivot }) => pivot),
    survival: lossesOfFirst(scored.map(({ score }) => score)),
    ...(reader && (await askAbout(scenario, attempts[0], reader))),
    ...known({
      judgeModel: judge && modelsOf(judge),
      judgeFault: scored.find(({ fault }) => fault !== undefined)?.fault,
      missing: missingOf(attempts, context.pivots),
    }),
  };
}

export function whyRefused(
  { rows, hasOtherVersion }: RowsFile,
  context: ArmsContext,
): string | undefined {
  if (hasOtherVersion) return 'the rows differ in their version of rows';
  const planned = context.arms.map(({ summarizer }) => ({
    summarizer: summarizer.name,
    settings: settingsOf(summarizer),
  }));
  return whyIncomparable(rows, sharedFields(context)) ?? whySettingsDiffer([...rows, ...planned]);
}

export function benchOf(
  { policy, model, seed, compactAt, pivots }: TrialContext,
  tokenizer: string,
): ArmsContext['bench'] {
  const { summary, ...rest } = policy;
  const { instruction: _, ...summaryRest } = summary;
  const limits = compactAt === undefined ? { ...model.limits, model: model.id } : 'none';
  const at = compactAt ?? 'policy';
  return {
    hash: hashPlain({ rest, summaryRest, seed, at, pivots, limits, tokenizer }),
    conditions: {
      policy: hashPlain({ rest, summaryRest }),
      ...known({ model: compactAt === undefined ? hashPlain(limits) : undefined }),
      pivots: String(pivots),
      places: String(at),
      tokenizer,
      seed: String(seed),
    },
  };
}

/** A model that is asked as a summarizer is, so that cassettes, limits and budget hold for it too. */
export function createModelReader(
  model: AnySummarizer,
  options: {
    readonly count: (text: string) => number;
    readonly signal?: AbortSignal | undefined;
    readonly repeat?: number;
  },
): Reader {
  const models = new Set<string>();
  const { count: countTokens, signal, repeat } = options;
  const tools = { countTokens, random: () => 0, signal, repeat, likelyAnswer };
  return {
    name: model.name,
    answer: async ({ system, context, question }) => {
      const parts = [{ type: 'text', id: 'context-0', text: recordOf(context) } as const];
      const message: Message = { id: 'context', role: 'user', createdAt: 0, parts };
      const messages = context === '' ? [] : [message];
      const answer = await model.summarise({ system, messages, prompt: question }, tools);
      if (answer.call?.model !== undefined) models.add(answer.call.model);
      if (answer.state === 'finished') return { state: 'answered', text: answer.text };
      return { state: 'failed', reason: answer.reason };
    },
    models: () => [...models],
  };
}

function sharedFields({ bench, reader, judge }: ArmsContext): SharedFields {
  return {
    rowVersion: SUMMARY_ROW_VERSION,
    scorerVersion: SCORER_VERSION,
    bench: bench.hash,
    conditions: bench.conditions,
    ...(reader && { reader: reader.name, questions: summaryHash(QUESTION_TEXTS) }),
    ...(judge && { judge: judge.name, judgeText: summaryHash(JUDGE_SYSTEM) }),
  };
}

function settingsOf(summarizer: AnySummarizer): SummaryRow['settings'] {
  const settings = summarizer.isAsync ? summarizer.settings : undefined;
  return settings && Object.keys(settings).length > 0 ? settings : undefined;
}

function emptyRow(
  { name, hash, family, factSource }: SummaryScenario,
  { summarizer, prompt }: SummaryArm,
  { context, repeat }: { readonly context: ArmsContext; readonly repeat: number },
): SummaryRow {
  return {
    ...sharedFields(context),
    scenario: name,
    scenarioHash: hash,
    ...known({ family }),
    facts: factSource,
    summarizer: summarizer.name,
    ...known({ settings: settingsOf(summarizer) }),
    model: summarizer.name,
    prompt: prompt.name,
    promptHash: prompt.hash,
    repeat,
    isRandom: true,
    pivots: [],
    survival: [],
  };
}

/** A trial that breaks is a row with its reason; what is set up wrongly breaks all. */
async function tryTrial(scenario: SummaryScenario, arm: SummaryArm, options: TrialOptions) {
  try {
    const trial = await runTrial(scenario, arm, options);
    const [reason] = trial.unanswered ?? [];
    return reason !== undefined && trial.probes?.length === 0 ? broken(reason) : trial;
  } catch (error) {
    if (error instanceof HarnessError && error.code === 'BAD_OPTION') throw error;
    return broken(messageOf(error));
  }
}

function broken(reason: string): Partial<SummaryRow> {
  return { missing: { pivot: 1, state: 'broken', reason } };
}

/** Where somebody else decides, nothing knows a limit: all arms are compacted at the same steps. */
function settingOf(
  { steps }: SummaryScenario,
  { summaryModel }: SummaryArm,
  { policy, model, compactAt }: TrialContext,
) {
  if (compactAt === undefined) return { policy, model, summaryModel };
  const limits = { contextTokens: 0 };
  return {
    policy: resolvePolicy(policy, { trigger: { auto: false } }),
    model: { ...model, limits, trueLimits: limits },
    summaryModel,
    faults: compactAt.map((share) => ({
      on: 'compact' as const,
      step: Math.max(2, Math.ceil(share * steps)),
    })),
  };
}

function watch({ summarizer, prompt }: SummaryArm, onCall: (call: Call) => void) {
  let isRandom = summarizer.isAsync === true;
  const watched: AsyncSummarizer = {
    ...summarizer,
    isAsync: true,
    summarise: async (given, tools: AsyncTools) => {
      const request = withPrompt(given, prompt);
      const random = () => {
        isRandom = true;
        return tools.random();
      };
      const answer = await summarizer.summarise(request, { ...tools, random });
      onCall({ request, answer });
      return answer;
    },
  };
  return { summarizer: watched, isRandom: () => isRandom };
}

function endOf({ before, input, next }: Move): Compacted | { readonly reason: string } | undefined {
  for (const event of next.events) {
    if (event.type === 'summary-failed') return { reason: event.error.message ?? event.error.name };
    if (event.type === 'summary-rejected') return { reason: event.reason };
    if (event.type !== 'compacted') continue;
    return { view: viewOf(next.state), history: next.state.history };
  }
  const isAborted = input.type === 'aborted' && before.phase.state === 'summarising';
  return isAborted ? { reason: 'aborted' } : undefined;
}

async function scorePivot(
  scenario: SummaryScenario,
  { view, calls }: Compacted & Attempt,
  deciders: Deciders,
) {
  const { facts, trace } = scenario;
  const { request, answer } = calls.at(-1) ?? {};
  const head = request?.messages ?? [];
  // Some policies put files beside the summary, which no summarizer wrote.
  const text = answer?.state === 'finished' ? answer.text : '';
  const atStep = lastStep(scenario, head);
  const strings = stringsAfter(scenario.strings, atStep);
  const byRules = scoreText({ text, facts, atStep, strings });
  const { score, open, fault } = await decideFacts(byRules, { text, facts, ...deciders });
  const summaryTokens = trace.count(text);
  const kinds = [...groupBy(score.facts, ({ kind }) => kind)].map(([kind, own]) => [
    kind,
    Object.fromEntries(countEach(own.map(({ state }) => state))),
  ]);
  const pivot: PivotScore = {
    kinds: Object.fromEntries(kinds),
    mustFacts: score.must.facts,
    mustDropped: score.must.facts - score.must.kept,
    strings: strings.length,
    stringsKept: score.strings.kept,
    headTokens: trace.count(viewText(head)),
    summaryTokens,
    viewTokens: trace.count(viewText(view)),
    calls: calls.length,
    ...known({
      unjudged: deciders.judge && open,
      costNanoUsd: sumKnown(calls.map((call) => call.answer.call?.costNanoUsd)),
      latencyMs: sumKnown(calls.map((call) => call.answer.call?.latencyMs)),
    }),
    isCut: calls.some(
      (call) => call.answer.state === 'finished' && call.answer.finish === 'length',
    ),
  };
  return { pivot, score, fault };
}

/** Of the facts that the first summary was to keep, so that what later ones kept is a part of that. */
function lossesOfFirst(scores: readonly QualityScore[]) {
  const first = new Set(scores[0]?.facts.map(({ id }) => id));
  return lossesOf(
    scores.map((score) => ({ ...score, facts: score.facts.filter(({ id }) => first.has(id)) })),
  );
}

function sumKnown(values: readonly (number | undefined)[]): number | undefined {
  const all = values.filter((value) => value !== undefined);
  return all.length === 0 || all.length < values.length ? undefined : sum(all);
}

function missingOf(attempts: readonly Attempt[], wanted: number): MissingPivot | undefined {
  const index = attempts.findIndex((attempt) => 'reason' in attempt);
  const failed = attempts[index];
  if (failed !== undefined && 'reason' in failed) {
    const answer = failed.calls.at(-1)?.answer;
    const isUnanswered = answer?.state === 'failed' && !refusesRequest(answer);
    const missing = { pivot: index + 1, state: 'failed', reason: failed.reason } as const;
    return { ...missing, ...(isUnanswered && { isUnanswered }) };
  }
  if (attempts.length >= wanted) return undefined;
  const reason = `compacted ${countOf(attempts.length, 'time')} before the session ended`;
  return { pivot: attempts.length + 1, state: 'unreached', reason };
}

async function askAbout(scenario: SummaryScenario, attempt: Attempt | undefined, reader: Reader) {
  if (attempt === undefined || 'reason' in attempt) return { probes: [] };
  const { messages, facts, stepOf } = scenario;
  const said = attempt.history.filter(({ id }) => stepOf.has(id));
  const tail = attempt.view.filter(({ id }) => stepOf.has(id));
  const later = without(messages, said);
  const head = without(said, tail);
  const probes = buildProbes({ facts, atStep: lastStep(scenario, said), head, tail, later });
  const contexts = { full: transcriptOf(said), compacted: transcriptOf(attempt.view) };
  const { results, unanswered } = await askProbes(probes, { reader, contexts });
  const told = unanswered.length > 0 ? unanswered : undefined;
  return { probes: results, ...known({ unanswered: told, readerModel: modelsOf(reader) }) };
}

function without(messages: readonly Message[], others: readonly Message[]): readonly Message[] {
  const ids = new Set(others.map(({ id }) => id));
  return messages.filter(({ id }) => !ids.has(id));
}

function hashPlain(value: unknown): string {
  return summaryHash(JSON.parse(JSON.stringify(value)));
}
