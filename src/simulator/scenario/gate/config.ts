/** A number of every run that has to hold against a baseline or a limit. */
export type Gate =
  /** The number of the baseline. */
  | { readonly type: 'exact'; readonly metric: string }
  /** At most, whatever the baseline has. */
  | { readonly type: 'max'; readonly metric: string; readonly limit: number }
  /** At least, whatever the baseline has. */
  | { readonly type: 'min'; readonly metric: string; readonly limit: number }
  /** At most that many times the number of the baseline. */
  | { readonly type: 'ratio'; readonly metric: string; readonly limit: number }
  /** No worse than the baseline by more than the margin, in the metric's own unit; of `costUsd` a share, 0.05 for 5 %. */
  | { readonly type: 'noninferior'; readonly metric: string; readonly margin: number };

/** What a check is held against. */
export interface BenchConfig {
  /** The folder of the baseline. */
  readonly baseline?: string;
  /** Scenario files, folders or patterns; those that are shipped where absent. */
  readonly scenarios?: readonly string[];
  /** Over all runs together. */
  readonly gates?: readonly Gate[];
  /** For each run, by `*`, the name of a scenario, or `scenario: run`. */
  readonly cases?: Readonly<Record<string, readonly Gate[]>>;
  /** Whether the events of each run have to be those of the baseline; `exact` where absent. */
  readonly events?: 'exact' | 'ignored';
}

/** A configuration as it is, with its types checked where it is written. */
export function defineConfig(config: BenchConfig): BenchConfig {
  return config;
}
