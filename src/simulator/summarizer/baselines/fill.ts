import { bullet, clipToTokens } from '../extractive/candidates.ts';
import { DEFAULT_TEMPLATE } from '../extractive/template.ts';
import { askedHeadings } from '../asked-headings.ts';
import { DEFAULT_CAP_TOKENS } from '../output-cap.ts';
import type { SummaryAnswer, SummaryRequest, SummarizerTools } from '../summarizer.ts';

/** A sentence with its place in the head. */
export interface Placed {
  readonly text: string;
  readonly at: number;
}

type Room = Parameters<typeof clipToTokens>[1];

/** Sentences in a row that may be too long before filling stops. */
const MOST_MISSES = 8;

/**
 * An answer of sentences, the most wanted first, as many as the cap holds. They stand in the order of the head below the
 * first heading that is asked for. A sentence that alone is too long for the cap is cut.
 */
export function fillAnswer(
  request: SummaryRequest,
  sentences: Iterable<Placed>,
  tools: SummarizerTools,
): SummaryAnswer {
  const capTokens = request.outputCapTokens ?? DEFAULT_CAP_TOKENS;
  const countTokens = (text: string) => tools.countTokens(text);
  const [heading = ''] = askedHeadings(request.prompt);
  const room = { capTokens, countTokens, template: DEFAULT_TEMPLATE };
  let chosen = choose(sentences, { ...room, capTokens: capTokens - countTokens(`${heading}\n`) });
  while (chosen.length > 0 && countTokens(write(heading, chosen)) > capTokens) {
    const excess = countTokens(write(heading, chosen)) / Math.max(1, capTokens) - 1;
    chosen = chosen.slice(0, -Math.max(1, Math.floor(chosen.length * Math.min(1, excess))));
  }
  const text = write(heading, chosen);
  return { state: 'finished', text: countTokens(text) > capTokens ? '' : text, finish: 'stop' };
}

function choose(sentences: Iterable<Placed>, room: Room): readonly Placed[] {
  const chosen: Placed[] = [];
  let leftTokens = room.capTokens;
  let misses = 0;
  for (const { text, at } of sentences) {
    const tokens = room.countTokens(bullet(text));
    if (tokens <= leftTokens) {
      chosen.push({ text, at });
      leftTokens -= tokens;
    } else if (chosen.length === 0) {
      const start = clipToTokens(text, room);
      return start === '' ? [] : [{ text: start, at }];
    } else misses += 1;
    if (misses > MOST_MISSES || leftTokens <= 0) break;
  }
  return chosen;
}

function write(heading: string, chosen: readonly Placed[]): string {
  const lines = chosen.toSorted((a, b) => a.at - b.at).map(({ text }) => `- ${text}`);
  return [heading, ...lines].filter((line) => line !== '').join('\n');
}
