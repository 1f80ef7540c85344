import { type Item, rankItems } from './item.ts';
import { clipLine } from './plain-text.ts';
import {
  type BySection,
  bySection,
  NOTHING,
  OMITTED,
  renderTemplate,
  SECTION_NAMES,
  type SectionName,
  SHARES,
} from './template.ts';

/** How much an answer may hold, and what measures it. */
export interface Room {
  readonly capTokens: number;
  readonly countTokens: (text: string) => number;
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

/** Items of a section that are considered at all; far more than any cap holds. */
const MOST_ITEMS = 400;

/**
 * The filled template within the cap. Each section may fill its share, and what is left over goes to
 * the heaviest of the other items. Where not even the headings fit, the heaviest item stands alone.
 */
export function fitSections(sections: BySection<readonly Item[]>, room: Room): string {
  const candidates = SECTION_NAMES.flatMap((name) => priceItems(name, sections[name], room));
  const freeTokens = room.capTokens - room.countTokens(render(candidates, []));
  if (freeTokens < 0) return squeeze(candidates, room);
  const shared = SECTION_NAMES.flatMap((name) => {
    const own = candidates.filter((candidate) => candidate.name === name);
    return takeShare(own, { ...room, capTokens: Math.floor(freeTokens * SHARES[name]) });
  });
  const taken = new Set(shared.map(placeOf));
  const others = candidates.filter((candidate) => !taken.has(placeOf(candidate)));
  const leftTokens = freeTokens - sumTokens(shared);
  return renderWithin(
    candidates,
    [...shared, ...takeWhatFits(rankAcross(others), leftTokens)],
    room,
  );
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

/** What fits of a section; where no item does, the beginning of the heaviest one. */
function takeShare(own: readonly Candidate[], room: Room): readonly Candidate[] {
  const fitting = takeWhatFits(own, room.capTokens);
  const [heaviest] = own;
  if (fitting.length > 0 || heaviest === undefined) return fitting;
  const text = clipToTokens(heaviest.text, room);
  return text === '' ? [] : [{ ...heaviest, text, tokens: room.countTokens(bullet(text)) }];
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
  let excess = room.countTokens(render(candidates, kept)) - room.capTokens;
  while (excess > 0 && kept.length > 0) {
    kept = dropLast(kept, excess);
    excess = room.countTokens(render(candidates, kept)) - room.capTokens;
  }
  return render(candidates, kept);
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
  const line = text === '' ? OMITTED : bullet(text);
  return room.countTokens(line) <= room.capTokens ? line : '';
}

/** The longest beginning of a line that fits as a bullet; empty where none does. */
function clipToTokens(line: string, room: Room): string {
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

function render(candidates: readonly Candidate[], chosen: readonly Candidate[]): string {
  return renderTemplate(
    bySection((name) => {
      const lines = chosen
        .filter((candidate) => candidate.name === name)
        .toSorted((a, b) => a.order - b.order)
        .map(({ text }) => text);
      if (lines.length > 0) return lines;
      return [candidates.some((candidate) => candidate.name === name) ? OMITTED : NOTHING];
    }),
  );
}

function rankAcross(candidates: readonly Candidate[]): readonly Candidate[] {
  return candidates.toSorted((a, b) => b.weight - a.weight);
}

function sumTokens(candidates: readonly Candidate[]): number {
  return candidates.reduce((sum, { tokens }) => sum + tokens, 0);
}

function placeOf({ name, order }: Candidate): string {
  return `${name} ${order}`;
}

function bullet(text: string): string {
  return `- ${text}\n`;
}
