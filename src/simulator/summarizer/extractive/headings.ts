/** Which section of a template a heading belongs to. */

import { askedHeadings } from '../asked-headings.ts';
import { toLine } from './plain-text.ts';
import { DEFAULT_TEMPLATE, type Heading, type SectionName, type Template } from './template.ts';

/** What a heading opens, and what its lines get in front. */
type Meaning = Omit<Heading, 'line'>;

/** Headings by their beginning: of the template, and of other templates that a summary may be written in. */
const MEANINGS: readonly (readonly [beginning: string, section: SectionName, prefix?: string])[] = [
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

/** What stands under no known heading was found out. */
export const UNKNOWN_HEADING: Meaning = { section: 'discoveries' };

const MARKS = /^#+\s+/;
/** A request with fewer known headings asks for none. */
const FEWEST_HEADINGS = 2;

/** What a heading's text means; nothing where it is not known. */
export function findHeading(title: string): Meaning | undefined {
  const name = toLine(title).toLowerCase();
  const found = MEANINGS.find(([beginning]) => name.startsWith(beginning));
  if (found === undefined) return undefined;
  const [, section, prefix] = found;
  return { section, ...(prefix !== undefined && { prefix }) };
}

/** The template that a request asks for, or the default one where it names too few headings. */
export function readTemplate(prompt: string): Template {
  const asked = askedHeadings(prompt).map((line) => ({
    line,
    ...(findHeading(line.replace(MARKS, '')) ?? UNKNOWN_HEADING),
  }));
  return asked.length >= FEWEST_HEADINGS ? asked : DEFAULT_TEMPLATE;
}
