/** Something for every section. */
export type BySection<Value> = Readonly<Record<SectionName, Value>>;

/** One heading of a template, and what stands below it. */
export interface Heading {
  /** The whole line, with its marks. */
  readonly line: string;
  readonly section: SectionName;
  /** Of the section, only lines with this beginning, and without it. */
  readonly prefix?: string;
}

/** The headings of a summary in their order. */
export type Template = readonly Heading[];

/** Sections of a summary, in the order in which they stand; names have no heading and end the discoveries. */
export const SECTION_NAMES = [
  'goal',
  'instructions',
  'discoveries',
  'accomplished',
  'files',
  'names',
] as const;

/** One section of a summary. */
export type SectionName = (typeof SECTION_NAMES)[number];

/** The template in design document 003, for requests that ask for no headings. */
export const DEFAULT_TEMPLATE: Template = [
  { line: '## Goal', section: 'goal' },
  { line: '## Instructions', section: 'instructions' },
  { line: '## Discoveries', section: 'discoveries' },
  { line: '## Accomplished', section: 'accomplished' },
  { line: '## Relevant files / directories', section: 'files' },
];

/** Part of the cap that each section may fill before what is left over is shared out; where there are no names, of that much less. */
export const SHARES: BySection<number> = {
  goal: 0.14,
  instructions: 0.14,
  discoveries: 0.175,
  accomplished: 0.14,
  files: 0.105,
  names: 0.3,
};

/** Stands in a section for which the head holds nothing. */
export const NOTHING = '(none)';
/** Stands in a section whose items all fell to the cap. */
export const OMITTED = '…';

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

function isMark(line: string): boolean {
  return line === NOTHING || line === OMITTED;
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
