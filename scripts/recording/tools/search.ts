import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Workspace } from '../workspace.ts';
import { failure, type ToolOutcome } from './outcome.ts';

interface Hit {
  readonly path: string;
  readonly lineNumber: number;
  readonly text: string;
}

const RESULTS = 100;
const HIT_CHARS = 2000;
const CUT_NOTE = '(Results are truncated. Consider using a more specific path or pattern.)';

/** Lines that match a regular expression, by file in the order of their paths. */
export function grepTool(
  input: { readonly pattern: string; readonly path: string },
  workspace: Workspace,
): ToolOutcome {
  const start = join(workspace.root, input.path);
  if (!existsSync(start)) return failure(`No such file or directory: ${input.path}`);
  const expression = new RegExp(input.pattern);
  const hits = filesBelow(start).flatMap((file) => hitsOf(file, expression, workspace));
  const shown = hits.slice(0, RESULTS);
  const truncated = shown.length < hits.length;
  const head = shown.length === 0 ? 'No files found' : `Found ${shown.length} matches`;
  const output = [head, ...renderHits(shown), ...(truncated ? ['', CUT_NOTE] : [])].join('\n');
  const metadata = { matches: shown.length, truncated };
  return { state: 'completed', title: input.pattern, output, metadata };
}

/** Paths that match a pattern; in `node_modules` only where the pattern itself begins there. */
export function globTool(input: { readonly pattern: string }, workspace: Workspace): ToolOutcome {
  const expression = toExpression(input.pattern);
  const paths = filesBelow(join(workspace.root, fixedFolder(input.pattern)))
    .map((file) => relative(workspace.root, file))
    .filter((path) => expression.test(path));
  const truncated = paths.length > RESULTS;
  const shown = paths.slice(0, RESULTS);
  const output = shown.length === 0 ? 'No files found' : shown.join('\n');
  const metadata = { count: shown.length, truncated };
  const note = truncated ? `\n\n${CUT_NOTE}` : '';
  return { state: 'completed', title: input.pattern, output: output + note, metadata };
}

/** The tree of a folder. */
export function listTool(input: { readonly path: string }, workspace: Workspace): ToolOutcome {
  const start = join(workspace.root, input.path);
  if (!existsSync(start)) return failure(`No such file or directory: ${input.path}`);
  const lines = treeLines(start, 1);
  const truncated = lines.length > RESULTS;
  const output = [`${input.path}/`, ...lines.slice(0, RESULTS)].join('\n');
  const metadata = { count: Math.min(lines.length, RESULTS), truncated };
  const note = truncated ? `\n\n${CUT_NOTE}` : '';
  return { state: 'completed', title: input.path, output: output + note, metadata };
}

/** Files of a folder and its folders by path, without hidden ones and installed packages. */
export function filesBelow(path: string): readonly string[] {
  if (!statSync(path).isDirectory()) return [path];
  return namesIn(path).flatMap((name) => filesBelow(join(path, name)));
}

function fixedFolder(pattern: string): string {
  const pieces = pattern.split('/');
  return pieces
    .slice(
      0,
      Math.max(
        0,
        pieces.findIndex((piece) => piece.includes('*')),
      ),
    )
    .join('/');
}

function toExpression(pattern: string): RegExp {
  const source = pattern
    .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replace(/\*\*\/|\*/g, (star) => (star === '*' ? '[^/]*' : '(?:.*/)?'));
  return new RegExp(`^${source}$`);
}

function namesIn(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => name !== 'node_modules' && !name.startsWith('.'))
    .toSorted();
}

function treeLines(folder: string, depth: number): readonly string[] {
  return namesIn(folder).flatMap((name) => {
    const path = join(folder, name);
    const indent = '  '.repeat(depth);
    if (!statSync(path).isDirectory()) return [`${indent}${name}`];
    return [`${indent}${name}/`, ...treeLines(path, depth + 1)];
  });
}

function hitsOf(file: string, expression: RegExp, workspace: Workspace): readonly Hit[] {
  const content = readFileSync(file, 'utf8');
  if (content.includes('\0')) return [];
  const path = relative(workspace.root, file);
  return content
    .split('\n')
    .map((text, index): Hit => ({ path, lineNumber: index + 1, text: text.slice(0, HIT_CHARS) }))
    .filter((hit) => expression.test(hit.text));
}

function renderHits(hits: readonly Hit[]): readonly string[] {
  return hits.flatMap((hit, index) => {
    const line = `  Line ${hit.lineNumber}: ${hit.text}`;
    return hits[index - 1]?.path === hit.path ? [line] : ['', `${hit.path}:`, line];
  });
}
