import { shownText } from './shown-text.ts';

/** Sections below each other, those in which something stands. */
export function joinSections(sections: readonly string[]): string {
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

/** The same of Markdown: sections as their lines. */
export function joinMarkdown(sections: readonly (readonly string[])[]): string {
  return joinSections(sections.map((lines) => lines.join('\n')));
}

/** A list in Markdown under a title; nothing where there are no items. */
export function markdownList(
  title: string,
  items: readonly string[],
  mark: '##' | '###' = '###',
): readonly string[] {
  return items.length === 0 ? [] : [`${mark} ${title}`, '', ...items.map((item) => `- ${item}`)];
}

/** Texts from outside as a list under a title; nothing where there are none. */
export function listSection(title: string, items: readonly string[]): string {
  if (items.length === 0) return '';
  return [title, ...items.map((item) => `- ${shownText(item)}`)].join('\n');
}
