import { describe, expect, it } from 'vitest';
import { headingsOf, instructions, missesHeadings } from '../../../../src/engine/index.ts';
import {
  bySection,
  DEFAULT_TEMPLATE,
  dropRepeated,
  rankItems,
  readTemplate,
  renderTemplate,
} from '../../../../src/simulator/summarizer/extractive/template.ts';
import { user } from '../../../support/history.ts';
import { summarise } from './sections.ts';

const names = Object.keys(instructions) as (keyof typeof instructions)[];
const withHeadings = names.filter((name) => headingsOf(name).length > 1);

describe('the template of a summary', () => {
  it.each(withHeadings)('is the one that instruction %s asks for', (name) => {
    const summary = summarise([user('u', 'Never touch main.')], { prompt: instructions[name] });
    const lines = summary.split('\n').filter((line) => line.startsWith('#'));
    expect(lines).toEqual([...new Set(headingsOf(name))]);
    expect(missesHeadings(summary, name)).toBe(false);
    expect(summary.match(/Never touch main\./g)?.length).toBeGreaterThan(0);
  });

  it('is that of document 003 where nothing is asked for', () => {
    expect(readTemplate('Write a detailed summary.')).toBe(DEFAULT_TEMPLATE);
    expect(readTemplate('## Goal\nonly this')).toBe(DEFAULT_TEMPLATE);
  });

  it('does not take the headings of an earlier summary for those that are asked for', () => {
    const prompt = `<previous-summary>\n## Old\n## Older\n</previous-summary>\n## Goal\n## Next Steps`;
    expect(readTemplate(prompt).map(({ line }) => line)).toEqual(['## Goal', '## Next Steps']);
  });

  it('puts each line once: under its own sub-heading, else under its section, else under the first', () => {
    const template = readTemplate('## Objective\n## Progress\n### Done\n### Blocked\n## Mood');
    const lines = {
      ...bySection<string[]>(() => []),
      goal: ['ship it'],
      accomplished: ['Done: tests', 'Open: docs', 'In progress: review'],
      files: ['a.ts'],
    };
    expect(renderTemplate(lines, template).split('\n')).toEqual([
      '## Objective',
      '- ship it',
      '- a.ts',
      '',
      '## Progress',
      '- In progress: review',
      '',
      '### Done',
      '- tests',
      '',
      '### Blocked',
      '- docs',
      '',
      '## Mood',
      '- (none)',
    ]);
  });
});

const item = (text: string, weight: number, at: number) => ({ text, weight, at });
const textsOf = (items: readonly { readonly text: string }[]) => items.map(({ text }) => text);

describe('dropRepeated', () => {
  it('keeps the newest of those with one key, with the greatest weight of them', () => {
    const items = [
      { ...item('a', 3, 0), key: 'k' },
      item('b', 1, 1),
      { ...item('c', 2, 2), key: 'k' },
      { ...item('d', 1, 3), key: 'k' },
    ];
    expect(dropRepeated(items)).toEqual([item('b', 1, 1), { ...item('d', 3, 3), key: 'k' }]);
  });

  it('compares texts without case and final stops where there is no key', () => {
    const items = ['Do it!', 'do it.', 'DO IT', 'do that'].map((text) => ({
      text,
      weight: 0,
      at: 0,
    }));
    expect(textsOf(dropRepeated(items))).toEqual(['DO IT', 'do that']);
  });

  it('drops empty items', () => {
    expect(dropRepeated([item('', 3, 0)])).toEqual([]);
  });
});

describe('rankItems', () => {
  it('puts heavier before lighter, newer before older, later before earlier', () => {
    const items = [item('a', 1, 5), item('b', 2, 1), item('c', 2, 3), item('d', 2, 3)];
    expect(textsOf(rankItems(items))).toEqual(['d', 'c', 'b', 'a']);
  });
});
