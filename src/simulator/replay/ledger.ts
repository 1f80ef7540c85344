import {
  flattenMessage,
  type Message,
  type RenderPolicy,
  type SummaryForm,
  type SummaryRequest,
  VERIFICATION,
} from '../../engine/index.ts';
import { type Fold, foldOver, type List } from '../../engine/internal.ts';
import { keepIn } from '../lib/collections.ts';
import {
  extendPrefix,
  NO_BLOCKS,
  type Prefix,
  type Prompt,
  type PromptBlock,
} from '../provider/prompt.ts';
import { createPages, type PageOf, type Scale } from './pages.ts';
import type { Resized } from './sizes.ts';

/** True tokens of requests. */
export type Ledger = ReturnType<typeof createLedger>;

/** A request as a prompt cache sees it. */
export interface SentPrompt extends Prompt {
  readonly bytes: number;
}

const FRESH: SummaryForm = { kind: 'fresh', tools: false, verifies: false };

/** A ledger for one run under a session's token basis. */
export function createLedger(scale: Scale) {
  const { basis, count } = scale;
  const { pageOf, resizeParts } = createPages(scale);
  let overhead: PromptBlock = { tokens: basis.overheadTokens };
  let steps = promptFold(overhead, pageOf);
  const systems = new Map<string, PromptBlock>();
  const summaries = new Map<string, Fold<Message, SentPrompt>>();

  const textTokens = (text: string) => Math.round(basis.factor * count(text));
  const foldFrom = (firstTokens: number, system: string) => {
    const key = `${firstTokens} ${system}`;
    // The same block is known to the cache, also after other sizes came to hold.
    const first = keepIn(systems, key, () => ({ tokens: firstTokens }));
    return keepIn(summaries, key, () => promptFold(first, pageOf));
  };
  const said = (by: Message['role'], text: string): PromptBlock => ({
    tokens: textTokens(text) + basis.perMessageTokens,
    words: { by, type: 'text', text },
  });
  const summaryFold = ({ system, form = FRESH }: SummaryRequest) => {
    const { tokens: overheadTokens } = overhead;
    // The weight of the tools on their own is not recorded, so that the whole overhead stands for them.
    if (form.kind === 'extends') return form.tools ? steps : foldFrom(overheadTokens, 'no tools');
    return foldFrom(textTokens(system) + (form.tools ? overheadTokens : 0), system);
  };

  return {
    textTokens,
    pageOf,
    resize: ({ overheadTokens, parts }: Resized) => {
      resizeParts(parts);
      summaries.clear();
      // The same block is known to the cache.
      if (overheadTokens !== overhead.tokens) overhead = { tokens: overheadTokens };
      steps = promptFold(overhead, pageOf);
    },
    contextTokens: (view: List<Message>) => foldOver(view, steps).whole.tokens,
    prompt: (view: List<Message>) => foldOver(view, steps),
    summaryPrompt: (request: SummaryRequest): SentPrompt => {
      const { messages, prompt, form } = request;
      const fold = summaryFold(request);
      if (form?.kind === 'flattened') {
        const head = flattenHead(messages, scale.render);
        const text = form.instructionFirst ? `${prompt}\n\n${head}` : `${head}\n\n${prompt}`;
        return extendPrompt(fold.start, [said('user', text)], 0);
      }
      const head = foldOver(messages, fold);
      const asked = extendPrompt(head, [said('user', prompt)], 0);
      // The marks of the session's own request stay.
      return fold === steps ? { ...asked, marks: [...head.marks, asked.whole] } : asked;
    },
    /** Of a second call, which goes on from the first and asks to check the answer. */
    verificationPrompt: (asked: SentPrompt, answer: string) =>
      extendPrompt(asked, [said('assistant', answer), said('user', VERIFICATION)], 0),
  };
}

function flattenHead(messages: readonly Message[], { clearedOutput }: RenderPolicy): string {
  const options = { clearedOutput, toolOutputChars: Infinity };
  const texts = messages.map((message) => flattenMessage(message, options));
  return texts.filter((text) => text !== '').join('\n\n');
}

function promptFold(first: PromptBlock, pageOf: PageOf): Fold<Message, SentPrompt> {
  const whole = extendPrefix(NO_BLOCKS, [first]);
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

/** As OpenCode does: what never changes, and where the conversation ended before and ends now. */
function marksOf({ whole: before, marks }: Prompt, whole: Prefix): readonly Prefix[] {
  const first = marks[0] ?? before;
  return first === before ? [first, whole] : [first, before, whole];
}
