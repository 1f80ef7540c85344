import { createHash } from 'node:crypto';
import { isCleared } from '../../../engine/index.ts';
import { perKey } from '../../lib/collections.ts';
import {
  budgetTokens,
  headTexts,
  type Message,
  type Summarizer,
  type SummaryAnswer,
  type SummaryRequest,
} from '../summarizer.ts';
import { fitSections } from './fit.ts';
import { toShortLine } from './head.ts';
import { readSections } from './sections.ts';
import {
  BEFORE_HEAD,
  type BySection,
  type Item,
  readTemplate,
  SECTION_NAMES,
  WEIGHTS,
} from './template.ts';

type CountTokens = (text: string) => number;
type Part = Message['parts'][number];

/** A message with its number of parts and a digest of its content. */
interface Digested {
  readonly message: Message;
  readonly parts: number;
  readonly digest: string;
}

const ANY_TEXT_CHARS = 300;

/** Characters of answers after which all are forgotten. */
const MOST_CHARS = 16_000_000;

/** The summarizer that needs no model: it fills the template with sentences, commands and paths of the head. */
export function createExtractive(): Summarizer {
  return rememberAnswers({
    name: 'extractive',
    summarise: (request, tools) => ({
      state: 'finished',
      text: fitSections(readSectionsOrAny(request), {
        capTokens: budgetTokens(request),
        countTokens: (text) => tools.countTokens(text),
        template: readTemplate(request.prompt),
      }),
      finish: 'stop',
    }),
  });
}

/**
 * A summarizer made to answer a request that comes again at once: runs of a session that differ little ask the same. It
 * must depend on nothing but what messages say: not on chance, nor on what their tokens were counted as.
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

/** Reads the sections of a head; one without requests, answers or actions gives its first words as the goal. */
function readSectionsOrAny(request: SummaryRequest): BySection<readonly Item[]> {
  const sections = readSections(request);
  const isEmpty = SECTION_NAMES.every((name) => sections[name].length === 0);
  return isEmpty ? { ...sections, goal: findAnyText(request.messages) } : sections;
}

function findAnyText(messages: readonly Message[]): readonly Item[] {
  for (const raw of headTexts(messages)) {
    const text = toShortLine(raw, ANY_TEXT_CHARS);
    if (text !== '') return [{ text, weight: WEIGHTS.vital, at: BEFORE_HEAD }];
  }
  return [];
}

/** Creates digests that distinguish requests by their whole content and their token counter. */
function createRequestDigest(): (request: SummaryRequest, count: CountTokens) => string {
  const digestOf = createMessageDigest();
  let lastCounter = 0;
  const counterOf = perKey<CountTokens, number>(() => ++lastCounter);
  return ({ messages, ...rest }, count) =>
    sha256(JSON.stringify([rest, messages.map(digestOf), counterOf(count)]));
}

/** Creates digests of messages, which each run of a session creates anew from shared parts. */
function createMessageDigest(): (message: Message) => string {
  const known = new WeakMap<Message['parts'], Digested>();
  let unwritable = 0;
  const digestOf = perKey((part: Part) => digestOfPart(part) ?? `unwritable ${++unwritable}`);
  return (message) => {
    const last = known.get(message.parts);
    const isKnown = last?.parts === message.parts.length && isSaidAlike(last.message, message);
    if (isKnown) return last.digest;
    // What its tokens were counted as is not said.
    const said = { ...message, usage: undefined, parts: message.parts.map(digestOf) };
    const digest = sha256(JSON.stringify(said));
    known.set(message.parts, { message: { ...message }, parts: message.parts.length, digest });
    return digest;
  };
}

/** Absent where an input holds what JSON does not know: such a part is like no other. */
function digestOfPart(part: Part): string | undefined {
  try {
    return sha256(JSON.stringify(saidBy(part)));
  } catch {
    return undefined;
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/** A cleared output says nothing, whenever it was cleared. */
function saidBy(part: Part): Part {
  return isCleared(part) ? { ...part, state: { ...part.state, output: '', compactedAt: 0 } } : part;
}

/** Tests if messages with the same parts have the same content. */
function isSaidAlike(one: Message, other: Message): boolean {
  if (one.id !== other.id || one.createdAt !== other.createdAt) return false;
  if (one.role === 'user' || other.role === 'user') return one.role === other.role;
  return (
    one.parentId === other.parentId &&
    one.finish === other.finish &&
    one.summary === other.summary &&
    one.model === other.model &&
    one.error === other.error
  );
}
