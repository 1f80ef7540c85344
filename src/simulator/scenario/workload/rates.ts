import { createShares, type SessionSeed } from './draw.ts';
import {
  CHARACTERS_PER_TOKEN,
  contentCharactersOf,
  type SessionPlan,
  stepCharacters,
} from './plan.ts';
import type { SessionShape } from './session-shape.ts';
import { valueAt } from './spread.ts';
import type { MeterRates } from './usage.ts';
import type { Workload } from './workload.ts';

/** A token has at least and at most so many characters, whatever the growth of a session says of it. */
const LEAST_CHARACTERS = 1;
const MOST_CHARACTERS = 4 * CHARACTERS_PER_TOKEN;

/** What a provider counts in a planned session: where it starts, and how many tokens its characters are. */
export function ratesOf(
  plan: SessionPlan,
  { context }: Workload,
  session: SessionSeed,
): MeterRates {
  const { shape } = plan;
  const drawn = valueAt(context.firstStepTokens, createShares(session, 'first step')());
  const grown = shape && tokensGrown(shape, context.fixedTokens);
  return {
    firstStepTokens: shape?.firstStepTokens ?? drawn,
    charactersPerToken:
      grown === undefined ? context.charactersPerToken : charactersPerToken(plan, grown),
  };
}

/** What its content made the context grow by; absent where nothing tells. */
function tokensGrown(
  { steps, stepGrowthTokens }: SessionShape,
  fixedTokens: number,
): number | undefined {
  if (stepGrowthTokens === undefined || stepGrowthTokens <= fixedTokens) return undefined;
  return (stepGrowthTokens - fixedTokens) * (steps - 1);
}

function charactersPerToken(plan: SessionPlan, grownTokens: number): number {
  const characters = charactersBetween(plan) / Math.max(1, grownTokens);
  return Math.min(MOST_CHARACTERS, Math.max(LEAST_CHARACTERS, characters));
}

/** What comes after the first request and before the last: not the first prompt, nor what the last step writes. */
function charactersBetween(plan: SessionPlan): number {
  const [first] = plan.turns;
  const last = plan.turns.at(-1)?.steps.at(-1);
  const outside = (first?.prompt.characters ?? 0) + (last === undefined ? 0 : stepCharacters(last));
  return contentCharactersOf(plan) - outside;
}
