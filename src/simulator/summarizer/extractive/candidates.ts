/** Lines that may go into each section of a summary. */

import { type Item, rankItems } from './item.ts';
import { clipLine } from './plain-text.ts';
import {
  bySection,
  NOTHING,
  OMITTED,
  renderTemplate,
  type SectionName,
  type Template,
} from './template.ts';

/** How much an answer may hold, and what measures it. */
export interface Room {
  readonly capTokens: number;
  readonly countTokens: (text: string) => number;
  /** The headings to be filled. */
  readonly template: Template;
}

/** An item with its place and its price. */
export interface Candidate {
  readonly name: SectionName;
  readonly text: string;
  readonly weight: number;
  /** Place among the items of its section. */
  readonly order: number;
  readonly tokens: number;
}

/** Items of a section that are considered at all; far more than any cap holds. */
const MOST_ITEMS = 400;

/** The items of a section, heaviest first. */
export function priceItems(
  name: SectionName,
  items: readonly Item[],
  room: Room,
): readonly Candidate[] {
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

/** The filled template with what was chosen of the candidates. A section without any says whether it had some. */
export function renderCandidates(
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

/** A line as it stands in the template. */
export function bullet(text: string): string {
  return `- ${text}\n`;
}
