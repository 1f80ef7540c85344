import {
  type Message,
  type ModelMessage,
  renderMessage,
  type RenderPolicy,
} from '../../engine/index.ts';
import { type CheckSet, passedAlone } from '../provider/checks/passed.ts';
import { createBlocks, type CutMessage, type CutOf, type Scale } from './blocks.ts';
import { contentOf } from './content.ts';
import { createSpans, type IdSpan, type SpanOf } from './id-span.ts';

/** A message as requests carry it. */
export interface Page extends CutMessage {
  /** What it is the page of. */
  readonly content: object;
  /** The model messages that it becomes. */
  readonly rendering: readonly ModelMessage[];
  /** The checks of form that these pass by themselves. */
  readonly passed: CheckSet;
  /** The ids in them. */
  readonly ids: IdSpan;
}

/** The page of a message. */
export type PageOf = (message: Message) => Page;

/** Makes pages of messages, of each content once. */
export function createPages(scale: Scale): PageOf {
  const pages = new WeakMap<object, Page>();
  const cutOf = createBlocks(scale);
  const spanOf = createSpans();
  return (message) => {
    const content = contentOf(message);
    const known = pages.get(content);
    if (known !== undefined) return known;
    const page = createPage(message, { cutOf, spanOf, render: scale.render });
    pages.set(content, page);
    return page;
  };
}

function createPage(
  message: Message,
  {
    cutOf,
    spanOf,
    render,
  }: { readonly cutOf: CutOf; readonly spanOf: SpanOf; readonly render: RenderPolicy },
): Page {
  const { blocks, bytes } = cutOf(message);
  const rendering = renderMessage(message, render);
  return {
    content: contentOf(message),
    blocks,
    bytes,
    rendering,
    passed: passedAlone(rendering),
    ids: spanOf(rendering),
  };
}
