import { shownText } from './shown-text.ts';

/** Sections below each other, those in which something stands. */
export function joinSections(sections: readonly string[]): string {
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

/** Texts from outside as a list under a title; nothing where there are none. */
export function listSection(title: string, items: readonly string[]): string {
  if (items.length === 0) return '';
  return [title, ...items.map((item) => `- ${shownText(item)}`)].join('\n');
}
