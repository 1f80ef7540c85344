import {
  checkpointText,
  flattenMessage,
  isCheckpoint,
  isSent,
  isSentAsIs,
  isWithout,
  type Message,
  type ModelContent,
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
import { keepIn, perKey, sum } from '../lib/collections.ts';
import {
  extendPrefix,
  NO_BLOCKS,
  type Prefix,
  type Prompt,
  type PromptBlock,
  type Words,
} from '../provider/prompt.ts';
import { bytesOfContent, countContent, type CountText } from './count.ts';
import type { PartSize, PartSizes, Resized } from './sizes.ts';
import type { TraceTurn } from './trace.ts';

/** True tokens of requests. */
export type Ledger = ReturnType<typeof createLedger>;

/** A request as a prompt cache sees it. */
export interface SentPrompt extends Prompt {
  readonly bytes: number;
}

interface Scale {
  readonly basis: TokenBasis;
  readonly sizes: PartSizes;
  readonly count: CountText;
  readonly render: RenderPolicy;
  readonly turns?: readonly TraceTurn[];
}

type Page = ReturnType<typeof pageFrom>;
type PageOf = (message: Message) => Page;

interface Era extends Pick<Scale, 'sizes'> {
  readonly pageOf: PageOf;
  readonly blocks: KnownBlocks;
  readonly after: (parts: PartSizes) => Era;
}

interface KnownBlocks {
  readonly said: Map<unknown, PromptBlock>;
  readonly results: Map<unknown, PromptBlock>;
  base: KnownBlocks | undefined;
}

interface Original {
  readonly size: PartSize;
  readonly contents: readonly ModelContent[];
}

interface Weigher extends Omit<Scale, 'turns'> {
  readonly calls: ReadonlyMap<string, ToolPart>;
  readonly weights: Map<Part, Weight | undefined>;
}

interface Weight extends PartSize, Sent {
  /** True if its size is recorded, which includes its share of the cost of its message. */
  readonly isRecorded: boolean;
}

interface Sent {
  readonly bytes: number;
  readonly words: Words | undefined;
}

const NO_TURNS: readonly TraceTurn[] = [];
const sentParts = new WeakMap<Part, Map<RenderPolicy, Sent | undefined>>();
const erasOf = perKey<PartSizes, Map<string, Era>>(() => new Map());

const recordedIn = perKey(
  (turns: readonly TraceTurn[]) =>
    new Set(
      turns.flatMap(({ message, steps }) => [
        message.parts,
        ...steps.map((step) => step.message.parts),
      ]),
    ),
);

const callsIn = perKey((sizes: PartSizes) => {
  const calls = new Map<string, ToolPart>();
  for (const part of sizes.keys()) if (part.type === 'tool') calls.set(part.callId, part);
  return calls;
});

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
        const { clearedOutput } = scale.render;
        const head = messages
          .map((message) => flattenMessage(message, { clearedOutput, toolOutputChars: Infinity }))
          .filter((flat) => flat !== '')
          .join('\n\n');
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

function createPages({ turns = NO_TURNS, ...scale }: Scale) {
  const recorded = recordedIn(turns);
  const calls = callsIn(scale.sizes);
  let era = keepIn(erasOf(scale.sizes), JSON.stringify(scale.render), () =>
    createEra({ ...scale, calls, weights: new Map() }),
  );
  const own = { ...scale, calls, weights: new Map<Part, Weight | undefined>() };
  const blocks: KnownBlocks = { said: new Map(), results: new Map(), base: era.blocks };
  const pages = new Map<Message, Page>();
  const pageOf: PageOf = (message) =>
    recorded.has(message.parts) && isSentAsIs(message)
      ? era.pageOf(message)
      : keepIn(pages, message, () => pageFrom(message, own, blocks));
  const resizeParts = (parts: PartSizes): void => {
    era = era.after(parts);
    own.sizes = era.sizes;
    blocks.base = era.blocks;
    const isResized = createMatch(parts.keys());
    for (const part of own.weights.keys()) if (isResized(part)) own.weights.delete(part);
    for (const message of pages.keys()) {
      if (message.parts.some(isResized)) pages.delete(message);
    }
  };
  return { pageOf, resizeParts };
}

function createEra(
  scale: Weigher,
  before?: { readonly era: Era; readonly isResized: (part: Part) => boolean },
): Era {
  const blocks: KnownBlocks = {
    said: new Map(),
    results: new Map(),
    base: before?.era.blocks,
  };
  const pages = new Map<readonly Part[], Page>();
  const next = new Map<PartSizes, Era>();
  const era: Era = {
    sizes: scale.sizes,
    blocks,
    pageOf: (message) =>
      keepIn(pages, message.parts, () =>
        before === undefined || message.parts.some(before.isResized)
          ? pageFrom(message, scale, blocks)
          : before.era.pageOf(message),
      ),
    after: (parts) =>
      keepIn(next, parts, () => {
        const sizes = new Map([...scale.sizes, ...parts]);
        const isResized = createMatch(parts.keys());
        return createEra({ ...scale, sizes, weights: new Map() }, { era, isResized });
      }),
  };
  return era;
}

function pageFrom(message: Message, scale: Weigher, known: KnownBlocks) {
  return {
    ...cutMessage(message, scale, known),
    rendering: renderMessage(message, scale.render),
  };
}

function createMatch(parts: Iterable<Part>): (part: Part) => boolean {
  const ids = new Set([...parts].map((part) => (part.type === 'tool' ? part.callId : part)));
  return (part) => ids.has(part.type === 'tool' ? part.callId : part);
}

/** A tool's call is known again by its id when its result has been cleared. */
function cutMessage(message: Message, scale: Weigher, known: KnownBlocks) {
  const { basis, count, render } = scale;
  if (isCheckpoint(message, render)) {
    const content = { type: 'text', text: checkpointText(message, render) } as const;
    const tokens = Math.round(basis.factor * countContent(content, count)) + basis.perMessageTokens;
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
    const weight = weigh(part, message.role, scale);
    if (weight === undefined) continue;
    bytes += weight.bytes;
    const fixed = said.length === 0 && !weight.isRecorded ? basis.perMessageTokens : 0;
    const block = { tokens: weight.said + fixed, words: weight.words };
    said.push(knownBlock(known, 'said', { key: identityOf(part), block }));
    if (part.type !== 'tool') continue;
    const result = { tokens: weight.whole - weight.said };
    results.push(knownBlock(known, 'results', { key: part, block: result }));
  }
  return { blocks: [...said, ...results], bytes };
}

function weigh(part: Part, role: Message['role'], scale: Weigher): Weight | undefined {
  const { sizes, render, weights } = scale;
  if (weights.has(part)) return weights.get(part);
  const sent = sentOf(part, role, render);
  const original = sizes.has(part) ? undefined : originalOf(part, scale);
  const weight = sent && {
    ...(sizes.get(part) ?? weighContents(renderPart(part, role, render), scale, original)),
    isRecorded: sizes.has(part) || original !== undefined,
    ...sent,
  };
  weights.set(part, weight);
  return weight;
}

function originalOf(part: Part, { calls, sizes, render }: Weigher): Original | undefined {
  const original = part.type === 'tool' ? calls.get(part.callId) : undefined;
  const size = original && sizes.get(original);
  return size && { size, contents: renderPart(original, 'assistant', render) };
}

function sentOf(part: Part, role: Message['role'], render: RenderPolicy): Sent | undefined {
  const byRender = sentParts.get(part) ?? new Map<RenderPolicy, Sent | undefined>();
  if (byRender.has(render)) return byRender.get(render);
  sentParts.set(part, byRender);
  const contents = renderPart(part, role, render);
  const [first] = contents;
  const sent = first && { bytes: sum(contents.map(bytesOfContent)), words: wordsOf(first, role) };
  byRender.set(render, sent);
  return sent;
}

function weighContents(
  contents: readonly ModelContent[],
  { basis: { factor }, count }: Pick<Scale, 'basis' | 'count'>,
  original: Original | undefined,
): PartSize {
  let [said, result, keptSaid, keptResult] = [0, 0, 0, 0];
  for (const content of contents) {
    const isKept = original?.contents.some((one) => isUnchanged(one, content)) === true;
    const isResult = content.type === 'tool-result';
    if (isKept && isResult) keptResult = original.size.whole - original.size.said;
    else if (isKept) keptSaid = original.size.said;
    else if (isResult) result += countContent(content, count);
    else said += countContent(content, count);
  }
  const whole = Math.round(factor * (said + result));
  const fitted = Math.min(whole, Math.round(factor * said));
  return { whole: whole + keptSaid + keptResult, said: fitted + keptSaid };
}

function isUnchanged(one: ModelContent, other: ModelContent): boolean {
  if (one.type === 'tool-call') return other.type === one.type && other.input === one.input;
  if (one.type !== 'tool-result' || other.type !== one.type) return false;
  return one.output === other.output && one.attachments.length === other.attachments.length;
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

function knownBlock(
  all: KnownBlocks,
  kind: 'said' | 'results',
  { key, block }: { readonly key: unknown; readonly block: PromptBlock },
): PromptBlock {
  let known = all[kind].get(key);
  for (let at = all.base; known === undefined && at !== undefined; at = at.base)
    known = at[kind].get(key);
  if (known?.tokens === block.tokens) return known;
  all[kind].set(key, block);
  return block;
}

function identityOf(part: Part): unknown {
  if (part.type !== 'tool') return part;
  if (!isWithout(part, 'input')) return part.callId;
  const { input } = part.state;
  return typeof input === 'object' && input !== null ? input : part;
}
