import { sum } from '../../lib/collections.ts';
import {
  bullet,
  type Candidate,
  clipToTokens,
  priceItems,
  renderCandidates,
  type Room,
} from './candidates.ts';
import { type Item, WEIGHTS } from './item.ts';
import { packNames } from './pack-names.ts';
import { type BySection, OMITTED, SECTION_NAMES, type SectionName, SHARES } from './template.ts';

/** What is left for items beside the headings. */
interface FreeRoom extends Room {
  readonly hasNames: boolean;
}

/** Under a smaller cap, bare names would stand where sentences could. */
const FEWEST_TOKENS_FOR_NAMES = 400;
/** A lighter item has no part in the share of its section, unless it is a file. */
const LIGHTEST_SHARED = WEIGHTS.important;

/**
 * The filled template within the cap. Each section may fill its share; a section that got nothing gets
 * its heaviest item from what is left over, and the rest goes to the heaviest of the other items.
 * Where not even the headings fit, the heaviest item stands alone.
 */
export function fitSections(sections: BySection<readonly Item[]>, room: Room): string {
  const names = SECTION_NAMES.filter(
    (name) => name !== 'names' || room.capTokens >= FEWEST_TOKENS_FOR_NAMES,
  );
  const candidates = names.flatMap((name) => priceItems(name, sections[name], room));
  const freeTokens =
    room.capTokens - room.countTokens(renderCandidates(candidates, [], room.template));
  if (freeTokens < 0) return squeeze(candidates, room);
  const hasNames = candidates.some(({ name }) => name === 'names');
  const free = { ...room, capTokens: freeTokens, hasNames };
  const shared = takeShares(candidates, free);
  const served = [...shared, ...serveStarved(candidates, shared, free)];
  const taken = new Set(served.map(placeOf));
  const others = rankAcross(candidates.filter((candidate) => !taken.has(placeOf(candidate))));
  const extra = takeWhatFits(others, freeTokens - sumTokens(served));
  const chosen = [...served, ...extra];
  const told = chosen.filter(({ name }) => name !== 'names');
  const rest = { ...room, capTokens: freeTokens - sumTokens(told) };
  const listed = packNames(
    candidates.filter(({ name }) => name === 'names'),
    told,
    rest,
  );
  return renderWithin(candidates, [...told, ...listed], room);
}

function takeShares(candidates: readonly Candidate[], room: FreeRoom): readonly Candidate[] {
  return SECTION_NAMES.flatMap((name) => {
    const own = candidates.filter(
      (candidate) =>
        candidate.name === name && (name === 'files' || candidate.weight >= LIGHTEST_SHARED),
    );
    return takeWhatFits(own, shareOf(name, room));
  });
}

/** The heaviest item of each section that got nothing, as much of it as the others' shares leave room for. */
function serveStarved(
  candidates: readonly Candidate[],
  shared: readonly Candidate[],
  room: FreeRoom,
): readonly Candidate[] {
  const starved = SECTION_NAMES.filter((name) => shared.every((taken) => taken.name !== name))
    .map((name) => candidates.find((candidate) => candidate.name === name))
    .filter((candidate) => candidate !== undefined);
  let leftTokens = room.capTokens - sumTokens(shared);
  return starved.flatMap((candidate, index) => {
    const later = starved.slice(index + 1).map(({ name }) => shareOf(name, room));
    const capTokens = leftTokens - sum(later);
    const clipped = clipCandidate(candidate, { ...room, capTokens });
    leftTokens -= clipped?.tokens ?? 0;
    return clipped ?? [];
  });
}

/** As much of a candidate as the room holds. */
function clipCandidate(candidate: Candidate, room: Room): Candidate | undefined {
  if (candidate.tokens <= room.capTokens) return candidate;
  const text = clipToTokens(candidate.text, room);
  return text === '' ? undefined : { ...candidate, text, tokens: room.countTokens(bullet(text)) };
}

function shareOf(name: SectionName, { capTokens, hasNames }: FreeRoom): number {
  const all = hasNames ? 1 : 1 - SHARES.names;
  return Math.floor((capTokens * SHARES[name]) / all);
}

function takeWhatFits(candidates: readonly Candidate[], tokens: number): readonly Candidate[] {
  let leftTokens = tokens;
  return candidates.filter((candidate) => {
    const fits = candidate.tokens <= leftTokens;
    if (fits) leftTokens -= candidate.tokens;
    return fits;
  });
}

/** Drops what was taken last until the whole fits: parts counted alone may weigh less than together. */
function renderWithin(
  candidates: readonly Candidate[],
  chosen: readonly Candidate[],
  room: Room,
): string {
  let kept = chosen;
  let excess = room.countTokens(renderCandidates(candidates, kept, room.template)) - room.capTokens;
  while (excess > 0 && kept.length > 0) {
    kept = dropLast(kept, excess);
    excess = room.countTokens(renderCandidates(candidates, kept, room.template)) - room.capTokens;
  }
  return renderCandidates(candidates, kept, room.template);
}

function dropLast(kept: readonly Candidate[], excess: number): readonly Candidate[] {
  let freedTokens = 0;
  let length = kept.length;
  while (length > 0 && freedTokens < excess) {
    length -= 1;
    freedTokens += Math.max(1, kept[length]?.tokens ?? 0);
  }
  return kept.slice(0, length);
}

/** The heaviest item alone, as much of it as the cap holds. */
function squeeze(candidates: readonly Candidate[], room: Room): string {
  const [heaviest] = rankAcross(candidates);
  const text = heaviest === undefined ? '' : clipToTokens(heaviest.text, room);
  const line = text === '' ? OMITTED : bullet(text).trimEnd();
  return room.countTokens(line) <= room.capTokens ? line : '';
}

function rankAcross(candidates: readonly Candidate[]): readonly Candidate[] {
  return candidates.toSorted((a, b) => b.weight - a.weight);
}

function sumTokens(candidates: readonly Candidate[]): number {
  return sum(candidates.map(({ tokens }) => tokens));
}

function placeOf({ name, order }: Candidate): string {
  return `${name} ${order}`;
}
