import type { ModelContent, ModelMessage } from '../../../engine/index.ts';
import { perKey } from '../../../engine/internal.ts';
import type { PromptBlock } from '../../provider/cache/prefix.ts';
import { type Prompt, toPrompt } from '../../provider/cache/prompt.ts';
import { bytesOf } from '../bytes.ts';
import { countContent } from '../count.ts';
import type { Trace } from '../trace.ts';

/** What lists of model messages weigh in true tokens, by the same rules as views of a session. */
export interface ListScale {
  contextTokens(messages: readonly ModelMessage[]): number;
  /** The list as a prompt cache sees it, with marks behind the tools and behind the two newest groups. */
  prompt(messages: readonly ModelMessage[]): Prompt;
  bytes(messages: readonly ModelMessage[]): number;
}

type Call = ModelContent & { readonly type: 'tool-call' };

/** A scale for the messages of a trace; `continues` tells which of them cost nothing beside what they hold. */
export function createListScale(
  { basis, count }: Pick<Trace, 'basis' | 'count'>,
  continues: (message: ModelMessage) => boolean,
): ListScale {
  const overhead: PromptBlock = { tokens: basis.overheadTokens };
  const weigh = createWeigh(basis.factor, count);
  const blockOf = createBlockOf();
  const cut = (messages: readonly ModelMessage[]) => {
    const calls = callsIn(messages);
    const groups: PromptBlock[][] = [];
    for (const message of messages) {
      const opens = message.role !== 'tool' && !continues(message);
      if (opens || groups.length === 0) groups.push([]);
      const fixed = opens ? basis.perMessageTokens : 0;
      const blocks = message.content.map((content, index) =>
        blockOf(content, weigh(content, calls) + (index === 0 ? fixed : 0)),
      );
      groups.at(-1)?.push(...blocks);
    }
    return groups.filter(({ length }) => length > 0);
  };
  return {
    contextTokens: (messages) =>
      cut(messages)
        .flat()
        .reduce((total, { tokens }) => total + tokens, overhead.tokens),
    prompt: (messages) => promptOf(overhead, cut(messages)),
    bytes: bytesOf,
  };
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

/** Makes blocks of contents, one for each content however often it is asked for. */
function createBlockOf() {
  const blocks = new WeakMap<ModelContent, PromptBlock>();
  return (content: ModelContent, tokens: number): PromptBlock => {
    const known = blocks.get(content);
    if (known?.tokens === tokens) return known;
    const block = { tokens };
    blocks.set(content, block);
    return block;
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
