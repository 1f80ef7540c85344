import { sum } from '../../lib/collections.ts';
import { clipLine } from '../../lib/lines.ts';
import {
  budgetTokens,
  type FinishedAnswer,
  longestFitting,
  type SummarizerTools,
  type SummaryRequest,
} from '../summarizer.ts';
import {
  type ByTopic,
  byTopic,
  OMITTED,
  readTemplate,
  renderTemplate,
  type Template,
  TOPICS,
} from './template.ts';
import { type Item, readTopics } from './topics.ts';

interface Room {
  readonly maxTokens: number;
  readonly countTokens: (text: string) => number;
}

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
const LEAST_TOKENS = 28;
/** Parts counted alone may weigh less than together; then all are tried again with less room. */
const SHRINK = 0.85;

/** The template, filled from the head without a model or a language. */
export function fillTemplate(
  request: SummaryRequest,
  { countTokens }: SummarizerTools,
): FinishedAnswer {
  const room = { maxTokens: budgetTokens(request), countTokens };
  const text = fitTopics(readTemplate(request.prompt), readTopics(request), room);
  return { state: 'finished', text, finish: 'stop' };
}

/** The filled template; where not even the headings fit, the most important item alone. */
export function fitTopics(template: Template, items: ByTopic<readonly Item[]>, room: Room) {
  const { countTokens, maxTokens } = room;
  const priced = byTopic((topic) =>
    items[topic].slice(0, MOST_ITEMS).map((item) => priceOf(item, room)),
  );
  const told = new Set(TOPICS.filter((topic) => priced[topic].length > 0));
  const render = (chosen: ByTopic<readonly Item[]>) => {
    const inOrder = byTopic((topic) => chosen[topic].toSorted((a, b) => a.at - b.at));
    const lines = byTopic((topic) => inOrder[topic].map(({ text }) => text));
    return renderTemplate(template, lines, told);
  };
  const leastTokens = told.size === 0 ? 0 : LEAST_TOKENS;
  let freeTokens = maxTokens - countTokens(render(byTopic(() => [])));
  while (freeTokens >= leastTokens) {
    const text = render(choose(priced, { ...room, maxTokens: freeTokens }));
    if (countTokens(text) <= maxTokens) return text;
    freeTokens = Math.floor(freeTokens * SHRINK);
  }
  const [first] = TOPICS.flatMap((topic) => priced[topic]);
  const start = clipToTokens(first?.text ?? OMITTED, room);
  const line = start === '' ? OMITTED : `- ${start}`;
  return countTokens(line) <= maxTokens ? line : '';
}

/** The longest beginning of a line that fits as a bullet; empty where none does. */
export function clipToTokens(line: string, { countTokens, maxTokens }: Room) {
  const fits = (text: string) => countTokens(bullet(text)) <= maxTokens;
  return fits(line) ? line : longestFitting(line, (length) => clipLine(line, length), fits);
}

export function bullet(text: string) {
  return `- ${text}\n`;
}

function priceOf(item: Item, { countTokens }: Room) {
  return { ...item, tokens: countTokens(bullet(item.text)) };
}

/** The share of each topic, filled; then items that still fit into what is left. */
function choose(priced: ByTopic<readonly Priced[]>, room: Room) {
  const needs = TOPICS.map((topic) => tokensOf(priced[topic]));
  const weights = TOPICS.map((topic) => WEIGHTS[topic]);
  const shares = divide(needs, weights, room.maxTokens);
  const taken = new Map(
    TOPICS.map((topic, at) => [
      topic,
      fill(priced[topic], { ...room, maxTokens: shares[at] ?? 0 }),
    ]),
  );
  let leftTokens = room.maxTokens - tokensOf([...taken.values()].flat());
  return byTopic((topic) => {
    const own = taken.get(topic) ?? [];
    const others = priced[topic].slice(own.length).filter(({ tokens }) => {
      const fits = tokens <= leftTokens;
      if (fits) leftTokens -= tokens;
      return fits;
    });
    return [...own, ...others];
  });
}

function tokensOf(items: readonly Priced[]) {
  return sum(items.map(({ tokens }) => tokens));
}

/** As many as get enough of the room to say something, each cut to its part. */
function fill(items: readonly Priced[], room: Room) {
  const first = items.slice(0, Math.max(1, Math.floor(room.maxTokens / LEAST_TOKENS)));
  const needs = first.map(({ tokens }) => tokens);
  const evenly = needs.map(() => 1);
  const parts = divide(needs, evenly, room.maxTokens);
  return first.flatMap((item, index) => {
    const maxTokens = parts[index] ?? 0;
    if (item.tokens <= maxTokens) return [item];
    const text = clipToTokens(item.text, { ...room, maxTokens });
    return text === '' ? [] : [priceOf({ ...item, text }, room)];
  });
}

/** Divides a total by weights so that nobody gets more than it needs. */
function divide(needs: readonly number[], weights: readonly number[], total: number) {
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
