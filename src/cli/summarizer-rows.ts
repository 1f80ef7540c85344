import { basename, extname } from 'node:path';
import { instructions, policies as presets, type Policy, systemPrompts } from '../engine/index.ts';
import type { Environment } from '../simulator/env.ts';
import { badOption, HarnessError } from '../simulator/lib/errors.ts';
import { readTextFile } from '../simulator/lib/files.ts';
import { badValue, quoted } from '../simulator/lib/names.ts';
import { splitAtCommas } from '../simulator/lib/text.ts';
import type { SummarizerRegistry } from '../simulator/summarizer/open.ts';
import {
  type SummaryArm,
  summaryHash,
  type SummaryPrompt,
} from '../simulator/sweep/summarizers/inputs.ts';
import { type ArmsContext, benchOf } from '../simulator/sweep/summarizers/run-arms.ts';
import { tokenizerOf } from '../simulator/tokens/encodings.ts';
import { originOf } from './package.ts';
import type { Defaults } from './plan/defaults.ts';
import type { OpenRegistry } from './plan/live.ts';
import { parseRepeats, parseWholeIfGiven } from './plan/options.ts';
import { makePlan, type PlanOptions, toRun } from './plan/plan.ts';

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
