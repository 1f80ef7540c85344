import { clipLine } from '../../lib/lines.ts';
import {
  budgetTokens,
  type FinishedAnswer,
  longestFitting,
  type SummarizerTools,
  type SummaryRequest,
} from '../summarizer.ts';
import { type Item, readItems } from './items.ts';
import texts from './homes.json' with { type: 'json' };
import { readTemplate, renderTemplate } from './template.ts';

type Room = Pick<SummarizerTools, 'countTokens'> & { readonly maxTokens: number };

const OMITTED = '…';
const LEAST_TOKENS = 28;
/** Of the room for one item. */
const LARGEST_PART = 0.25;
/** Parts counted alone may weigh less than together; then all are tried again with less room. */
const SHRINK = 0.85;

/** The template, filled from the head without a model; where not even the headings fit, the most important item. */
export function fillTemplate(
  request: SummaryRequest,
  { countTokens }: SummarizerTools,
): FinishedAnswer {
  const maxTokens = budgetTokens(request);
  const fits = (text: string) => countTokens(text) <= maxTokens;
  const finished = { state: 'finished', finish: 'stop' } as const;
  const template = readTemplate(request.prompt);
  const items = readItems(request);
  const inOrder = byImportance(items);
  let freeTokens = maxTokens - countTokens(renderTemplate(template, []));
  for (; freeTokens >= Math.min(items.length, LEAST_TOKENS); freeTokens *= SHRINK) {
    const chosen = choose(inOrder, { countTokens, maxTokens: Math.floor(freeTokens) });
    const filled = renderTemplate(template, chosen);
    if (fits(filled)) return { ...finished, text: filled };
  }
  const line = clipToTokens(items[0]?.text ?? '', { countTokens, maxTokens });
  const short = line === '' ? OMITTED : `- ${line}`;
  return { ...finished, text: fits(short) ? short : '' };
}

/** The longest beginning of a line that fits as a bullet; empty where none does. */
export function clipToTokens(line: string, { countTokens, maxTokens }: Room) {
  const fits = (text: string) => countTokens(bullet(text)) <= maxTokens;
  return fits(line) ? line : longestFitting(line, (length) => clipLine(line, length), fits);
}

export function bullet(text: string) {
  return `- ${text}\n`;
}

/** Items whose topics stand together, the first of each topic before later ones, those of heavy topics earlier. */
function byImportance(items: readonly Item[]) {
  const ranked = items.map((item, index) => {
    const first = items.findIndex(({ topic }) => topic === item.topic);
    return { item, lateness: (index + 1 - first) / texts.weights[item.topic] };
  });
  return ranked.toSorted((a, b) => a.lateness - b.lateness).map(({ item }) => item);
}

/** As much as fits, in the order of the messages; long items are cut. */
function choose(items: readonly Item[], { countTokens, maxTokens }: Room) {
  let leftTokens = maxTokens;
  const chosen = items.flatMap((item) => {
    const part = Math.min(leftTokens, Math.max(LEAST_TOKENS, maxTokens * LARGEST_PART));
    const text =
      part < LEAST_TOKENS ? '' : clipToTokens(item.text, { countTokens, maxTokens: part });
    if (text === '') return [];
    leftTokens -= countTokens(bullet(text));
    return [{ ...item, text }];
  });
  return chosen.toSorted((a, b) => a.at - b.at);
}
