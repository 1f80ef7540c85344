import { toLine } from '../../lib/lines.ts';
import { askedHeadings } from '../summarizer.ts';
import texts from './homes.json' with { type: 'json' };

export type Topic = keyof typeof texts.weights;

/** A line of a summary. */
export interface Told {
  readonly topic: Topic;
  readonly text: string;
}

/** Topics of a summary, in the order in which they share a heading. */
export const TOPICS = Object.keys(texts.weights) as Topic[];
/** Beginnings of the headings that a topic belongs to, the best first. Source: templates of the presets. */
const HOMES: Readonly<Record<Topic | 'last', readonly string[]>> = texts;
/** Begins a line where a heading has lines of done and of other work. */
const LABELS: Readonly<Partial<Record<Topic, string>>> = texts.labels;
const FEWEST_HEADINGS = 2;
const MARKS = /^#+/;
const NOTHING = '(none)';

/** The headings of a request with their topics; where it names too few, those of design document 003. */
export function readTemplate(prompt: string) {
  const asked = askedHeadings(prompt);
  const lines = asked.length >= FEWEST_HEADINGS ? asked : texts.headings;
  const titles = lines.map(titleOf);
  // The first of all where no heading is meant for a topic.
  const homeOf = (topic: Topic) =>
    [...HOMES[topic], ...HOMES.last]
      .map((beginning) => titles.findIndex((title) => title.startsWith(beginning)))
      .find((found) => found >= 0) ?? 0;
  const topicsAt = (index: number) => TOPICS.filter((topic) => homeOf(topic) === index);
  return lines.map((line, index) => ({ line, topics: topicsAt(index) }));
}

/** The filled template, each text once below a heading. */
export function renderTemplate(template: ReturnType<typeof readTemplate>, told: readonly Told[]) {
  const blocks = template.map(({ line, topics }, index) => {
    const isMixed = topics.includes('done') && topics.length > 1;
    const own = topics.flatMap((topic) => told.filter((each) => each.topic === topic));
    const texts = own.map(({ topic, text }, at) =>
      own.findIndex((other) => other.text === text) < at
        ? ''
        : `\n- ${isMixed ? (LABELS[topic] ?? '') : ''}${text}`,
    );
    const isParent = depthOf(template[index + 1]?.line ?? '') > depthOf(line);
    return line + (own.length === 0 && !isParent ? `\n- ${NOTHING}` : texts.join(''));
  });
  return blocks.join('\n\n');
}

/** The lines of an earlier summary; those below unknown headings are remarks. */
export function readEarlier(summary: string): readonly Told[] {
  let topic: Topic = 'goal';
  return summary.split('\n').flatMap((raw) => {
    const line = toLine(raw);
    if (MARKS.test(raw.trim())) topic = topicOf(titleOf(raw.trim()));
    else if (/[\p{L}\p{N}]/u.test(line) && line !== NOTHING) {
      const label = TOPICS.find((each) => line.startsWith(LABELS[each] ?? '\n'));
      const start = label === undefined ? 0 : (LABELS[label]?.length ?? 0);
      return [{ topic: label ?? topic, text: line.slice(start) }];
    }
    return [];
  });
}

function titleOf(line: string) {
  return toLine(line.replace(MARKS, '')).toLowerCase();
}

function depthOf(line: string) {
  return MARKS.exec(line)?.[0].length ?? 0;
}

function topicOf(title: string) {
  const placeIn = (topic: Topic) => HOMES[topic].findIndex((name) => title.startsWith(name));
  const known = TOPICS.filter((topic) => placeIn(topic) >= 0);
  return known.toSorted((a, b) => placeIn(a) - placeIn(b))[0] ?? 'remarks';
}
