/** A fenced block of a page, with the output that the page shows right below it. */
export interface Block {
  readonly page: string;
  /** Where it starts, from 1. */
  readonly line: number;
  readonly language: string;
  readonly text: string;
  readonly output?: string;
}

/** A command that a page tells its reader to run. */
export interface ShownCommand {
  readonly command: string;
  readonly code: number;
  readonly block: Block;
  /** Whether the output below the block is this command's. */
  readonly isLast: boolean;
}

const FENCED = /^```(\w*)\n([^]*?)^```$/gm;
const OUTPUT = 'text';
/** Between a block and its output stands one empty line. */
const OUTPUT_DISTANCE = 2;
const EXIT_CODE = /\s+# exit code (\d+)$/;

/** The fenced blocks of a page, in order; a `text` block is the output of the block right above it. */
export function readBlocks(page: string, markdown: string): readonly Block[] {
  const found = [...markdown.matchAll(FENCED)];
  return found.flatMap((match, index) => {
    const [whole, language = '', text = ''] = match;
    const next = found[index + 1];
    const isShown =
      next?.[1] === OUTPUT && next.index === match.index + whole.length + OUTPUT_DISTANCE;
    const line = markdown.slice(0, match.index).split('\n').length;
    return [{ page, line, language, text, ...(isShown && { output: next[2] ?? '' }) }];
  });
}

/** The commands of a block, one a line; the output that is shown is that of the last. */
export function readCommands(block: Block): readonly ShownCommand[] {
  const lines = block.text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line, index) => ({
    command: line.replace(EXIT_CODE, ''),
    code: Number(EXIT_CODE.exec(line)?.[1] ?? 0),
    block,
    isLast: index === lines.length - 1,
  }));
}

/** A page with other outputs below its blocks. */
export function replaceOutputs(
  markdown: string,
  blocks: readonly Block[],
  outputs: ReadonlyMap<Block, string>,
): string {
  return blocks.reduce((page, block) => {
    const output = outputs.get(block);
    if (output === undefined) return page;
    const shown = `${block.text}\`\`\`\n\n\`\`\`${OUTPUT}\n`;
    return page.replace(`${shown}${block.output}`, () => `${shown}${output}`);
  }, markdown);
}
