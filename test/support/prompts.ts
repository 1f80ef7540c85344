import {
  type Prefix,
  type Prompt,
  type PromptBlock,
  toPrompt,
} from '../../src/simulator/provider/prompt.ts';

/** Blocks that stay the same whenever they are named, so that a cache knows them again. */
export function createBlocks(tokensOf: (name: string) => number) {
  const blocks = new Map<string, PromptBlock>();
  return function blockOf(name: string): PromptBlock {
    const known = blocks.get(name) ?? { tokens: tokensOf(name) };
    blocks.set(name, known);
    return known;
  };
}

/** A prompt with a mark behind its first block and one at its end. */
export function markedPrompt(blocks: readonly PromptBlock[]): Prompt {
  return toPrompt(blocks, blocks.length > 1 ? [1, blocks.length] : [blocks.length]);
}

/** The blocks of a prefix in their order. */
export function blocksIn(prefix: Prefix): readonly PromptBlock[] {
  const blocks: PromptBlock[] = [];
  for (let rest: Prefix | undefined = prefix; rest !== undefined; rest = rest.before) {
    if (rest.last !== undefined) blocks.push(rest.last);
  }
  return blocks.toReversed();
}
