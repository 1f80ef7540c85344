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
  readonly page: string;
  readonly command: string;
  readonly code: number;
  /** What the page shows of what it prints. */
  readonly output?: string;
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
export function readCommands({ page, text, output }: Block): readonly ShownCommand[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line, index) => ({
    page,
    command: line.replace(EXIT_CODE, ''),
    code: Number(EXIT_CODE.exec(line)?.[1] ?? 0),
    ...(output !== undefined && index === lines.length - 1 && { output }),
  }));
}
