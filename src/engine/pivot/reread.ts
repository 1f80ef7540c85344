import { estimateTokens } from '../estimate.ts';
import { type CompletedPart, isCompleted, type Message, type Part } from '../message.ts';
import type { Policy } from '../policy.ts';
import { plainToolName } from '../tool-name.ts';
import { flattenMessage } from './flatten.ts';

/** How much of the files that were read last a pivot gives back. */
export interface RereadPolicy {
  readonly files: number;
  /** Longest piece of one file, in estimated tokens. */
  readonly fileTokens: number;
  /** All of them together, in estimated tokens. */
  readonly totalTokens: number;
}

/** Plain names of tools that read one file. */
const READING_TOOLS = ['read', 'readfile', 'view', 'viewfile', 'cat', 'openfile'];
const PATH_FIELDS = ['filePath', 'file_path', 'path', 'absolute_path', 'target_file'];

/**
 * The files that were read last, each once and the newest first, as they were read then: what a program reads again from
 * the disk is not in a history. Empty where none was. Sources: Claude Code and Qwen Code, files after a compaction.
 */
export function rereadFiles(
  messages: readonly Message[],
  { files, fileTokens, totalTokens }: RereadPolicy,
  { estimator }: Pick<Policy, 'estimator'>,
): string {
  const texts: string[] = [];
  let leftTokens = totalTokens;
  for (const read of newestReads(messages)) {
    if (texts.length === files) break;
    const most = Math.floor(fileTokens * estimator.charsPerToken);
    const text = read.slice(0, most);
    leftTokens -= estimateTokens(text.length, estimator);
    if (leftTokens < 0) break;
    texts.push(text);
  }
  return texts.join('\n\n');
}

/** What reads of files gave, newest first, of each file the newest. */
function* newestReads(messages: readonly Message[]): Generator<string> {
  const seen = new Set<string>();
  for (const message of messages.toReversed()) {
    for (const part of message.parts.toReversed()) {
      const path = pathOf(part);
      if (path === undefined || seen.has(path)) continue;
      seen.add(path);
      yield textOf(message, part as CompletedPart);
    }
  }
}

/** The file that a call read; nothing of other calls. */
function pathOf(part: Part): string | undefined {
  if (!isCompleted(part) || !READING_TOOLS.includes(plainToolName(part.tool))) return undefined;
  const { input } = part.state;
  const fields = new Map(Object.entries(input ?? {}) as [string, unknown][]);
  const paths = PATH_FIELDS.map((name) => fields.get(name));
  return paths.find((path) => typeof path === 'string');
}

/** The call with its output, also where that was cleared. */
function textOf(message: Message, part: CompletedPart): string {
  const { compactedAt: _, ...state } = part.state;
  const alone = { ...message, parts: [{ ...part, state }] };
  return flattenMessage(alone, { clearedOutput: '', toolOutputChars: Number.POSITIVE_INFINITY });
}
