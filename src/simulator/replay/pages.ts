import {
  type Message,
  type ModelMessage,
  renderMessage,
  type RenderPolicy,
} from '../../engine/index.ts';
import { type CheckSet, passedAlone } from '../provider/checks/passed.ts';
import { createBlocks, type CutMessage, type CutOf, type Scale } from './blocks.ts';
import { contentOf, saysTheSame } from './content.ts';
import { createSpans, type IdSpan, type SpanOf } from './id-span.ts';

/** A message as requests carry it. */
export interface Page extends CutMessage {
  /** The model messages that it becomes. */
  readonly rendering: readonly ModelMessage[];
  /** The checks of form that these pass by themselves. */
  readonly passed: CheckSet;
  /** The ids in them. */
  readonly ids: IdSpan;
}

/** The page that was made last for messages of some id. */
interface NewestPage {
  readonly message: Message;
  readonly page: Page;
}

/** The page of a message. */
export type PageOf = (message: Message) => Page;

/**
 * Makes pages of messages, of each content once. What policies add is made anew by each run: it has the page of what
 * came under its id last, where that says the same.
 */
export function createPages(scale: Scale): PageOf {
  const pages = new WeakMap<object, Page>();
  const newest = new Map<string, NewestPage>();
  const cutOf = createBlocks(scale);
  const spanOf = createSpans();
  return (message) => {
    const content = contentOf(message);
    const known = pages.get(content);
    if (known !== undefined) return known;
    const last = newest.get(message.id);
    if (last !== undefined && saysTheSame(last.message, message)) {
      // A run that waits for its summary may come back to it when others have gone on.
      pages.set(content, last.page);
      return last.page;
    }
    const page = createPage(message, { cutOf, spanOf, render: scale.render });
    pages.set(content, page);
    newest.set(message.id, { message, page });
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
    blocks,
    bytes,
    rendering,
    passed: passedAlone(rendering),
    ids: spanOf(rendering),
  };
}
