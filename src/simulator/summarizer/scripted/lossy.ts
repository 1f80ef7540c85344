import { askedHeadings } from '../asked-headings.ts';
import { headTexts } from '../head-text.ts';
import { finished, type Writer } from './sizes.ts';

/** With which probability each line is kept where nobody says. */
export const DEFAULT_KEEP = 0.7;

const PREVIOUS = /<previous-summary>\n([\s\S]*?)\n<\/previous-summary>/;

/**
 * Lines of the head, and of the summary that is to be brought up to date, each kept with that probability and in their
 * order. Whatever is lost, is lost by chance alone, so that one knows what a measure of loss has to come to.
 */
export function createLossy(name: string, keep: number): Writer {
  return {
    name,
    summarise: ({ messages, prompt }, { random }) => {
      const previous = PREVIOUS.exec(prompt)?.[1] ?? '';
      const lines = [previous, ...headTexts(messages)].flatMap((text) => text.split('\n'));
      const kept = lines.filter((line) => line.trim() !== '' && random() < keep);
      return finished([...askedHeadings(prompt).slice(0, 1), ...kept].join('\n'));
    },
  };
}
