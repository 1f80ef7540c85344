import type { Outline, OutlineTurn } from './outline.ts';
import { detailsOf, keepDetails } from './details.ts';
import {
  messageTokensOf,
  partJoining,
  type PlacedPart,
  type PlacedStep,
  stepJoining,
  turnJoining,
} from './joining.ts';
import { mapSteps } from './map-steps.ts';
import { sizesOf } from './sizes.ts';
import { type Joining, joinList, reduceList, reduceNumber, type Shows } from './reduce.ts';

/** Told of each smaller outline that still shows what is looked for. */
export type OnSmaller = (outline: Outline) => void;

/** Makes a list of some pieces of an outline shorter. */
type Shorten<Item> = (
  items: readonly Item[],
  shows: Shows<readonly Item[]>,
) => Promise<readonly Item[]>;

/**
 * The smallest outline that still shows what is looked for: turns go first, then steps, then parts, with those put
 * together that need not be apart, then what is said besides of those that stay; then sizes and pauses shrink, until
 * nothing more can go. What is said besides is left out at once where that will do. No single turn or step of the
 * result can be left out. Sizes, of which there are most, are gone through again only where something could go once they
 * were smaller.
 */
export async function minimize(
  outline: Outline,
  shows: Shows<Outline>,
  onSmaller: OnSmaller = () => {},
): Promise<Outline> {
  const tried: Shows<Outline> = async (candidate) => {
    const isShown = await shows(candidate);
    if (isShown) onSmaller(candidate);
    return isShown;
  };
  const plain = keepDetails(outline, () => false);
  let left = await leaveOut((await tried(plain)) ? plain : outline, tried);
  let before: string;
  do {
    const shrunk = await reduceSizes(left, tried);
    before = JSON.stringify(shrunk);
    left = await leaveOut(shrunk, tried);
  } while (JSON.stringify(left) !== before);
  return left;
}

/** What is put together first need not be tried piece by piece, and of what is left nothing has become too little yet. */
async function leaveOut(outline: Outline, shows: Shows<Outline>): Promise<Outline> {
  let left = await onTurns(outline, reduceList, shows);
  const messageTokens = messageTokensOf(left);
  left = await onTurns(left, joining(turnJoining(messageTokens)), shows);
  left = await onSteps(left, joining(stepJoining(messageTokens)), shows);
  left = await onParts(left, joining(partJoining), shows);
  left = await onSteps(left, reduceList, shows);
  left = await onParts(left, reduceList, shows);
  return await leaveOutDetails(left, shows);
}

async function leaveOutDetails(outline: Outline, shows: Shows<Outline>): Promise<Outline> {
  const withOnly = (places: readonly string[]): Outline => {
    const kept = new Set(places);
    return keepDetails(outline, (place) => kept.has(place));
  };
  const all = detailsOf(outline);
  const left = await reduceList(all, (places) => shows(withOnly(places)));
  return left.length === all.length ? outline : withOnly(left);
}

function joining<Item>(how: Joining<Item>): Shorten<Item> {
  return (items, shows) => joinList(items, how, shows);
}

async function onTurns(
  { turns, ...outline }: Outline,
  shorten: Shorten<OutlineTurn>,
  shows: Shows<Outline>,
): Promise<Outline> {
  return {
    ...outline,
    turns: await shorten(turns, (left) => shows({ ...outline, turns: left })),
  };
}

async function onSteps(
  { turns, ...outline }: Outline,
  shorten: Shorten<PlacedStep>,
  shows: Shows<Outline>,
): Promise<Outline> {
  const all = turns.flatMap(({ steps }, turnIndex) =>
    steps.map((step): PlacedStep => ({ turnIndex, step })),
  );
  const withOnly = (left: readonly PlacedStep[]): Outline => ({
    ...outline,
    turns: turns.map((turn, index) => ({
      ...turn,
      steps: left.filter(({ turnIndex }) => turnIndex === index).map(({ step }) => step),
    })),
  });
  return withOnly(await shorten(all, (left) => shows(withOnly(left))));
}

async function onParts(
  outline: Outline,
  shorten: Shorten<PlacedPart>,
  shows: Shows<Outline>,
): Promise<Outline> {
  const all = outline.turns.flatMap(({ steps }, turnIndex) =>
    steps.flatMap(({ parts }, stepIndex) =>
      parts.map((part): PlacedPart => ({ turnIndex, stepIndex, part })),
    ),
  );
  const withOnly = (left: readonly PlacedPart[]): Outline =>
    mapSteps(outline, (step, turnAt, stepAt) => ({
      ...step,
      parts: left
        .filter(({ turnIndex, stepIndex }) => turnIndex === turnAt && stepIndex === stepAt)
        .map(({ part }) => part),
    }));
  return withOnly(await shorten(all, (left) => shows(withOnly(left))));
}

async function reduceSizes(outline: Outline, shows: Shows<Outline>): Promise<Outline> {
  let left = outline;
  for (const { value, set } of sizesOf(outline)) {
    const smallest = await reduceNumber(value, (number) => shows(set(left, number)));
    if (smallest !== value) left = set(left, smallest);
  }
  return left;
}
