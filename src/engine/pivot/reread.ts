import type { Policy, RereadPolicy } from '../policy.ts';
import { beginningOf } from '../cut-text.ts';
import { estimateTokens } from '../estimate.ts';
import { fileReadBy } from '../file-calls.ts';
import type { Message } from '../message.ts';
import { flattenMessage } from './flatten.ts';

const WHOLE = { clearedOutput: '', toolOutputChars: Number.POSITIVE_INFINITY };

/**
 * The files that were read last, each once and the newest first, as they were read then: what a program reads again from
 * the disk is not in a history. Empty where none was. Sources: Claude Code and Qwen Code, files after a compaction.
 */
export function rereadFiles(
  history: readonly Message[],
  rules: RereadPolicy,
  { estimator }: Pick<Policy, 'estimator'>,
): string {
  const texts: string[] = [];
  let leftTokens = rules.totalTokens;
  for (const { path, text } of newestReads(history)) {
    if (texts.length === rules.files) break;
    const shown = shorten(text, path, { rules, estimator });
    leftTokens -= estimateTokens(shown.length, estimator);
    if (leftTokens < 0) break;
    texts.push(shown);
  }
  return texts.join('\n\n');
}

function shorten(
  text: string,
  path: string,
  { rules, estimator }: { readonly rules: RereadPolicy } & Pick<Policy, 'estimator'>,
): string {
  if (estimateTokens(text.length, estimator) <= rules.fileTokens) return text;
  if (rules.longFiles === 'path') return path;
  return beginningOf(text, Math.floor(rules.fileTokens * estimator.charsPerToken));
}

/** What reads of files gave, newest first, of each file the newest; also what was cleared. */
function* newestReads(
  history: readonly Message[],
): Generator<{ readonly path: string; readonly text: string }> {
  const seen = new Set<string>();
  for (const message of history.toReversed()) {
    for (const each of message.parts.toReversed()) {
      const read = fileReadBy(each);
      if (read === undefined || seen.has(read.path)) continue;
      seen.add(read.path);
      const { compactedAt: _, ...state } = read.part.state;
      const alone = { ...message, parts: [{ ...read.part, state }] };
      yield { path: read.path, text: flattenMessage(alone, WHOLE) };
    }
  }
}
