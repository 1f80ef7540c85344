/** Content blocks of a Claude Code record. */

import { isObject } from '../../lib/json.ts';
import { toId, toText } from '../reading/lenient.ts';

/** One piece of a message's content. */
export interface ClaudeBlock {
  readonly type: string | undefined;
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly text: string | undefined;
  readonly thinking: string | undefined;
  readonly input: unknown;
  readonly tool_use_id: string | undefined;
  readonly content: unknown;
  readonly is_error: boolean;
  readonly source: BlockSource | undefined;
}

/** Where a file is, or what it holds. */
interface BlockSource {
  readonly type: string | undefined;
  readonly media_type: string | undefined;
  readonly data: string | undefined;
  readonly url: string | undefined;
}

/** The blocks among some values; what is no object is left out. */
export function parseBlocks(values: readonly unknown[]): readonly ClaudeBlock[] {
  return values.filter(isObject).map(toBlock);
}

function toBlock(value: Readonly<Record<string, unknown>>): ClaudeBlock {
  return {
    type: toText(value['type']),
    id: toId(value['id']),
    name: toText(value['name']),
    text: toText(value['text']),
    thinking: toText(value['thinking']),
    input: value['input'],
    tool_use_id: toId(value['tool_use_id']),
    content: value['content'],
    is_error: value['is_error'] === true,
    source: toSource(value['source']),
  };
}

function toSource(source: unknown): BlockSource | undefined {
  if (!isObject(source)) return undefined;
  return {
    type: toText(source['type']),
    media_type: toText(source['media_type']),
    data: toText(source['data']),
    url: toText(source['url']),
  };
}
