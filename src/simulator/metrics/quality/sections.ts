/** Headings that a summary was to have. */

import { shareOf } from '../metric.ts';

/** How a text keeps to the headings that it was to have. */
export interface SectionScore {
  readonly missing: readonly string[];
  /** Headings without any text below. */
  readonly empty: readonly string[];
  readonly isInOrder: boolean;
  /** Share of the headings that are there in their order with something below; `null` where none were asked for. */
  readonly conformance: number | null;
}

interface Section {
  readonly title: string;
  readonly level: number;
  isFilled: boolean;
}

const HEADING = /^\s*(?:#{1,6}\s+(?<marked>.+?)|\*\*(?<bold>[^*]+)\*\*:?)\s*#*\s*$/;
const DECORATION = /[*_`:：]/g;

/** Compares the headings of a text with the demanded lines. */
export function scoreSections(text: string, headings: readonly string[]): SectionScore {
  const wanted = headings.map(titleOf);
  const found = sectionsOf(text);
  const places = wanted.map((title) => found.findIndex((section) => section.title === title));
  const filled = places.filter((place) => place >= 0 && found[place]?.isFilled === true);
  const present = places.filter((place) => place >= 0);
  const missing = headings.filter((_, index) => places[index] === -1);
  const empty = headings.filter((_, index) => found[places[index] ?? -1]?.isFilled === false);
  return {
    missing,
    empty,
    isInOrder: present.every((place, index) => index === 0 || place > (present[index - 1] ?? -1)),
    conformance: shareOf(longestRise(filled), headings.length),
  };
}

function titleOf(line: string): string {
  const { groups = {} } = HEADING.exec(line) ?? {};
  const title = groups['marked'] ?? groups['bold'] ?? line;
  return title.replaceAll(DECORATION, '').trim().toLowerCase();
}

/** A heading without a line of its own below is filled by the sections within it. */
function sectionsOf(text: string): readonly Section[] {
  const sections: Section[] = [];
  for (const line of text.split('\n')) {
    const last = sections.at(-1);
    if (HEADING.test(line)) {
      if (last !== undefined && levelOf(line) > last.level) last.isFilled = true;
      sections.push({ title: titleOf(line), level: levelOf(line), isFilled: false });
    } else if (line.trim() !== '' && last !== undefined) {
      last.isFilled = true;
    }
  }
  return sections;
}

function levelOf(line: string): number {
  return /^\s*(#+)/.exec(line)?.[1]?.length ?? 0;
}

/** The most of some places that can be taken so that each is behind the one before. */
function longestRise(places: readonly number[]): number {
  const best: number[] = [];
  places.forEach((place, index) => {
    const before = best.filter((_, other) => (places[other] ?? 0) < place);
    best[index] = 1 + Math.max(0, ...before);
  });
  return Math.max(0, ...best);
}
