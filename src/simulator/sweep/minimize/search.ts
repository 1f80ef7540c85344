import type { RunOptions } from '../../replay/run-trace.ts';
import type { Trace } from '../../replay/trace.ts';
import type { ScenarioRunResult } from '../../report/check-report.ts';
import { codeSpan, shownText } from '../../report/markup.ts';
import { countOf } from '../../report/numbers.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { toLog, writeLine } from '../gate/log.ts';
import { type CheckEnvironment, compileRun, resolveRun } from '../gate/run-scenario.ts';
import { minimize } from './minimize.ts';
import { outlineOf } from './outline-of.ts';
import { type Outline, sizeOf } from './outline.ts';
import {
  describeShown,
  describeTarget,
  isShown,
  runFor,
  type Target,
  type Wanted,
} from './target.ts';
import { createToScenario, type ScenarioFrame, writeScenario } from './write-scenario.ts';

/** The target, the session and the way of a search. */
export interface SearchOptions extends Wanted {
  readonly trace: Trace;
  readonly run: RunOptions;
  readonly frame: ScenarioFrame;
  /** True if texts of the session may stand in the result. */
  readonly withTexts: boolean;
  readonly environment: CheckEnvironment;
  /** Told before each try of the smallest outline so far, and how many tries there were. */
  readonly onTry?: (smallest: Outline, tries: number) => Promise<void>;
  /** Ends the search with the smallest so far; where nothing has gone yet, it throws. */
  readonly signal?: AbortSignal;
}

/** The result of a search. */
export type SearchResult =
  /** The session does not show it; words that follow "got" say what there is instead. */
  | { readonly state: 'absent'; readonly got: string }
  /** The session shows it, but not once only its sizes are left. */
  | { readonly state: 'lost' }
  | {
      readonly state: 'found';
      /** True if something was left to try. */
      readonly wasStopped: boolean;
      readonly original: Outline;
      readonly minimal: Outline;
      readonly scenario: string;
      readonly result: ScenarioRunResult;
    };

/** Runs outlines as the scenario files that they would become. */
interface Trial {
  /** Returns true if the run shows the target; without a step it never does. */
  shows(outline: Outline): Promise<boolean>;
  /** All that a check of the file tells. */
  check(outline: Outline): Promise<ScenarioRunResult>;
}

interface TrialOptions extends Wanted {
  readonly frame: ScenarioFrame;
  readonly environment: CheckEnvironment;
}

/** The contents of an issue. */
export interface IssueFacts {
  readonly target: Target;
  /** Preset or command that shows it. */
  readonly name: string;
  /** The options of `check` with which its scenario shows it, as a shell has them. */
  readonly options: readonly string[];
  readonly model: string;
  readonly original: Outline;
  readonly minimal: Outline;
  /** The scenario file. */
  readonly scenario: string;
  readonly result: ScenarioRunResult;
}

/** Lines of the log that an issue shows at most; the last ones tell most. */
const SHOWN_LINES = 30;
const FENCE = '````';

/** The smallest session that shows what one does. */
export async function searchMinimal(options: SearchOptions): Promise<SearchResult> {
  const { trace, subject, target, withTexts, frame, onTry, signal } = options;
  const shown = await runFor(options, trace, options.run);
  if (!isShown(target, shown)) return { state: 'absent', got: describeShown(target, shown) };
  const original = outlineOf(trace, { withTexts });
  const trial = createTrial(options);
  let smallest = original;
  let tries = 0;
  const shows = async (outline: Outline): Promise<boolean> => {
    await onTry?.(smallest, tries);
    signal?.throwIfAborted();
    tries += 1;
    const isSmaller = await trial.shows(outline);
    // A trial that a wish to stop broke off shows nothing.
    signal?.throwIfAborted();
    return isSmaller;
  };
  if (!(await shows(original))) return { state: 'lost' };
  const whole = minimize(original, shows, (outline) => {
    smallest = outline;
  });
  let wasStopped = false;
  const minimal = await whole.catch((error: unknown) => {
    if (signal?.aborted !== true || smallest === original) throw error;
    wasStopped = true;
    return smallest;
  });
  const result = await trial.check(minimal);
  if (!isShown(target, result)) {
    throw new TypeError('Expected the smallest session to show what it was shrunk for.');
  }
  const expect = subject.isInFile ? { state: result.state, target } : undefined;
  const scenario = writeScenario(minimal, { ...frame, expect });
  return { state: 'found', wasStopped, original, minimal, scenario, result };
}

/** A trial of outlines. */
export function createTrial({ frame, environment, ...wanted }: TrialOptions): Trial {
  const toScenario = createToScenario(frame);
  return {
    shows: async (outline) =>
      hasSteps(outline) && (await showsIn(toScenario(outline), wanted, environment)),
    check: async (outline) =>
      onlyOne((await wanted.subject.check(toScenario(outline), environment)).runs),
  };
}

/** An issue that whoever reads it can follow: what is seen, how to see it, what happened. */
export function renderIssue(facts: IssueFacts): string {
  const { target, name, model, original, minimal, scenario, result } = facts;
  const [before, after] = [sizeOf(original), sizeOf(minimal)];
  const log = toLog(result.events).map(writeLine);
  const lines = log.slice(-SHOWN_LINES);
  const command = ['npx compaction-bench check minimal.yaml', ...facts.options].join(' ');
  return [
    `## ${codeSpan(name)} shows ${describeTarget(target)}`,
    '',
    `On ${codeSpan(model)}. The smallest session found that shows it has ${describeSize(after)}; the original has ${describeSize(before)}.`,
    '',
    '### To see it',
    '',
    `Save this as ${codeSpan('minimal.yaml')} and run ${codeSpan(command)}:`,
    '',
    `${FENCE}yaml`,
    scenario.trimEnd(),
    FENCE,
    '',
    '### What happens',
    '',
    `The run ends ${codeSpan(result.state)}${result.reason === undefined ? '' : `: ${codeSpan(result.reason)}`}.`,
    '',
    `${FENCE}text`,
    ...(lines.length < log.length ? [`(${log.length - lines.length} lines before)`] : []),
    ...lines.map(shownText),
    FENCE,
    '',
  ].join('\n');
}

function hasSteps({ turns }: Outline): boolean {
  return turns.some(({ steps }) => steps.length > 0);
}

async function showsIn(
  { file, runs }: Scenario,
  wanted: Wanted,
  { catalog, countOf, findSummarizer }: CheckEnvironment,
): Promise<boolean> {
  const run = resolveRun(onlyOne(runs), file, { catalog, findSummarizer });
  const { options } = run;
  const trace = compileRun(run, await countOf(options.model.id));
  return isShown(wanted.target, await runFor(wanted, trace, options));
}

function onlyOne<Item>([only]: readonly Item[]): Item {
  if (only === undefined) throw new TypeError('Expected a scenario with a run.');
  return only;
}

function describeSize({ turns, steps, tokens }: ReturnType<typeof sizeOf>): string {
  return `${countOf(turns, 'turn')}, ${countOf(steps, 'step')} and ${countOf(tokens, 'token')}`;
}
