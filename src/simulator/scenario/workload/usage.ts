import type { Usage } from '../../../engine/index.ts';
import type { Draw } from './draw.ts';
import { type Spread, valueAt } from './spread.ts';
import type { Workload } from './workload.ts';

/** What a step adds to the context before it, and what it writes. */
export interface StepSizes {
  /** Characters since the request before, what that one wrote among them. */
  readonly addedCharacters: number;
  readonly writtenCharacters: number;
  readonly reasoningCharacters: number;
  readonly idleSeconds: number;
}

/** What a provider counts of the steps of a session. */
export interface Meter {
  /** Whether the agent would compact before a step that adds so much. */
  isFull(addedCharacters: number): boolean;
  /** Starts over behind a compaction; gives the contexts on both sides. */
  compact(addedCharacters: number): { readonly before: number; readonly after: number };
  measure(sizes: StepSizes): Usage;
}

/** What the provider counts in one session. */
export interface MeterRates {
  readonly firstStepTokens: number;
  readonly charactersPerToken: number;
  /** What a step costs besides its characters. */
  readonly fixedTokens: number;
  /** Share of steps at which the context shrinks without a compaction. */
  readonly shrinkingShare: number;
  /** The context at which the agent compacts; absent: each time at another one. */
  readonly compactAtTokens?: number;
}

/** Chance of a meter; what nobody is shown changes nothing of the context. */
interface MeterDraws {
  readonly context: Draw;
  readonly unseen: Draw;
}

/** How long a cached prompt stays without being read, as providers say. */
const CACHE_SECONDS = 300;
/** What is fresh although all that is new is written to the cache. */
const FRESH_TOKENS = 4;
/** Tokens in whose multiples a cache that works by itself reads. */
const CACHE_BLOCK = 128;
/** How far characters per token of a step lie apart from those of all at most. */
const JITTER = 0.1;

const NOTHING: Spread = { points: [[0, 0]] };

/** How long a prompt of sessions of a workload stays cached without being read. */
export function cacheSecondsOf({ context }: Workload): number {
  return context.cacheSeconds ?? CACHE_SECONDS;
}

/** Counts the steps of a session as the provider of a workload would. */
export function createMeter(workload: Workload, draws: MeterDraws, rates: MeterRates): Meter {
  const draw = draws.context;
  const { context, style } = workload;
  const { charactersPerToken, fixedTokens } = rates;
  let tokens: number | undefined;
  let cachedTokens = 0;
  const nextLimit = () => rates.compactAtTokens ?? valueAt(context.compactAtTokens, draw.share());
  let limit = nextLimit();
  const toTokens = (characters: number) => Math.round(characters / charactersPerToken);
  const grown = (characters: number) =>
    (tokens ?? 0) +
    Math.round(toTokens(characters) * (1 + JITTER * (draw.share() - 0.5))) +
    fixedTokens;
  const isShrinking = () => rates.shrinkingShare > 0 && draw.isTrue(rates.shrinkingShare);
  const taken = () => Math.round(valueAt(context.takenBackTokens ?? NOTHING, draw.share()));
  // How fast a context grows says nothing of how many tokens its model writes.
  const written = (characters: number) => Math.round(characters / context.charactersPerToken);
  const unseen = () => Math.round(valueAt(context.unseenTokens, draws.unseen.share()));
  return {
    isFull: (characters) => tokens !== undefined && tokens + toTokens(characters) > limit,
    compact: (characters) => {
      const before = grown(characters);
      const after = Math.round(valueAt(context.compactedTokens, draw.share()));
      limit = nextLimit();
      [tokens, cachedTokens] = [after, 0];
      return { before, after };
    },
    measure: (sizes) => {
      if (tokens === undefined) tokens = Math.round(rates.firstStepTokens);
      else
        tokens = isShrinking()
          ? withoutTaken(tokens, taken(), rates)
          : grown(sizes.addedCharacters);
      const held =
        sizes.idleSeconds > cacheSecondsOf(workload) ? 0 : Math.min(cachedTokens, tokens);
      cachedTokens = tokens;
      return {
        ...splitInput(tokens, held, style.cache),
        output: Math.max(1, written(sizes.writtenCharacters)),
        reasoning: written(sizes.reasoningCharacters) + unseen(),
      };
    },
  };
}

/** What the first request held is not taken back. */
function withoutTaken(tokens: number, taken: number, { firstStepTokens }: MeterRates): number {
  return Math.max(Math.min(tokens, Math.round(firstStepTokens)), tokens - taken);
}

function splitInput(
  tokens: number,
  held: number,
  cache: Workload['style']['cache'],
): Pick<Usage, 'input' | 'cacheRead' | 'cacheWrite'> {
  if (cache === 'automatic') {
    const cacheRead = held - (held % CACHE_BLOCK);
    return { input: tokens - cacheRead, cacheRead, cacheWrite: 0 };
  }
  const input = Math.min(FRESH_TOKENS, tokens - held);
  return { input, cacheRead: held, cacheWrite: tokens - held - input };
}
