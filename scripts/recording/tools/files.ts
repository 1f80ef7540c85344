import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ReadInput } from '../script.ts';
import { type Workspace, writeFile } from '../workspace.ts';
import { failure, type ToolOutcome } from './outcome.ts';

const READ_LINES = 2000;
const LINE_CHARS = 2000;
const READ_BYTES = 51_200;
const LINE_NUMBER_DIGITS = 5;

/** Lines of a file with their numbers, from `offset` on. */
export function readTool(input: ReadInput, workspace: Workspace): ToolOutcome {
  const path = join(workspace.root, input.filePath);
  if (!existsSync(path)) return failure(`File not found: ${input.filePath}`);
  if (statSync(path).isDirectory()) return failure(`Expected a file: ${input.filePath}`);
  const lines = readFileSync(path, 'utf8').split('\n');
  const first = (input.offset ?? 1) - 1;
  const asked = lines.slice(first, first + (input.limit ?? READ_LINES));
  const numbered = capBytes(asked.map((line, index) => numberLine(line, first + index)));
  const end = first + numbered.length;
  const truncated = end < lines.length;
  const note = truncated
    ? `(File has more lines. Use 'offset' to read beyond line ${end})`
    : `(End of file - total ${lines.length} lines)`;
  const output = ['<file>', ...numbered, '', note, '</file>'].join('\n');
  return { state: 'completed', title: input.filePath, output, metadata: { truncated } };
}

/** A file written whole. */
export function writeTool(
  input: { readonly filePath: string; readonly content: string },
  workspace: Workspace,
): ToolOutcome {
  const path = join(workspace.root, input.filePath);
  const metadata = { exists: existsSync(path) };
  writeFile(path, input.content);
  return {
    state: 'completed',
    title: input.filePath,
    output: 'Wrote file successfully.',
    metadata,
  };
}

/** One place of a file replaced. */
export function editTool(
  input: { readonly filePath: string; readonly oldString: string; readonly newString: string },
  workspace: Workspace,
): ToolOutcome {
  const path = join(workspace.root, input.filePath);
  if (!existsSync(path)) return failure(`File not found: ${input.filePath}`);
  const pieces = readFileSync(path, 'utf8').split(input.oldString);
  if (pieces.length === 1) return failure(`oldString not found in ${input.filePath}`);
  if (pieces.length > 2) return failure(`oldString is not unique in ${input.filePath}`);
  writeFileSync(path, pieces.join(input.newString));
  const output = 'Edit applied successfully.';
  return { state: 'completed', title: input.filePath, output, metadata: {} };
}

function capBytes(lines: readonly string[]): readonly string[] {
  let bytes = 0;
  return lines.filter((line) => {
    bytes += Buffer.byteLength(line) + 1;
    return bytes <= READ_BYTES;
  });
}

function numberLine(line: string, index: number): string {
  const text = line.length > LINE_CHARS ? `${line.slice(0, LINE_CHARS)}...` : line;
  return `${String(index + 1).padStart(LINE_NUMBER_DIGITS, '0')}| ${text}`;
}
