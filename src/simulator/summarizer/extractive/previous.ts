import { toLine } from './plain-text.ts';
import { bySection, type BySection, NOTHING, OMITTED, type SectionName } from './template.ts';

/** What a heading with that beginning opens, and what its lines get in front. */
type Heading = readonly [beginning: string, section: SectionName, prefix?: string];

/** Headings of the template, and of other templates that a summary may have been written in. */
const KNOWN_HEADINGS: readonly Heading[] = [
  ['goal', 'goal'],
  ['objective', 'goal'],
  ['instruction', 'instructions'],
  ['constraint', 'instructions'],
  ['requirement', 'instructions'],
  ['discover', 'discoveries'],
  ['key decision', 'discoveries'],
  ['decision', 'discoveries'],
  ['critical', 'discoveries'],
  ['important', 'discoveries'],
  ['accomplished', 'accomplished'],
  ['progress', 'accomplished'],
  ['work state', 'accomplished'],
  ['done', 'accomplished', 'Done: '],
  ['completed', 'accomplished', 'Done: '],
  ['in progress', 'accomplished', 'In progress: '],
  ['active', 'accomplished', 'In progress: '],
  ['blocked', 'accomplished', 'Open: '],
  ['next', 'accomplished', 'Open: '],
  ['relevant', 'files'],
  ['files', 'files'],
];
const HEADING = /^#{1,6}\s+(.*)$/;
/** Longest text of an earlier summary that is read; every summarizer's cap lies far below. */
const READ_CHARS = 200_000;

/** The bullets of an earlier summary by section. What stands under no known heading is a discovery. */
export function readPreviousSummary(summary: string): BySection<readonly string[]> {
  const lines = bySection<string[]>(() => []);
  let current: Heading = ['', 'discoveries'];
  for (const raw of summary.slice(0, READ_CHARS).split(/\r\n?|\n/)) {
    const title = HEADING.exec(raw)?.[1];
    if (title !== undefined) {
      current = findHeading(title);
      continue;
    }
    const line = toLine(raw);
    if (isContent(line)) lines[current[1]].push((current[2] ?? '') + line);
  }
  return lines;
}

function findHeading(title: string): Heading {
  const name = toLine(title).toLowerCase();
  return KNOWN_HEADINGS.find(([beginning]) => name.startsWith(beginning)) ?? ['', 'discoveries'];
}

function isContent(line: string): boolean {
  return line !== '' && line !== NOTHING && line !== OMITTED && /[\p{L}\p{N}]/u.test(line);
}
