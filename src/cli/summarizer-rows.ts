import { basename, extname } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { instructions, policies as presets, type Policy, systemPrompts } from '../engine/index.ts';
import type { Environment } from '../simulator/env.ts';
import { known } from '../simulator/lib/collections.ts';
import { badOption, HarnessError, messageOf } from '../simulator/lib/errors.ts';
import { readTextFile } from '../simulator/lib/files.ts';
import { badValue, quoted } from '../simulator/lib/names.ts';
import { splitAtCommas } from '../simulator/lib/text.ts';
import { SCORER_VERSION } from '../simulator/metrics/quality/score-text.ts';
import type { CompileOptions } from '../simulator/replay/compile.ts';
import type { Origin } from '../simulator/report/origin.ts';
import type { SummarizersProvenance, SummaryRow } from '../simulator/report/summarizers-report.ts';
import type { PlantedFact } from '../simulator/session/facts.ts';
import { familiesWithCopies, findFileRepeats } from '../simulator/session/find-copies.ts';
import { loadSessions } from '../simulator/session/load.ts';
import type { ImportReport, Session } from '../simulator/session/session.ts';
import type { SummarizerRegistry } from '../simulator/summarizer/open.ts';
import { joinFamilies } from '../simulator/sweep/compare/pair-sides.ts';
import { compileOptionsFor } from '../simulator/sweep/run/prepare.ts';
import {
  prepareScenario,
  SHIPPED_SCENARIOS,
  shippedScenarios,
  type SummaryArm,
  summaryHash,
  type SummaryPrompt,
} from '../simulator/sweep/summarizers/inputs.ts';
import {
  armKey,
  countRepeats,
  orderRows,
  rowKey,
  type RowsFile,
  whyModelsDiffer,
  whyScenariosDiffer,
} from '../simulator/sweep/summarizers/rows-file.ts';
import { type ArmsContext, benchOf, runArms } from '../simulator/sweep/summarizers/run-arms.ts';
import { createCounters } from '../simulator/tokens/tokenizer.ts';
import { tokenizerOf } from '../simulator/tokens/encodings.ts';
import type { RunInputs } from './inputs.ts';
import { originOf } from './package.ts';
import type { Defaults } from './plan/defaults.ts';
import type { OpenRegistry } from './plan/live.ts';
import { parseRepeats, parseWholeIfGiven } from './plan/options.ts';
import { makePlan, type PlanOptions, toRun } from './plan/plan.ts';
import type { CliIo } from './process/io.ts';
import { type ShowProgress, withProgress } from './process/progress.ts';

interface ArmOptions {
  readonly summarizers: readonly string[];
  readonly prompts: readonly string[];
  readonly context: string | undefined;
}

export const JUDGE_DESCRIBED =
  'real model that says of each fact what became of it, in place of rules';
const POLICY = 'policy';
const MOST_PIVOTS = 50;
const USUAL_PIVOTS = 2;
const SHARE = /^(?:\d+\.?\d*|\.\d+)$/;

interface SummarizersRun {
  readonly context: ArmsContext;
  readonly origin: Origin;
  /** Absent: those of the package. */
  readonly found: RunInputs | undefined;
  /** Of a user's file; absent where sessions have their own. */
  readonly facts: readonly PlantedFact[] | undefined;
  readonly kept: RowsFile;
  /** No model is asked, so that none can have changed. */
  readonly isDryRun: boolean;
}

/** Runs every arm on every session, until rows cannot be compared; `undefined` if stopped. */
export async function runSummarizers(run: SummarizersRun, io: CliIo) {
  const { id } = run.context.model;
  try {
    const counters = createCounters();
    const compile = compileOptionsFor(id, await counters.of(id));
    return await withProgress(io, (show) => gather(run, { compile, show, signal: io.signal }));
  } catch (error) {
    if (io.signal.aborted) return undefined;
    throw error;
  }
}

export function findReader(name: string, registry: SummarizerRegistry, option = '--reader') {
  if (name.includes(':')) return registry.find(name);
  throw badValue(option, "a real model as in 'ai:openai/gpt-5-mini'", name);
}

export function findDeciders(
  { reader, judge }: { readonly reader?: string | undefined; readonly judge?: string | undefined },
  registry: SummarizerRegistry,
) {
  return {
    reader: reader === undefined ? undefined : findReader(reader, registry),
    judge: judge === undefined ? undefined : findReader(judge, registry, '--judge'),
  };
}

export function planSummarizers(
  options: Omit<PlanOptions, 'context' | 'summarizer'> &
    ArmOptions & {
      policy: string | undefined;
      pivots: string | undefined;
      compactAt: string | undefined;
      repeat: string;
    },
  environment: Environment,
  start: { readonly defaults: Defaults; readonly opened: OpenRegistry },
) {
  const whole = makePlan({ ...options, summarizer: options.summarizers }, environment, start);
  const { registry } = whole.sources;
  const { policies, model, seed, notes, catalog, settings } = toRun(whole);
  const [policy] = policies;
  if (policy === undefined || whole.arms.length > 1 || policy.cut.keep === 'everything') {
    const got = quoted(options.policy ?? start.defaults.policy);
    throw badOption(
      `Expected '--policy' to be one preset that compacts, got ${got}; ${quoted(presets.none.name)} never does.`,
    );
  }
  const trial = { policy, model, seed, ...parsePivots(options.pivots, options.compactAt) };
  const context: ArmsContext = {
    ...trial,
    arms: planArms(options, policy, registry),
    bench: benchOf(trial, tokenizerOf(model.id).name),
    repeats: parseRepeats('--repeat', options.repeat),
  };
  return { context, origin: originOf(catalog, [model.id], settings.values), registry, notes };
}

export function planArms(
  options: ArmOptions,
  policy: Policy,
  registry: SummarizerRegistry,
): readonly SummaryArm[] {
  const prompts = planPrompts(options, policy);
  return options.summarizers.flatMap((name) => {
    const summarizer = registry.find(name);
    const summaryModel = registry.profileOf(name);
    return prompts.map((prompt) => ({ summarizer, summaryModel, prompt }));
  });
}

/** How often and where sessions are compacted; by default twice, evenly over the steps. */
export function parsePivots(
  pivotsText: string | undefined,
  compactAtText: string | undefined,
): Pick<ArmsContext, 'pivots' | 'compactAt'> {
  const given = parseWholeIfGiven('--pivots', pivotsText, { most: MOST_PIVOTS });
  const pivots = given ?? USUAL_PIVOTS;
  if (compactAtText === POLICY) return { pivots };
  if (compactAtText === undefined) {
    const compactAt = Array.from({ length: pivots }, (_, index) => (index + 1) / pivots);
    return { pivots, compactAt };
  }
  const shares = splitAtCommas([compactAtText]);
  const compactAt = shares.map((share) => (SHARE.test(share) ? Number(share) : -1));
  const isRising = compactAt.every((share, at) => share > (compactAt[at - 1] ?? 0) && share <= 1);
  if (!isRising || compactAt.length > MOST_PIVOTS) {
    const expected = "increasing shares of the steps, such as '0.5,1', or 'policy'";
    throw badValue('--compact-at', expected, compactAtText);
  }
  if (given !== undefined && given !== compactAt.length) {
    throw badOption(
      `Expected '--compact-at' to have ${given} shares, as many as '--pivots', got ${compactAt.length}.`,
    );
  }
  return { pivots: compactAt.length, compactAt };
}

/** Requests on their way at a stop are waited for: they may be done. */
async function gather(
  { context, origin, found, facts, kept, isDryRun }: SummarizersRun,
  options: { compile: CompileOptions; show: ShowProgress; signal: AbortSignal },
) {
  const rows = [...kept.rows];
  const keys = new Set(rows.map(rowKey));
  const unread = [...(found?.unread ?? [])];
  const scenarios: string[] = [];
  const dropped: ImportReport['dropped'][] = [];
  const families = found ? familiesWithCopies(await findFileRepeats(found.files)) : new Map();
  const stop = new AbortController();
  const signal = AbortSignal.any([options.signal, stop.signal]);
  let incomparable: string | undefined;
  const isStopped = (reason: string | undefined) => {
    incomparable ??= reason;
    if (incomparable !== undefined) stop.abort();
    return incomparable !== undefined;
  };
  const onRow = async (row: SummaryRow) => {
    if (isStopped(isDryRun ? undefined : whyModelsDiffer([...rows, row]))) return;
    rows.push(row);
    const isBroken = row.missing?.state === 'broken' || row.missing?.isUnanswered === true;
    if (!isDryRun && !isBroken && row.judgeFault === undefined) kept.append(row);
    // A trial blocks; a signal is heard only between two of them.
    await setImmediate();
  };
  let index = 0;
  for (const loaded of found ? loadSessions(found.files) : shippedSessions()) {
    if (signal.aborted) break;
    if (loaded.state === 'unread') {
      unread.push({ file: loaded.file, reason: loaded.reason });
      continue;
    }
    const { name, report } = loaded.session;
    const total = Math.max(found?.files.length ?? SHIPPED_SCENARIOS, index + 1);
    options.show({ file: name, index: index++, total });
    const prepared = prepare(loaded.session, options.compile, facts);
    if ('reason' in prepared) {
      unread.push(prepared);
      continue;
    }
    const own = { scenario: name, scenarioHash: prepared.hash };
    if (isStopped(whyScenariosDiffer([...rows, own]))) break;
    scenarios.push(name);
    dropped.push(report.dropped);
    await setImmediate();
    const scenario = { ...prepared, family: families.get(name) };
    await runArms(scenario, { ...context, signal }, { known: keys, onRow });
  }
  if (options.signal.aborted) return undefined;
  if (incomparable !== undefined) return { incomparable };
  const arms = context.arms.map(({ summarizer: { name }, prompt: { hash } }) =>
    armKey({ summarizer: name, promptHash: hash }),
  );
  const ordered = orderRows(rows, { arms, scenarios });
  const provenance = toProvenance({ context, origin }, ordered, families);
  return { rows: ordered, unread, dropped, provenance };
}

function prepare(session: Session, compile: CompileOptions, facts: SummarizersRun['facts']) {
  try {
    return prepareScenario(session, compile, facts);
  } catch (error) {
    return { file: session.name, reason: messageOf(error) };
  }
}

/** Earlier rows may be of other sessions. */
function toProvenance(
  { context, origin }: Pick<SummarizersRun, 'context' | 'origin'>,
  rows: readonly SummaryRow[],
  found: ReadonlyMap<string, string>,
): SummarizersProvenance {
  const { policy, model, pivots, compactAt = 'policy', seed, repeats, bench } = context;
  const told = rows.map(({ scenario: session, family }) => ({ session, family }));
  const ofInputs = [...found].map(([session, family]) => ({ session, family }));
  const families = joinFamilies([{ rows: told }, { rows: ofInputs }]);
  const scenarios = new Map(
    rows.map(({ scenario: name, scenarioHash: hash, facts }) => {
      return [name, { name, hash, facts, ...known({ family: families.get(name) }) }];
    }),
  );
  return {
    origin,
    scorerVersion: SCORER_VERSION,
    bench: bench.hash,
    policy: policy.name,
    model: model.id,
    pivots,
    compactAt,
    seed,
    ...countRepeats(rows, repeats),
    scenarios: [...scenarios.values()],
  };
}

function* shippedSessions() {
  for (const session of shippedScenarios()) yield { state: 'read', session } as const;
}

function planPrompts({ prompts: files, context: contextFile }: ArmOptions, { summary }: Policy) {
  const system = summary.systemText ?? systemPrompts[summary.systemPrompt];
  const context = contextFile === undefined ? undefined : readPrompt(contextFile);
  const toPrompt = (name: string, own?: string): SummaryPrompt => {
    const instruction = own ?? instructions[summary.instruction];
    const hash = summaryHash({ system, instruction, context: context ?? '' });
    return { name, hash, instruction: own, context };
  };
  if (files.length === 0) return [toPrompt(POLICY)];
  const names = files.map((file) => (file === POLICY ? POLICY : basename(file, extname(file))));
  return files.map((file, index) => {
    const name = names[index] ?? file;
    if (file === POLICY) return toPrompt(name);
    const isUnique = names.filter((other) => other === name).length === 1;
    return toPrompt(isUnique ? name : file, readPrompt(file));
  });
}

function readPrompt(file: string): string {
  const unreadable = (got: string, cause?: unknown) =>
    new HarnessError('UNREADABLE', `Expected a prompt in ${quoted(file)}, got ${got}.`, { cause });
  const text = readTextFile(file, unreadable).trim();
  if (text === '') throw unreadable('an empty file');
  return text;
}
