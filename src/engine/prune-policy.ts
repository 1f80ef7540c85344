/** The vocabulary of prunes: which passes there are, and how each chooses. */

/** Pruning without a pivot: clean-ups of useless parts, then a pass over old tool outputs. */
export interface PrunePolicy {
  /** The pass runs; clean-ups run wherever they are listed. */
  readonly enabled: boolean;
  /**
   * When it runs: at the end of each turn; when an overflow was found: then a pivot follows only if too little was
   * cleared; before each request; or after a pause. Never where the source accepts the switch and has no pass.
   */
  readonly when: 'turn-end' | 'on-overflow' | 'before-request' | 'idle' | 'never';
  /** Steps between two prunes before requests or on overflows, so that a prompt cache holds in between; absent means each. */
  readonly everySteps?: number;
  /** How long a pause is, in ms, for a prune that waits for one. */
  readonly idleMs?: number;
  /** By age, every output, all but the newest ones, calls and thoughts by their model messages, or by a verdict. */
  readonly pass: 'by-age' | 'all-outputs' | 'keep-last' | 'by-message' | 'by-verdict';
  readonly byAge: ByAgeOptions;
  /** Of the pass that keeps the newest ones. */
  readonly keepLast?: KeepLastOptions;
  /** Of the pass that goes by model messages. */
  readonly byMessage?: ByMessageOptions;
  /** Of the pass that asks for a verdict. */
  readonly byVerdict?: ByVerdictOptions;
  /** Which outputs leave when the pass would fire; absent means those that the pass chooses. */
  readonly evicts?: EvictionName;
  /** Clean-ups, at their own moments, in their order and before the pass; absent means none. */
  readonly cleanups?: readonly CleanupPolicy[];
  /** An output that the pass cleared stays in the history, or is overwritten with the placeholder. */
  readonly storedOutput: 'kept' | 'overwritten';
}

/** How the by-age pass chooses. */
export interface ByAgeOptions {
  /** Newest tool output that is always kept, in estimated tokens. */
  readonly protectTokens: number;
  /** A saving must be larger than this, in estimated tokens. */
  readonly minimumTokens: number;
  /** Newest user turns that are never touched. */
  readonly guardTurns: number;
  /** Tools whose output is never cleared and does not count as protected output. */
  readonly protectedTools: readonly string[];
  /** Newest messages that the scan does not look at, whatever their role. */
  readonly skipNewestMessages?: number;
  /** A summary ends the scan, or gives up the whole pass; absent means that it ends the scan. */
  readonly atSummary?: 'stop' | 'abort';
  /** A summary among guarded turns or skipped messages is passed over, or ends the scan; absent means the former. */
  readonly summaryInGuard?: 'pass' | 'stop';
  /** Where the scan goes at a cleared output; absent means that it ends. */
  readonly atCleared?: 'stop' | 'next-message' | 'go-on';
}

/** Which pass clears what it finds useless, and when. */
export interface CleanupPolicy {
  readonly pass: CleanupName;
  /** At the end of each turn, before each request, or after a pause. */
  readonly when: 'turn-end' | 'before-request' | 'idle';
  /** Names in lower case of tools that it never touches; absent means none. */
  readonly protectedTools?: readonly string[];
  /** How old a part must be, of passes that go by that; absent means that the newest ones go as well. */
  readonly olderThan?: Age;
  /** Stands for each text of an input that goes; absent means that nothing does. */
  readonly inputText?: string;
}

/** The names of passes that find useless what they clear. */
export type CleanupName = 'duplicates' | 'superseded' | 'failed-inputs' | 'media' | 'reasoning';

/** So many steps, or turns of the user, after the message of a part. */
export interface Age {
  readonly count: number;
  readonly unit: 'steps' | 'turns';
}

/** Which outputs the keep-last pass leaves. */
export interface KeepLastOptions {
  /** Newest outputs that are always kept. */
  readonly outputs: number;
  /** Names in lower case of tools whose outputs are cleared, and count as kept ones; absent means all. */
  readonly tools?: readonly string[];
  /** Names in lower case of tools whose outputs are never cleared, and count as kept ones all the same. */
  readonly excludedTools?: readonly string[];
  /** Nothing is cleared until there are more outputs than this, cleared ones included; absent means that any number is enough. */
  readonly aboveOutputs?: number;
  /** Nothing is cleared unless all that is cleared then weighs this much, in estimated tokens; absent means that anything does. */
  readonly leastTokens?: number;
  /** The inputs of the same calls go as well, of all tools or of those with these names in lower case. */
  readonly clearsInputs?: boolean | readonly string[];
}

/** The choice of a pass by model messages: calls with their results, and thoughts. */
export interface ByMessageOptions {
  /** Thoughts that go: all, those before the last model message, or none. */
  readonly reasoning: 'all' | 'before-last-message' | 'none';
  /** Carried out one after the other. */
  readonly toolCalls: readonly CallRule[];
}

/** Calls that a pass by model messages takes out. */
export interface CallRule {
  /** Calls in so many newest model messages stay; 0 keeps all, absent keeps none. */
  readonly keepMessages?: number;
  /** Names of the tools whose calls go; absent means all. */
  readonly tools?: readonly string[];
}

/** How the pass by verdict judges. */
export interface ByVerdictOptions {
  /** Newest outputs that are not judged. */
  readonly outputs: number;
  readonly scorer: ScorerName;
  /** Judges in the place of the named scorer. It is no data: such a policy stays in its process. */
  readonly judge?: (output: ScoredOutput) => OutputVerdict;
  /** Verdicts on the outputs of tools, by names in lower case, before any scorer is asked. */
  readonly byTool?: Readonly<Record<string, OutputVerdict>>;
  /** Characters of the beginning and of the end that a shortened output keeps. */
  readonly headChars: number;
  readonly tailChars: number;
}

/** A judgement of an output: it stays, its middle goes, or all of it. */
export type OutputVerdict = 'keep' | 'shorten' | 'drop';

/** An output as a scorer sees it. */
export interface ScoredOutput {
  readonly tool: string;
  readonly input: unknown;
  /** As it is sent, without what was taken out before. */
  readonly output: string;
  /** Outputs that came after it. */
  readonly newerOutputs: number;
}

/** The name of a scorer of outputs. */
export type ScorerName = 'size-and-age';

/** The name of an eviction order. */
export type EvictionName = 'clairvoyant' | 'random' | 'largest-first' | 'least-recently-used';
