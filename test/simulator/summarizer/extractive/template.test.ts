import { describe, expect, it } from 'vitest';
import { headingsOf, instructions, missesHeadings } from '../../../../src/engine/index.ts';
import {
  byTopic,
  readEarlier,
  readTemplate,
  renderTemplate,
} from '../../../../src/simulator/summarizer/extractive/template.ts';
import { user } from '../../../support/history.ts';
import { summarise } from './sections.ts';

const names = Object.keys(instructions) as (keyof typeof instructions)[];
const withHeadings = names.filter((name) => headingsOf(name).length > 1);
const linesOf = (lines: Partial<Parameters<typeof renderTemplate>[1]>) => ({
  ...byTopic<string[]>(() => []),
  ...lines,
});

describe('readTemplate', () => {
  it.each(withHeadings)('is the one that instruction %s asks for', (name) => {
    const summary = summarise([user('u', 'Build the importer.')], { prompt: instructions[name] });
    const lines = summary.split('\n').filter((line) => line.startsWith('#'));
    expect(lines).toEqual([...new Set(headingsOf(name))]);
    expect(missesHeadings(summary, name)).toBe(false);
    expect(summary).toContain('- Build the importer.');
  });

  it.each(withHeadings)('finds a heading for every topic in instruction %s', (name) => {
    const topics = readTemplate(instructions[name]).flatMap((heading) => heading.topics);
    expect(topics.toSorted()).toEqual(Object.keys(byTopic(() => 0)).toSorted());
  });

  it('is that of document 003 where fewer than two headings are asked for', () => {
    const first = ({ prompt = '' }) => readTemplate(prompt).map(({ line }) => line);
    expect(first({ prompt: '## Goal\nonly this' })).toEqual(first({}));
    expect(first({})).toHaveLength(5);
  });

  it('does not take the headings of an earlier summary for those that are asked for', () => {
    const prompt = `<previous-summary>\n## Old\n## Older\n</previous-summary>\n## Goal\n## Next Steps`;
    expect(readTemplate(prompt).map(({ line }) => line)).toEqual(['## Goal', '## Next Steps']);
  });
});

describe('renderTemplate', () => {
  it('puts each topic under its own heading, else under that of its section, else under the first', () => {
    const template = readTemplate('## Objective\n## Progress\n### Done\n## Mood');
    const lines = linesOf({
      goal: ['ship it'],
      done: ['tests'],
      doing: ['review'],
      next: ['review', 'docs'],
      files: ['a.ts'],
    });
    expect(renderTemplate(template, lines)).toBe(
      [
        '## Objective\n- ship it',
        '## Progress\n- review\n- docs\n- a.ts',
        '### Done\n- tests',
        '## Mood\n- (none)',
      ].join('\n\n'),
    );
  });

  it('labels work where done and other work share a heading', () => {
    const template = readTemplate('## Goal\n## Accomplished');
    const lines = linesOf({ done: ['tests'], doing: ['review'], open: ['docs'] });
    expect(renderTemplate(template, lines)).toBe(
      '## Goal\n- (none)\n\n## Accomplished\n- Done: tests\n- In progress: review\n- Open: docs',
    );
  });
});

describe('readEarlier', () => {
  it.each(withHeadings)('reads back what was written for instruction %s', (name) => {
    const template = readTemplate(instructions[name]);
    const lines = linesOf({ goal: ['ship it'], done: ['tests'], files: ['a.ts (edited)'] });
    const read = readEarlier(renderTemplate(template, lines));
    expect(read).toContainEqual({ topic: 'goal', text: 'ship it' });
    expect(read.map(({ text }) => text)).toEqual(
      expect.arrayContaining(['tests', 'a.ts (edited)']),
    );
    expect(read).toHaveLength(3);
  });

  it('takes lines below unknown headings for remarks', () => {
    expect(readEarlier('## Mood\n- good\n- (none)')).toEqual([{ topic: 'remarks', text: 'good' }]);
  });
});
