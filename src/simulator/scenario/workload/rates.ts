import { createShares, type SessionSeed } from './draw.ts';
import {
  CHARACTERS_PER_TOKEN,
  contentCharactersOf,
  type SessionPlan,
  stepCharacters,
} from './plan.ts';
import { valueAt } from './spread.ts';
import type { MeterRates } from './usage.ts';
import type { Workload } from './workload.ts';

/** What is new between the first request and the last. */
interface Content {
  readonly characters: number;
  readonly requests: number;
}

/** A token has at least and at most so many characters, whatever the growth of a session says of it. */
const LEAST_CHARACTERS = 1;
const MOST_CHARACTERS = 4 * CHARACTERS_PER_TOKEN;

/** What a provider counts in a planned session: where it starts, how many tokens its characters are, and what else a step costs. */
export function ratesOf(
  plan: SessionPlan,
  { context }: Workload,
  session: SessionSeed,
): MeterRates {
  const drawn = valueAt(context.firstStepTokens, createShares(session, 'first step')());
  const firstStepTokens = plan.shape?.firstStepTokens ?? drawn;
  const { steps, stepGrowthTokens, compactAtTokens, shrinkingShare = 0 } = plan.shape ?? {};
  const own = { firstStepTokens, shrinkingShare, ...(compactAtTokens && { compactAtTokens }) };
  if (steps === undefined || stepGrowthTokens === undefined) {
    const { charactersPerToken, fixedTokens } = context;
    return { ...own, charactersPerToken, fixedTokens };
  }
  const content = { characters: charactersBetween(plan), requests: Math.max(1, steps - 1) };
  const fixedTokens = fixedTokensOf(stepGrowthTokens, content, context);
  const grownTokens = (stepGrowthTokens - fixedTokens) * (steps - 1);
  return {
    ...own,
    fixedTokens,
    charactersPerToken: clamped(content.characters / Math.max(1, grownTokens)),
  };
}

/** What a step costs besides its characters: as usual, but where the context grows by less than that, what they leave of it. */
function fixedTokensOf(
  stepGrowthTokens: number,
  { characters, requests }: Content,
  { fixedTokens, charactersPerToken }: Workload['context'],
): number {
  if (stepGrowthTokens > fixedTokens) return fixedTokens;
  const left = stepGrowthTokens - characters / requests / charactersPerToken;
  return Math.max(0, Math.round(left));
}

function clamped(charactersPerToken: number): number {
  return Math.min(MOST_CHARACTERS, Math.max(LEAST_CHARACTERS, charactersPerToken));
}

/** What comes after the first request and before the last: not the first prompt, nor what the last step writes. */
function charactersBetween(plan: SessionPlan): number {
  const [first] = plan.turns;
  const last = plan.turns.at(-1)?.steps.at(-1);
  const outside = (first?.prompt.characters ?? 0) + (last === undefined ? 0 : stepCharacters(last));
  return contentCharactersOf(plan) - outside;
}
