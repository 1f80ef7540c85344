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
import { readTemplate, renderTemplate, type Topic } from './template.ts';

type Room = Pick<SummarizerTools, 'countTokens'> & { readonly maxTokens: number };

const OMITTED = '…';
const LEAST_TOKENS = 28;
/** Of the room for one item. */
const LARGEST_PART = 0.25;
/** Parts counted alone may weigh less than together; then all are tried again with less room. */
const SHRINK = 0.85;

/** The template, filled from the head without a model or a language; where not even the headings fit, the most important item. */
export function fillTemplate(
  request: SummaryRequest,
  { countTokens }: SummarizerTools,
): FinishedAnswer {
  const maxTokens = budgetTokens(request);
  const template = readTemplate(request.prompt);
  const items = readItems(request);
  const ranks = new Map<Topic, number>();
  const ranked = items.map((item) => {
    const rank = (ranks.get(item.topic) ?? 0) + 1;
    ranks.set(item.topic, rank);
    return { ...item, lateness: rank / texts.weights[item.topic] };
  });
  const inOrder = ranked.toSorted((a, b) => a.lateness - b.lateness);
  const least = items.length === 0 ? 0 : LEAST_TOKENS;
  let freeTokens = maxTokens - countTokens(renderTemplate(template, []));
  let text = '';
  while (text === '' && freeTokens >= least) {
    const filled = renderTemplate(
      template,
      choose(inOrder, { countTokens, maxTokens: freeTokens }),
    );
    if (countTokens(filled) <= maxTokens) text = filled;
    freeTokens = Math.floor(freeTokens * SHRINK);
  }
  const first = clipToTokens(items[0]?.text ?? OMITTED, { countTokens, maxTokens });
  const line = first === '' ? OMITTED : `- ${first}`;
  const short = countTokens(line) <= maxTokens ? line : '';
  return { state: 'finished', text: text === '' ? short : text, finish: 'stop' };
}

/** The longest beginning of a line that fits as a bullet; empty where none does. */
export function clipToTokens(line: string, { countTokens, maxTokens }: Room) {
  const fits = (text: string) => countTokens(bullet(text)) <= maxTokens;
  return fits(line) ? line : longestFitting(line, (length) => clipLine(line, length), fits);
}

export function bullet(text: string) {
  return `- ${text}\n`;
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
