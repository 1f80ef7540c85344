import {
  checkpointText,
  flattenMessage,
  isCheckpoint,
  isSent,
  isWithout,
  type Message,
  type ModelContent,
  type ModelMessage,
  type Part,
  renderMessage,
  renderPart,
  type RenderPolicy,
  type SummaryForm,
  type SummaryRequest,
  type ToolPart,
  VERIFICATION,
} from '../../engine/index.ts';
import { type Fold, foldOver, type List } from '../../engine/internal.ts';
import type { TokenBasis } from '../events.ts';
import { keepIn } from '../lib/collections.ts';
import {
  extendPrefix,
  NO_BLOCKS,
  type Prefix,
  type Prompt,
  type PromptBlock,
  type Words,
} from '../provider/prompt.ts';
import { bytesOfContent, countContent, type CountText } from './count.ts';

/** True tokens of requests. */
export interface Ledger {
  /** Everything that a request with this view holds: overhead, parts, cost per message. */
  contextTokens(view: List<Message>): number;
  /** The prompt of a request with this view, with cache marks behind the tools and behind the two newest messages. */
  prompt(view: List<Message>): SentPrompt;
  /** The prompt of a summary request, as its policy builds it. */
  summaryPrompt(request: SummaryRequest): SentPrompt;
  /** The prompt of a second call, which goes on from the first one with its answer and asks to check it. */
  verificationPrompt(asked: SentPrompt, answer: string): SentPrompt;
  /** A text on its own. */
  textTokens(text: string): number;
  readonly pageOf: PageOf;
}

/** A request as a prompt cache sees it. */
export interface SentPrompt extends Prompt {
  /** Bytes of its messages' content, data URLs included. */
  readonly bytes: number;
}

/** The basis for true tokens of messages. */
interface Scale {
  readonly basis: TokenBasis;
  readonly count: CountText;
  readonly render: RenderPolicy;
}

/** A message as requests carry it. */
interface Page extends CutMessage {
  /** The model messages that it becomes. */
  readonly rendering: readonly ModelMessage[];
}

/** The page of a message. */
type PageOf = (message: Message) => Page;

/** A message as a prompt cache sees it. */
interface CutMessage {
  /** In the order in which they are sent: texts and calls, then the results. */
  readonly blocks: readonly PromptBlock[];
  /** Bytes of its content, data URLs included. */
  readonly bytes: number;
}

/** True tokens of a part, all of it and without the result of a tool, and its bytes. */
interface Weight {
  readonly whole: number;
  readonly said: number;
  readonly bytes: number;
  /** The text of the part; absent for a tool call, which is matched by its id. */
  readonly words: Words | undefined;
}

/** How a request is built that does not say it. */
const FRESH: SummaryForm = { kind: 'fresh', tools: false, verifies: false };

/** A ledger for one run under a session's token basis. */
export function createLedger(scale: Scale): Ledger {
  const { basis, count } = scale;
  const pageOf = createPages(scale);
  const steps = promptFold(basis.overheadTokens, pageOf);
  const summaries = new Map<string, Fold<Message, SentPrompt>>();

  const textTokens = (text: string) => Math.round(basis.factor * count(text));
  const foldFrom = (firstTokens: number, system: string) =>
    keepIn(summaries, `${firstTokens} ${system}`, () => promptFold(firstTokens, pageOf));
  const said = (by: Message['role'], text: string): PromptBlock => ({
    tokens: textTokens(text) + basis.perMessageTokens,
    words: { by, type: 'text', text },
  });
  /** The session's prompt up to its messages, which the same tools make the same; else another one. */
  const summaryFold = ({ system, form = FRESH }: SummaryRequest) => {
    const { overheadTokens } = basis;
    // What tools weigh on their own is not recorded, so that the whole overhead stands for them.
    if (form.kind === 'extends') return form.tools ? steps : foldFrom(overheadTokens, 'no tools');
    return foldFrom(textTokens(system) + (form.tools ? overheadTokens : 0), system);
  };

  return {
    textTokens,
    pageOf,
    contextTokens: (view) => foldOver(view, steps).whole.tokens,
    prompt: (view) => foldOver(view, steps),
    summaryPrompt: (request) => {
      const { messages, prompt, form } = request;
      const fold = summaryFold(request);
      if (form?.kind === 'flattened') {
        const text = `${flattenHead(messages, scale.render)}\n\n${prompt}`;
        return extendPrompt(fold.start, [said('user', text)], 0);
      }
      const head = foldOver(messages, fold);
      const asked = extendPrompt(head, [said('user', prompt)], 0);
      // The marks of the session's own request stay.
      return fold === steps ? { ...asked, marks: [...head.marks, asked.whole] } : asked;
    },
    verificationPrompt: (asked, answer) =>
      extendPrompt(asked, [said('assistant', answer), said('user', VERIFICATION)], 0),
  };
}

/** A head as one text. */
function flattenHead(messages: readonly Message[], { clearedOutput }: RenderPolicy): string {
  const options = { clearedOutput, toolOutputChars: Infinity };
  const texts = messages.map((message) => flattenMessage(message, options));
  return texts.filter((text) => text !== '').join('\n\n');
}

/** Makes the pages of a run, one for each message. */
function createPages(scale: Scale): PageOf {
  const pages = new Map<Message, Page>();
  const cut = createCut(scale);
  return (message) => {
    const known = pages.get(message);
    if (known !== undefined) return known;
    const page = { ...cut(message), rendering: renderMessage(message, scale.render) };
    pages.set(message, page);
    return page;
  };
}

/**
 * Cuts messages into blocks. The same part gives the same block: a tool's call is known again by its id when its
 * result has been cleared.
 */
function createCut({ basis, count, render }: Scale): (message: Message) => CutMessage {
  const weights = new Map<Part, Weight | undefined>();
  const saidBlocks = new Map<unknown, PromptBlock>();
  const resultBlocks = new Map<unknown, PromptBlock>();

  const weigh = (part: Part, role: Message['role']): Weight | undefined => {
    if (!weights.has(part)) {
      const contents = renderPart(part, role, render);
      weights.set(part, weighPart(contents, role, { factor: basis.factor, count }));
    }
    return weights.get(part);
  };
  return (message) => {
    if (isCheckpoint(message, render)) {
      const content = { type: 'text', text: checkpointText(message, render) } as const;
      const tokens =
        Math.round(basis.factor * countContent(content, count)) + basis.perMessageTokens;
      return {
        blocks: [{ tokens, words: wordsOf(content, 'user') }],
        bytes: bytesOfContent(content),
      };
    }
    if (!isSent(message)) return { blocks: [], bytes: 0 };
    let bytes = 0;
    const said: PromptBlock[] = [];
    const results: PromptBlock[] = [];
    for (const part of message.parts) {
      const weight = weigh(part, message.role);
      if (weight === undefined) continue;
      bytes += weight.bytes;
      const fixed = said.length === 0 ? basis.perMessageTokens : 0;
      const block = { tokens: weight.said + fixed, words: weight.words };
      said.push(knownBlock(saidBlocks, identityOf(part), block));
      if (part.type !== 'tool') continue;
      results.push(knownBlock(resultBlocks, part, { tokens: weight.whole - weight.said }));
    }
    return { blocks: [...said, ...results], bytes };
  };
}

/** The weight of a part, undefined if it is not sent. Rounded once a part, so that a call and its result add up to the part. */
function weighPart(
  contents: readonly ModelContent[],
  role: Message['role'],
  { factor, count }: { readonly factor: number; readonly count: CountText },
): Weight | undefined {
  const [first] = contents;
  if (first === undefined) return undefined;
  let said = 0;
  let result = 0;
  let bytes = 0;
  for (const content of contents) {
    const counted = countContent(content, count);
    bytes += bytesOfContent(content);
    if (content.type === 'tool-result') result += counted;
    else said += counted;
  }
  const whole = Math.round(factor * (said + result));
  const words = wordsOf(first, role);
  return { whole, said: Math.min(whole, Math.round(factor * said)), bytes, words };
}

function wordsOf(content: ModelContent, by: Message['role']): Words | undefined {
  switch (content.type) {
    case 'text':
    case 'reasoning':
      return { by, type: content.type, text: content.text };
    case 'file':
      return { by, type: content.mime, text: content.url };
    default:
      return undefined;
  }
}

/** The block that was made before under a key, if it has as many tokens; else the given one. */
function knownBlock(
  blocks: Map<unknown, PromptBlock>,
  key: unknown,
  block: PromptBlock,
): PromptBlock {
  const known = blocks.get(key);
  if (known?.tokens === block.tokens) return known;
  blocks.set(key, block);
  return block;
}

/** The key of the text or call of a part; a call keeps it when its result is cleared. */
function identityOf(part: Part): unknown {
  if (part.type !== 'tool') return part;
  return isWithout(part, 'input') ? inputOf(part) : part.callId;
}

function inputOf(part: ToolPart): object {
  const { input } = part.state;
  return typeof input === 'object' && input !== null ? input : part;
}

/** A fold of messages into a prompt whose first block has the given tokens. */
function promptFold(firstTokens: number, pageOf: PageOf): Fold<Message, SentPrompt> {
  const whole = extendPrefix(NO_BLOCKS, [{ tokens: firstTokens }]);
  return {
    start: { whole, marks: [whole], bytes: 0 },
    add: (sent, message) => {
      const { blocks, bytes } = pageOf(message);
      return blocks.length === 0 ? sent : extendPrompt(sent, blocks, bytes);
    },
  };
}

function extendPrompt(sent: SentPrompt, blocks: readonly PromptBlock[], bytes: number): SentPrompt {
  const whole = extendPrefix(sent.whole, blocks);
  return { whole, marks: marksOf(sent, whole), bytes: sent.bytes + bytes };
}

/** Clients mark what never changes, and where the conversation ended before and ends now, as OpenCode does. */
function marksOf({ whole: before, marks }: Prompt, whole: Prefix): readonly Prefix[] {
  const first = marks[0] ?? before;
  return first === before ? [first, whole] : [first, before, whole];
}
