import { sum } from '../../lib/collections.ts';
import { clipLine } from '../../lib/lines.ts';
import {
  type ByTopic,
  byTopic,
  OMITTED,
  renderTemplate,
  type Template,
  TOPICS,
  type Topic,
} from './template.ts';
import type { Item } from './topics.ts';

/** How much an answer may hold, and what measures it. */
interface Room {
  readonly maxTokens: number;
  readonly countTokens: (text: string) => number;
}

/** An item with its price. */
interface Priced extends Item {
  readonly tokens: number;
}

/** Parts of the room by topic; what a topic does not need goes to the others. */
const WEIGHTS: ByTopic<number> = {
  goal: 16,
  prompts: 20,
  done: 16,
  doing: 12,
  next: 4,
  open: 6,
  failures: 8,
  remarks: 12,
  files: 12,
};
/** Items of a topic that are looked at; more than any room holds. */
const MOST_ITEMS = 60;
/** An item that is cut shorter says too little. */
const LEAST_TOKENS = 28;
/** Parts counted alone may weigh less than together; then all are tried again with less room. */
const SHRINK = 0.85;

/**
 * The filled template within the room. Topics share it by their weights, and the items of a topic evenly; who needs less
 * leaves the rest to the others. Where not even the headings fit, the most important item stands alone.
 */
export function fitTopics(template: Template, items: ByTopic<readonly Item[]>, room: Room): string {
  const priced = byTopic((topic) =>
    items[topic]
      .slice(0, MOST_ITEMS)
      .map((item) => ({ ...item, tokens: priceOf(item.text, room) })),
  );
  const told = new Set(TOPICS.filter((topic) => priced[topic].length > 0));
  const emptyTokens = room.countTokens(
    render(
      template,
      byTopic(() => []),
      told,
    ),
  );
  let freeTokens = room.maxTokens - emptyTokens;
  if (freeTokens < 0) return squeeze(priced, room);
  while (freeTokens >= LEAST_TOKENS) {
    const text = render(template, choose(priced, { ...room, maxTokens: freeTokens }), told);
    if (room.countTokens(text) <= room.maxTokens) return text;
    freeTokens = Math.floor(freeTokens * SHRINK);
  }
  return told.size === 0
    ? render(
        template,
        byTopic(() => []),
        told,
      )
    : squeeze(priced, room);
}

/** The longest beginning of a line that fits as a bullet; empty where none does. */
export function clipToTokens(line: string, { countTokens, maxTokens }: Room): string {
  const fits = (text: string) => countTokens(bullet(text)) <= maxTokens;
  if (fits(line)) return line;
  let best = '';
  let [low, high] = [1, line.length - 1];
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

/** A line of a summary. */
export function bullet(text: string): string {
  return `- ${text}\n`;
}

function priceOf(text: string, { countTokens }: Room): number {
  return countTokens(bullet(text));
}

function squeeze(items: ByTopic<readonly Item[]>, room: Room): string {
  const [first] = TOPICS.flatMap((topic) => items[topic]);
  const text = clipToTokens(first?.text ?? OMITTED, room);
  const line = text === '' ? OMITTED : `- ${text}`;
  return room.countTokens(line) <= room.maxTokens ? line : '';
}

function render(
  template: Template,
  chosen: ByTopic<readonly Item[]>,
  told: ReadonlySet<Topic>,
): string {
  const lines = byTopic((topic) =>
    chosen[topic].toSorted((a, b) => a.at - b.at).map(({ text }) => text),
  );
  return renderTemplate(template, lines, told);
}

/** The share of each topic, filled; then items that still fit into what is left. */
function choose(priced: ByTopic<readonly Priced[]>, room: Room): ByTopic<readonly Priced[]> {
  const needs = TOPICS.map((topic) => sum(priced[topic].map(({ tokens }) => tokens)));
  const shares = divide(
    needs,
    TOPICS.map((topic) => WEIGHTS[topic]),
    room.maxTokens,
  );
  const taken = TOPICS.map((topic, index) =>
    fill(priced[topic], { ...room, maxTokens: shares[index] ?? 0 }),
  );
  let leftTokens = room.maxTokens - sum(taken.flat().map(({ tokens }) => tokens));
  const chosen = TOPICS.map((topic, index) => {
    const own = taken[index] ?? [];
    const others = priced[topic].slice(own.length).filter(({ tokens }) => {
      const fits = tokens <= leftTokens;
      if (fits) leftTokens -= tokens;
      return fits;
    });
    return [topic, [...own, ...others]] as const;
  });
  return Object.fromEntries(chosen) as Record<Topic, readonly Priced[]>;
}

/** The first items, as many as get enough of the room to say something, each cut to its part. */
function fill(items: readonly Priced[], room: Room): readonly Priced[] {
  const most = Math.max(1, Math.floor(room.maxTokens / LEAST_TOKENS));
  const first = items.slice(0, most);
  const parts = divide(
    first.map(({ tokens }) => tokens),
    first.map(() => 1),
    room.maxTokens,
  );
  return first.flatMap((item, index) => {
    const maxTokens = parts[index] ?? 0;
    if (item.tokens <= maxTokens) return [item];
    const text = clipToTokens(item.text, { ...room, maxTokens });
    return text === '' ? [] : [{ ...item, text, tokens: priceOf(text, room) }];
  });
}

/** Divides a total by weights so that nobody gets more than it needs, as water fills vessels of unequal height. */
function divide(
  needs: readonly number[],
  weights: readonly number[],
  total: number,
): readonly number[] {
  const heights = needs.map((need, index) => ({ index, height: need / (weights[index] ?? 1) }));
  const parts = needs.map(() => 0);
  let left = total;
  let weightLeft = sum(weights);
  for (const { index } of heights.toSorted((a, b) => a.height - b.height)) {
    const weight = weights[index] ?? 1;
    const part = Math.min(needs[index] ?? 0, Math.floor((left * weight) / weightLeft));
    parts[index] = part;
    left -= part;
    weightLeft -= weight;
  }
  return parts;
}
