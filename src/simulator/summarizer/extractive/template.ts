import { askedHeadings } from '../summarizer.ts';
import { toLine } from './head.ts';

/** Something for every section. */
export type BySection<Value> = Readonly<Record<SectionName, Value>>;

/** One heading of a template, and the lines below it. */
interface Heading {
  /** The whole line, with its marks. */
  readonly line: string;
  readonly section: SectionName;
  /** Of the section, only lines with this beginning, and without it. */
  readonly prefix?: string;
}

/** The headings of a summary in their order. */
export type Template = readonly Heading[];

/** One section of a summary. */
export type SectionName = (typeof SECTION_NAMES)[number];

/** The section that a heading opens, and the prefix of its lines. */
type Meaning = Omit<Heading, 'line'>;

/** One bullet of a summary. */
export interface Item {
  /** One line, without the bullet. */
  readonly text: string;
  readonly weight: number;
  /** Index of the message that it stems from, or `BEFORE_HEAD`. */
  readonly at: number;
  /** Items with the same key say the same, and the newest one holds; the text where absent. */
  readonly key?: string;
}

/** Sections of a summary, in the order in which they stand; names have no heading and end the discoveries. */
export const SECTION_NAMES = [
  'goal',
  'instructions',
  'discoveries',
  'accomplished',
  'files',
  'names',
] as const;

/** The template in design document 003, for requests that ask for no headings. */
export const DEFAULT_TEMPLATE: Template = [
  { line: '## Goal', section: 'goal' },
  { line: '## Instructions', section: 'instructions' },
  { line: '## Discoveries', section: 'discoveries' },
  { line: '## Accomplished', section: 'accomplished' },
  { line: '## Relevant files / directories', section: 'files' },
];

/** Share of the cap that each section may fill before the rest is distributed; without names, the remaining sections share theirs. */
export const SHARES: BySection<number> = {
  goal: 0.14,
  instructions: 0.14,
  discoveries: 0.175,
  accomplished: 0.14,
  files: 0.105,
  names: 0.3,
};

/** Placeholder of a section without content. */
export const NOTHING = '(none)';
/** Placeholder of a section whose items all exceed the cap. */
export const OMITTED = '…';

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

/** The meaning of an unknown heading: its lines are findings. */
export const UNKNOWN_HEADING: Meaning = { section: 'discoveries' };

const MARKS = /^#+\s+/;
/** A request with fewer known headings asks for none. */
const FEWEST_HEADINGS = 2;

/** How long an item is kept when the cap bites: the heavier, the longer. */
export const WEIGHTS = { essential: 4, vital: 3, important: 2, useful: 1, spare: 0 } as const;
/** Position of items from an earlier summary: before every message. */
export const BEFORE_HEAD = -1;

/**
 * The filled template: every heading with its lines as bullets, at least one. A line stands once: below the first heading
 * that it belongs to, or below the first of all where the template has none for it.
 */
export function renderTemplate(lines: BySection<readonly string[]>, template: Template): string {
  const below = template.map(() => [] as string[]);
  for (const name of SECTION_NAMES) {
    for (const line of lines[name]) place({ line, name }, template, below);
  }
  return template
    .map(({ line }, index) => {
      const filled = below[index] ?? [];
      const told = filled.filter((item) => !isMark(item));
      const shown = told.length > 0 ? told : [...filled, NOTHING].slice(0, 1);
      return `${line}\n${shown.map((item) => `- ${item}`).join('\n')}`;
    })
    .join('\n\n');
}

/** Something for every section, made from its name. */
export function bySection<Value>(make: (name: SectionName) => Value): BySection<Value> {
  return {
    goal: make('goal'),
    instructions: make('instructions'),
    discoveries: make('discoveries'),
    accomplished: make('accomplished'),
    files: make('files'),
    names: make('names'),
  };
}

/** The meaning of a heading's text; undefined where it is unknown. */
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

/** The items in order, without empty ones and without what a newer one says again. */
export function dropRepeated(items: readonly Item[]): readonly Item[] {
  const byKey = new Map<string, Item>();
  for (const item of items.filter(({ text }) => text !== '')) {
    const key = item.key ?? keyOf(item.text);
    const weight = Math.max(item.weight, byKey.get(key)?.weight ?? item.weight);
    byKey.delete(key);
    byKey.set(key, { ...item, weight });
  }
  return [...byKey.values()];
}

/** The items from the one to keep longest to the one to drop first. */
export function rankItems(items: readonly Item[]): readonly Item[] {
  return items.toReversed().toSorted((a, b) => b.weight - a.weight || b.at - a.at);
}

/** The key that texts with the same content share. */
export function keyOf(text: string): string {
  return text.toLowerCase().replace(/[\s.!…。！]+$/u, '');
}

function place(
  { line, name: wanted }: { readonly line: string; readonly name: SectionName },
  template: Template,
  below: readonly string[][],
): void {
  const name = wanted === 'names' ? 'discoveries' : wanted;
  const own = template.findIndex(
    ({ section, prefix }) => section === name && prefix !== undefined && line.startsWith(prefix),
  );
  if (own !== -1) {
    below[own]?.push(line.slice(template[own]?.prefix?.length));
    return;
  }
  const index = template.findIndex(
    ({ section, prefix }) => section === name && prefix === undefined,
  );
  if (index !== -1 || !isMark(line)) below[Math.max(0, index)]?.push(line);
}

function isMark(line: string): boolean {
  return line === NOTHING || line === OMITTED;
}
