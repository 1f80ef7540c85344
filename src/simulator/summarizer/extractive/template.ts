import { toLine } from '../../lib/lines.ts';
import { askedHeadings } from '../summarizer.ts';
import headings from './homes.json' with { type: 'json' };

export type ByTopic<Value> = Readonly<Record<Topic, Value>>;

export type Topic = (typeof TOPICS)[number];

/** The headings of a summary with the topics below them. */
export type Template = readonly {
  /** The whole line, with its marks. */
  readonly line: string;
  readonly topics: readonly Topic[];
  /** True if other headings divide what belongs below it. */
  readonly isParent: boolean;
}[];

/** Topics of a summary, in the order in which they share a heading. */
export const TOPICS = [
  'goal',
  'prompts',
  'done',
  'doing',
  'next',
  'open',
  'failures',
  'remarks',
  'files',
] as const;

/** Beginnings of the headings that a topic belongs to, the best first. Source: templates of the presets. */
const HOMES: ByTopic<readonly string[]> & { readonly last: readonly string[] } = headings;

/** Begins a line where a heading has lines of done and of other work. */
const LABELS: Readonly<Partial<Record<Topic, string>>> = headings.labels;
const FEWEST_HEADINGS = 2;
const MARKS = /^#+/;
const NOTHING = '(none)';
/** Placeholder of a heading whose content exceeds the room. */
export const OMITTED = '…';

/** The template of a request; where it names too few headings, that of design document 003. */
export function readTemplate(prompt: string): Template {
  const asked = askedHeadings(prompt);
  const lines = asked.length >= FEWEST_HEADINGS ? asked : headings.headings;
  const titles = lines.map(titleOf);
  const homes = TOPICS.map((topic) => [topic, homeOf(topic, titles)] as const);
  return lines.map((line, index) => ({
    line,
    topics: homes.flatMap(([topic, home]) => (home === index ? [topic] : [])),
    isParent: depthOf(lines[index + 1] ?? '') > depthOf(line),
  }));
}

/** The filled template. Topics without lines that had some are shown as omitted. */
export function renderTemplate(
  template: Template,
  lines: ByTopic<readonly string[]>,
  omitted: ReadonlySet<Topic> = new Set(),
) {
  return template
    .map(({ line, topics, isParent }) => {
      const told = tellTopics(topics, lines);
      const empty = topics.some((topic) => omitted.has(topic)) ? OMITTED : NOTHING;
      const shown = told.length > 0 || (isParent && empty === NOTHING) ? told : [empty];
      return [line, ...shown.map((text) => `- ${text}`)].join('\n');
    })
    .join('\n\n');
}

export function byTopic<Value>(make: (topic: Topic) => Value): ByTopic<Value> {
  return Object.fromEntries(TOPICS.map((topic) => [topic, make(topic)])) as Record<Topic, Value>;
}

/** The lines of an earlier summary; those below unknown headings are remarks. */
export function readEarlier(summary: string) {
  let topic: Topic = 'goal';
  return summary.split('\n').flatMap((raw) => {
    if (MARKS.test(raw.trim())) {
      topic = topicOf(titleOf(raw.trim()));
      return [];
    }
    const line = toLine(raw);
    if (!/[\p{L}\p{N}]/u.test(line) || line === NOTHING) return [];
    const label = TOPICS.find((each) => line.startsWith(LABELS[each] ?? '\n'));
    const start = label === undefined ? 0 : (LABELS[label]?.length ?? 0);
    return [{ topic: label ?? topic, text: line.slice(start) }];
  });
}

/** Each text once; of done and other work with labels. */
function tellTopics(topics: readonly Topic[], lines: ByTopic<readonly string[]>) {
  const isMixed = topics.includes('done') && topics.length > 1;
  const told = new Map<string, string>();
  for (const topic of topics) {
    const label = isMixed ? (LABELS[topic] ?? '') : '';
    for (const text of lines[topic]) if (!told.has(text)) told.set(text, label + text);
  }
  return [...told.values()];
}

function titleOf(line: string) {
  return toLine(line.replace(MARKS, '')).toLowerCase();
}

function depthOf(line: string) {
  return MARKS.exec(line)?.[0].length ?? 0;
}

/** The first of all where none is meant for it. */
function homeOf(topic: Topic, titles: readonly string[]) {
  for (const beginning of [...HOMES[topic], ...HOMES.last]) {
    const found = titles.findIndex((title) => title.startsWith(beginning));
    if (found >= 0) return found;
  }
  return 0;
}

function topicOf(title: string) {
  const placeIn = (topic: Topic) => HOMES[topic].findIndex((name) => title.startsWith(name));
  const known = TOPICS.filter((topic) => placeIn(topic) >= 0);
  const [best = 'remarks'] = known.toSorted((a, b) => placeIn(a) - placeIn(b));
  return best;
}
