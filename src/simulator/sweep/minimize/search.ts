import type { RunOptions } from '../../replay/run-trace.ts';
import type { Trace } from '../../replay/trace.ts';
import type { ScenarioRunResult } from '../../report/check/result.ts';
import type { CheckEnvironment } from '../check/run-scenario.ts';
import { minimize } from './minimize.ts';
import type { Outline } from './outline.ts';
import { outlineOf } from './outline-of.ts';
import { runFor, type Wanted } from './run-for.ts';
import { describeShown, isShown } from './target.ts';
import { createTrial } from './try-outline.ts';
import { type ScenarioFrame, writeScenario } from './write-scenario.ts';

/** What is looked for, in which session, and how. */
export interface SearchOptions extends Wanted {
  readonly trace: Trace;
  readonly run: RunOptions;
  readonly frame: ScenarioFrame;
  /** Whether the texts of the session may stand in the result. */
  readonly withTexts: boolean;
  readonly environment: CheckEnvironment;
  /** Told before each try of the smallest outline so far, and how many tries there were. */
  readonly onTry?: (smallest: Outline, tries: number) => Promise<void>;
  /** Ends the search with the smallest so far; where nothing has gone yet, it throws. */
  readonly signal?: AbortSignal;
}

/** What a search came to. */
export type SearchResult =
  /** The session does not show it; words that follow "got" say what there is instead. */
  | { readonly state: 'absent'; readonly got: string }
  /** The session shows it, but not once only its sizes are left. */
  | { readonly state: 'lost' }
  | {
      readonly state: 'found';
      /** Whether there was something left to try. */
      readonly wasStopped: boolean;
      readonly original: Outline;
      readonly minimal: Outline;
      readonly scenario: string;
      readonly result: ScenarioRunResult;
    };

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
    // What a wish to stop broke off shows nothing.
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
