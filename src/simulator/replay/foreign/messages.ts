import {
  type Message,
  type ModelContent,
  type ModelMessage,
  type Part,
  renderPart,
  type RenderPolicy,
  type ToolPart,
} from '../../../engine/index.ts';
import { perKey, sum } from '../../lib/collections.ts';
import { type Prompt, type PromptBlock, toPrompt } from '../../provider/prompt.ts';
import { bytesOfContent, countContent, RECORDED } from '../count.ts';
import type { PartSize, Resized } from '../sizes.ts';
import type { Trace } from '../trace.ts';

/** A message of the session with its rendering. */
export interface Fed {
  readonly message: Message;
  readonly sent: readonly ModelMessage[];
}

type Shown = ReturnType<typeof indexContents>;

type Call = ModelContent & { readonly type: 'tool-call' };

/** The part of a session that a list of messages still shows, as a view. */
export function toShownView(
  fed: readonly Fed[],
  list: readonly ModelMessage[],
  render: RenderPolicy,
): readonly Message[] {
  const own = new Set(fed.flatMap(({ sent }) => sent));
  const shown = indexContents(list);
  const kept = fed.flatMap(({ message }) => {
    const parts = message.parts.flatMap((part) => shownPart(part, { message, shown, render }));
    return parts.length === 0 ? [] : [{ ...message, parts }];
  });
  const written = list.filter((message) => !own.has(message)).map(toWritten);
  return [...written, ...kept];
}

/** A scale for the messages of a trace; `continues` marks those without a cost per message. */
export function createListScale(
  { basis, count, sizes }: Pick<Trace, 'basis' | 'count' | 'sizes'>,
  continues: (message: ModelMessage) => boolean,
) {
  let overhead: PromptBlock = { tokens: basis.overheadTokens };
  const weigh = createWeigh(basis.factor, count);
  const contentsOf = new Map<Part, readonly ModelContent[]>();
  const recorded = new Map<ModelContent, number>();
  const put = (content: ModelContent, { whole, said }: PartSize) =>
    void recorded.set(content, content.type === 'tool-result' ? whole - said : said);
  const blocks = new WeakMap<ModelContent, PromptBlock>();
  // The same block is known to the cache.
  const blockOf = (content: ModelContent, tokens: number): PromptBlock => {
    const known = blocks.get(content);
    const block = known?.tokens === tokens ? known : { tokens };
    blocks.set(content, block);
    return block;
  };
  const cut = (messages: readonly ModelMessage[]) => {
    const calls = callsIn(messages);
    const groups: PromptBlock[][] = [];
    for (const message of messages) {
      const opens = message.role !== 'tool' && !continues(message);
      if (opens || groups.length === 0) groups.push([]);
      const fixed = opens ? basis.perMessageTokens : 0;
      const blocks = message.content.map((content, index) => {
        const fitted = () => weigh(content, calls) + (index === 0 ? fixed : 0);
        return blockOf(content, recorded.get(content) ?? fitted());
      });
      groups.at(-1)?.push(...blocks);
    }
    return groups.filter(({ length }) => length > 0);
  };
  return {
    contextTokens: (messages: readonly ModelMessage[]) =>
      sum([overhead, ...cut(messages).flat()].map(({ tokens }) => tokens)),
    /** With marks behind the tools and behind the two newest groups. */
    prompt: (messages: readonly ModelMessage[]) => promptOf(overhead, cut(messages)),
    bytes: (messages: readonly ModelMessage[]) =>
      sum(messages.flatMap(({ content }) => content.map(bytesOfContent))),
    /** Lets the recorded sizes of a message's parts hold for its rendering. */
    learn: ({ message, sent }: Fed) => {
      const contents = sent.flatMap(({ content }) => content).filter((one) => !recorded.has(one));
      for (const part of message.parts) {
        const size = sizes.get(part);
        if (size === undefined) continue;
        const own = contents.filter((content) => isOf(part, message.role, content));
        contentsOf.set(part, own);
        for (const content of own) put(content, size);
      }
    },
    resize: ({ overheadTokens, parts }: Resized) => {
      overhead = overhead.tokens === overheadTokens ? overhead : { tokens: overheadTokens };
      for (const [part, size] of parts) {
        for (const content of contentsOf.get(part) ?? []) put(content, size);
      }
    },
  };
}

function indexContents(list: readonly ModelMessage[]) {
  const words = new Set<string>();
  const calls = new Set<string>();
  const outputs = new Map<string, string>();
  for (const content of list.flatMap((message) => message.content)) {
    if (content.type === 'tool-call') calls.add(content.callId);
    else if (content.type === 'tool-result') outputs.set(content.callId, content.output);
    else words.add(wordsOf(content));
  }
  return { words, calls, outputs };
}

function wordsOf(content: ModelContent): string {
  if (content.type === 'file') return `file ${content.url}`;
  return 'text' in content ? `${content.type} ${content.text}` : '';
}

function isOf(part: Part, role: Message['role'], content: ModelContent): boolean {
  if ('callId' in content) return part.type === 'tool' && part.callId === content.callId;
  return (
    part.type !== 'tool' &&
    renderPart(part, role, RECORDED).some(
      (one) => one.type === content.type && wordsOf(one) === wordsOf(content),
    )
  );
}

function shownPart(
  part: Part,
  about: { readonly message: Message; readonly shown: Shown; readonly render: RenderPolicy },
): readonly Part[] {
  const { message, shown, render } = about;
  if (part.type === 'tool') return shownTool(part, shown, render);
  const contents = renderPart(part, message.role, render);
  if (contents.length === 0) return [part];
  return contents.every((content) => shown.words.has(wordsOf(content))) ? [part] : [];
}

function shownTool(part: ToolPart, shown: Shown, render: RenderPolicy): readonly Part[] {
  if (!shown.calls.has(part.callId) || !shown.outputs.has(part.callId)) return [];
  const { state } = part;
  const result = renderPart(part, 'assistant', render).find(({ type }) => type === 'tool-result');
  const isWhole =
    result?.type === 'tool-result' && shown.outputs.get(part.callId) === result.output;
  if (isWhole || state.status !== 'completed') return [part];
  return [{ ...part, state: { ...state, compactedAt: 0 } }];
}

function toWritten(message: ModelMessage, index: number): Message {
  const id = `written-${index}`;
  const texts = message.content.flatMap((content) => {
    if (content.type === 'tool-result') return [content.output];
    return 'text' in content ? [content.text] : [];
  });
  const parts = texts.map((text, at): Part => ({ type: 'text', id: `${id}-${at}`, text }));
  return { id, role: 'user', createdAt: 0, parts };
}

/** A call and its result are rounded together, so that they add up to what the part weighs. */
function createWeigh(factor: number, count: Trace['count']) {
  const countOf = perKey((content: ModelContent) => countContent(content, count));
  return (content: ModelContent, calls: ReadonlyMap<string, Call>): number => {
    const own = countOf(content);
    const call = content.type === 'tool-result' ? calls.get(content.callId) : undefined;
    if (call === undefined) return Math.round(factor * own);
    const called = countOf(call);
    return Math.round(factor * (own + called)) - Math.round(factor * called);
  };
}

function callsIn(messages: readonly ModelMessage[]): ReadonlyMap<string, Call> {
  const calls = messages.flatMap(({ content }) =>
    content.filter((one): one is Call => one.type === 'tool-call'),
  );
  return new Map(calls.map((call) => [call.callId, call]));
}

function promptOf(overhead: PromptBlock, groups: readonly (readonly PromptBlock[])[]): Prompt {
  const blocks = [overhead, ...groups.flat()];
  const { length } = blocks;
  const marks = [1, length - (groups.at(-1)?.length ?? 0), length];
  return toPrompt(blocks, [...new Set(marks)]);
}
