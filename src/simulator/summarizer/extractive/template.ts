/** Sections of a summary, in the order in which they stand. */
export const SECTION_NAMES = [
  'goal',
  'instructions',
  'discoveries',
  'accomplished',
  'files',
] as const;

/** One section of a summary. */
export type SectionName = (typeof SECTION_NAMES)[number];

/** Something for every section. */
export type BySection<Value> = Readonly<Record<SectionName, Value>>;

/** Headings of the template in design document 003. */
export const HEADINGS: BySection<string> = {
  goal: 'Goal',
  instructions: 'Instructions',
  discoveries: 'Discoveries',
  accomplished: 'Accomplished',
  files: 'Relevant files / directories',
};

/** Part of the cap that each section may fill before what is left over is shared out. */
export const SHARES: BySection<number> = {
  goal: 0.2,
  instructions: 0.2,
  discoveries: 0.25,
  accomplished: 0.2,
  files: 0.15,
};

/** Stands in a section for which the head holds nothing. */
export const NOTHING = '(none)';
/** Stands in a section whose items all fell to the cap. */
export const OMITTED = '…';

/** The filled template: every heading with its lines as bullets, at least one. */
export function renderTemplate(lines: BySection<readonly string[]>): string {
  return SECTION_NAMES.map(
    (name) => `## ${HEADINGS[name]}\n${lines[name].map((line) => `- ${line}`).join('\n')}`,
  ).join('\n\n');
}

/** Something for every section, made from its name. */
export function bySection<Value>(make: (name: SectionName) => Value): BySection<Value> {
  return {
    goal: make('goal'),
    instructions: make('instructions'),
    discoveries: make('discoveries'),
    accomplished: make('accomplished'),
    files: make('files'),
  };
}
