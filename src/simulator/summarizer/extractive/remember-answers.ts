import { createHash } from 'node:crypto';
import type { Message, Summarizer, SummaryAnswer, SummaryRequest } from '../summarizer.ts';

type CountTokens = (text: string) => number;
type Part = Message['parts'][number];

/** Characters of answers after which all are forgotten. */
const MOST_CHARS = 16_000_000;

/**
 * The same summarizer, which answers a request that comes again at once: runs of a session that differ little ask the
 * same. It must not depend on chance.
 */
export function rememberAnswers(summarizer: Summarizer): Summarizer {
  const answers = new Map<string, SummaryAnswer>();
  const digestOf = createRequestDigest();
  let chars = 0;
  return {
    ...summarizer,
    summarise: (request, tools) => {
      const digest = digestOf(request, tools.countTokens);
      const known = answers.get(digest);
      if (known !== undefined) return known;
      const answer = summarizer.summarise(request, tools);
      if (chars > MOST_CHARS) {
        answers.clear();
        chars = 0;
      }
      answers.set(digest, answer);
      chars += answer.state === 'finished' ? answer.text.length : 0;
      return answer;
    },
  };
}

/** Tells requests apart by all that they say, and by what counts their tokens. */
function createRequestDigest(): (request: SummaryRequest, count: CountTokens) => string {
  const counters = new WeakMap<CountTokens, number>();
  // Runs of a session share its parts, and have messages of their own.
  const parts = new WeakMap<Part, string>();
  let lastCounter = 0;
  let unwritable = 0;
  const counterOf = (count: CountTokens) => {
    const known = counters.get(count) ?? ++lastCounter;
    counters.set(count, known);
    return known;
  };
  const digestOf = (part: Part) => {
    const known = parts.get(part) ?? digestOfPart(part) ?? `unwritable ${++unwritable}`;
    parts.set(part, known);
    return known;
  };
  return ({ messages, ...rest }, count) => {
    const said = messages.map((message) => ({ ...message, parts: message.parts.map(digestOf) }));
    return sha256(JSON.stringify([rest, said, counterOf(count)]));
  };
}

/** Absent where an input holds what JSON does not know: such a part is like no other. */
function digestOfPart(part: Part): string | undefined {
  try {
    return sha256(JSON.stringify(part));
  } catch {
    return undefined;
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
