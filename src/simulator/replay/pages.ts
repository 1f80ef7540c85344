import {
  type Message,
  type ModelMessage,
  renderMessage,
  type RenderPolicy,
} from '../../engine/index.ts';
import type { PromptBlock } from '../provider/cache/prefix.ts';
import { type CheckSet, passedAlone } from '../provider/checks/passed.ts';
import { type BlocksOf, createBlocks, type Scale } from './blocks.ts';
import { bytesOf } from './bytes.ts';
import { contentOf } from './content.ts';
import { createSpans, type IdSpan, type SpanOf } from './id-span.ts';

/** A message as requests carry it. */
export interface Page {
  /** What it is the page of. */
  readonly content: object;
  /** What a prompt cache sees of it. */
  readonly blocks: readonly PromptBlock[];
  /** The model messages that it becomes. */
  readonly rendering: readonly ModelMessage[];
  /** The checks of form that these pass by themselves. */
  readonly passed: CheckSet;
  /** The ids in them. */
  readonly ids: IdSpan;
  /** Bytes of their content, data URLs included. */
  readonly bytes: number;
}

/** The page of a message. */
export type PageOf = (message: Message) => Page;

/** Makes pages of messages, of each content once. */
export function createPages(scale: Scale): PageOf {
  const pages = new WeakMap<object, Page>();
  const blocksOf = createBlocks(scale);
  const spanOf = createSpans();
  return (message) => {
    const content = contentOf(message);
    const known = pages.get(content);
    if (known !== undefined) return known;
    const page = createPage(message, { blocksOf, spanOf, render: scale.render });
    pages.set(content, page);
    return page;
  };
}

function createPage(
  message: Message,
  {
    blocksOf,
    spanOf,
    render,
  }: { readonly blocksOf: BlocksOf; readonly spanOf: SpanOf; readonly render: RenderPolicy },
): Page {
  const rendering = renderMessage(message, render);
  return {
    content: contentOf(message),
    blocks: blocksOf(message),
    rendering,
    passed: passedAlone(rendering),
    ids: spanOf(rendering),
    bytes: bytesOf(rendering),
  };
}
