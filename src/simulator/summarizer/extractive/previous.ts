import { isBareNames } from './mentions.ts';
import { toLine } from './plain-text.ts';
import { findHeading, UNKNOWN_HEADING } from './headings.ts';
import { bySection, type BySection, NOTHING, OMITTED } from './template.ts';

const HEADING = /^#{1,6}\s+(.*)$/;
/** Longest text of an earlier summary that is read; every summarizer's cap lies far below. */
const READ_CHARS = 200_000;

/** The bullets of an earlier summary by section. What stands under no known heading is a discovery. */
export function readPreviousSummary(summary: string): BySection<readonly string[]> {
  const lines = bySection<string[]>(() => []);
  let current = UNKNOWN_HEADING;
  for (const raw of summary.slice(0, READ_CHARS).split(/\r\n?|\n/)) {
    const title = HEADING.exec(raw)?.[1];
    if (title !== undefined) {
      current = findHeading(title) ?? UNKNOWN_HEADING;
      continue;
    }
    const line = toLine(raw);
    if (isBareNames(line)) lines.names.push(line);
    else if (isContent(line)) lines[current.section].push((current.prefix ?? '') + line);
  }
  return lines;
}

function isContent(line: string): boolean {
  return line !== '' && line !== NOTHING && line !== OMITTED && /[\p{L}\p{N}]/u.test(line);
}
