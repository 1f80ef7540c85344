import { addToGroup, sum } from '../../lib/collections.ts';
import { clipLine } from './head.ts';
import { findNames, NAME_SEPARATOR } from './mentions.ts';
import {
  type BySection,
  bySection,
  type Item,
  NOTHING,
  OMITTED,
  rankItems,
  renderTemplate,
  SECTION_NAMES,
  type SectionName,
  SHARES,
  type Template,
  WEIGHTS,
} from './template.ts';

/** Room for items besides the headings. */
interface FreeRoom extends Room {
  readonly hasNames: boolean;
}

/** How much an answer may hold, and what measures it. */
interface Room {
  readonly capTokens: number;
  readonly countTokens: (text: string) => number;
  /** The headings to be filled. */
  readonly template: Template;
}

/** An item with its place and its price. */
interface Candidate {
  readonly name: SectionName;
  readonly text: string;
  readonly weight: number;
  /** Place among the items of its section. */
  readonly order: number;
  readonly tokens: number;
}

/** A name with what begins its line. */
interface Listed {
  readonly opening: string;
  readonly name: string;
}

/** Under a smaller cap, bare names would stand where sentences could. */
const FEWEST_TOKENS_FOR_NAMES = 400;
/** A lighter item has no part in the share of its section, unless it is a file. */
const LIGHTEST_SHARED = WEIGHTS.important;

/** Items of a section that are considered at all; far more than any cap holds. */
const MOST_ITEMS = 400;

/** Names in one line: few, so that little is lost of a line that does not fit. */
const PER_LINE = 12;
const OPENING_END = ': ';

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

/** The longest beginning of a line that fits as a bullet; empty where none does. */
export function clipToTokens(line: string, room: Room): string {
  const fits = (text: string) => room.countTokens(bullet(text)) <= room.capTokens;
  if (fits(line)) return line;
  let best = '';
  let low = 1;
  let high = line.length - 1;
  while (low <= high) {
    const middle = Math.floor((low + high) / 2);
    const text = clipLine(line, middle);
    if (fits(text)) {
      if (text.length > best.length) best = text;
      low = middle + 1;
    } else high = middle - 1;
  }
  return best;
}

/** A line of the template. */
export function bullet(text: string): string {
  return `- ${text}\n`;
}

/** The items of a section, heaviest first. */
function priceItems(name: SectionName, items: readonly Item[], room: Room): readonly Candidate[] {
  const orders = new Map(items.map((item, order) => [item, order]));
  return rankItems(items)
    .slice(0, MOST_ITEMS)
    .map((item) => ({
      name,
      text: item.text,
      weight: item.weight,
      order: orders.get(item) ?? 0,
      tokens: room.countTokens(bullet(item.text)),
    }));
}

/** The filled template with the chosen candidates. An empty section says if it had any. */
function renderCandidates(
  candidates: readonly Candidate[],
  chosen: readonly Candidate[],
  template: Template,
): string {
  return renderTemplate(
    bySection((name) => {
      const lines = chosen
        .filter((candidate) => candidate.name === name)
        .toSorted((a, b) => a.order - b.order)
        .map(({ text }) => text);
      if (lines.length > 0) return lines;
      return [candidates.some((candidate) => candidate.name === name) ? OMITTED : NOTHING];
    }),
    template,
  );
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

function takeShares(candidates: readonly Candidate[], room: FreeRoom): readonly Candidate[] {
  return SECTION_NAMES.flatMap((name) => {
    const own = candidates.filter(
      (candidate) =>
        candidate.name === name && (name === 'files' || candidate.weight >= LIGHTEST_SHARED),
    );
    return takeWhatFits(own, shareOf(name, room));
  });
}

function takeWhatFits(candidates: readonly Candidate[], tokens: number): readonly Candidate[] {
  let leftTokens = tokens;
  return candidates.filter((candidate) => {
    const fits = candidate.tokens <= leftTokens;
    if (fits) leftTokens -= candidate.tokens;
    return fits;
  });
}

function shareOf(name: SectionName, { capTokens, hasNames }: FreeRoom): number {
  const all = hasNames ? 1 : 1 - SHARES.names;
  return Math.floor((capTokens * SHARES[name]) / all);
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

function sumTokens(candidates: readonly Candidate[]): number {
  return sum(candidates.map(({ tokens }) => tokens));
}

/** As much of a candidate as the room holds. */
function clipCandidate(candidate: Candidate, room: Room): Candidate | undefined {
  if (candidate.tokens <= room.capTokens) return candidate;
  const text = clipToTokens(candidate.text, room);
  return text === '' ? undefined : { ...candidate, text, tokens: room.countTokens(bullet(text)) };
}

function placeOf({ name, order }: Candidate): string {
  return `${name} ${order}`;
}

/**
 * Lines of the names that do not stand in other lines, as many as the room holds, in the order of the candidates, which
 * are lines of names too.
 */
function packNames(
  candidates: readonly Candidate[],
  others: readonly Candidate[],
  room: Room,
): readonly Candidate[] {
  const said = new Set(others.flatMap(({ text }) => findNames(text).map((name) => name.text)));
  const names = candidates.flatMap(namesOf).filter(({ name }) => !said.has(name));
  const [first] = candidates;
  let leftTokens = room.capTokens;
  return linesOf(names).flatMap((text, order) => {
    const tokens = room.countTokens(bullet(text));
    if (first === undefined || tokens > leftTokens) return [];
    leftTokens -= tokens;
    return [{ ...first, text, order, tokens }];
  });
}

function namesOf({ text }: Candidate): readonly Listed[] {
  const start = text.indexOf(OPENING_END) + OPENING_END.length;
  const opening = text.slice(0, start);
  return text
    .slice(start)
    .split(NAME_SEPARATOR)
    .map((name) => ({ opening, name }));
}

function linesOf(names: readonly Listed[]): readonly string[] {
  const byOpening = new Map<string, string[]>();
  for (const { opening, name } of names) addToGroup(byOpening, opening, name);
  return [...byOpening].flatMap(([opening, own]) =>
    Array.from(
      { length: Math.ceil(own.length / PER_LINE) },
      (_, line) => opening + own.slice(line * PER_LINE, (line + 1) * PER_LINE).join(NAME_SEPARATOR),
    ),
  );
}

/** Drops the newest choices until the whole fits: parts counted alone may weigh less than together. */
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
