import {
  type Message,
  type ModelMessage,
  renderMessage,
  type RenderPolicy,
} from '../../engine/index.ts';
import type { PromptBlock } from '../provider/cache/prefix.ts';
import type { CheckName } from '../provider/checks/checks.ts';
import { passedAlone } from '../provider/checks/create-checker.ts';
import type { BlocksOf } from './blocks.ts';
import { bytesOf } from './bytes.ts';
import { contentOf } from './content.ts';

/** A message as requests carry it. */
export interface Page {
  /** What a prompt cache sees of it. */
  readonly blocks: readonly PromptBlock[];
  /** The model messages that it becomes. */
  readonly rendering: readonly ModelMessage[];
  /** The checks of form that these pass by themselves. */
  readonly passed: ReadonlySet<CheckName>;
  /** Bytes of their content, data URLs included. */
  readonly bytes: number;
}

/** The page of a message. */
export type PageOf = (message: Message) => Page;

/** Makes pages of messages, of each content once. What of a page nobody asks for is not worked out. */
export function createPages(blocksOf: BlocksOf, render: RenderPolicy): PageOf {
  const pages = new WeakMap<object, Page>();
  return (message) => {
    const content = contentOf(message);
    const known = pages.get(content);
    if (known !== undefined) return known;
    const page = createPage(message, blocksOf, render);
    pages.set(content, page);
    return page;
  };
}

function createPage(message: Message, blocksOf: BlocksOf, render: RenderPolicy): Page {
  let rendering: readonly ModelMessage[] | undefined;
  let passed: ReadonlySet<CheckName> | undefined;
  let bytes: number | undefined;
  return {
    blocks: blocksOf(message),
    get rendering() {
      rendering ??= renderMessage(message, render);
      return rendering;
    },
    get passed() {
      passed ??= passedAlone(this.rendering);
      return passed;
    },
    get bytes() {
      bytes ??= bytesOf(this.rendering);
      return bytes;
    },
  };
}
