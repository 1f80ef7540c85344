import { describe, expect, it } from 'vitest';
import { headingsOf, instructions, missesHeadings } from '../../../../src/engine/index.ts';
import {
  readEarlier,
  readTemplate,
  renderTemplate,
  TOPICS,
  type Told,
} from '../../../../src/simulator/summarizer/extractive/template.ts';
import { user } from '../../../support/history.ts';
import { summarise } from './sections.ts';

const names = Object.keys(instructions) as (keyof typeof instructions)[];
const withHeadings = names.filter((name) => headingsOf(name).length > 1);
const told = (topic: Told['topic'], text: string): Told => ({ topic, text });

describe('readTemplate', () => {
  it.each(withHeadings)('is the one that instruction %s asks for, with every topic', (name) => {
    const summary = summarise([user('u', 'Build the importer.')], { prompt: instructions[name] });
    const lines = summary.split('\n').filter((line) => line.startsWith('#'));
    expect(lines).toEqual([...new Set(headingsOf(name))]);
    expect(missesHeadings(summary, name)).toBe(false);
    expect(summary).toContain('- Build the importer.');
    const topics = readTemplate(instructions[name]).flatMap((heading) => heading.topics);
    expect(topics.toSorted()).toEqual(TOPICS.toSorted());
  });

  it.each([
    ['', 5],
    ['## Goal\nonly this', 5],
    ['<previous-summary>\n## Old\n## Older\n</previous-summary>\n## Goal\n## Next Steps', 2],
  ])('of %j has its headings, or those of document 003 where it asks for one', (prompt, count) => {
    const lines = readTemplate(prompt).map(({ line }) => line);
    expect(lines[0]).toBe('## Goal');
    expect(lines).toHaveLength(count);
  });
});

describe('renderTemplate', () => {
  it('puts each topic under its own heading, else under that of its section, else under the first', () => {
    const template = readTemplate('## Objective\n## Progress\n### Done\n## Mood');
    const lines = [
      told('goal', 'ship it'),
      told('done', 'tests'),
      told('doing', 'review'),
      told('open', 'review'),
      told('open', 'docs'),
      told('files', 'a.ts'),
    ];
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
    const lines = [told('done', 'tests'), told('doing', 'review'), told('open', 'docs')];
    expect(renderTemplate(template, lines)).toBe(
      '## Goal\n- (none)\n\n## Accomplished\n- Done: tests\n- In progress: review\n- Open: docs',
    );
  });
});

describe('readEarlier', () => {
  it.each(withHeadings)('reads back what was written for instruction %s', (name) => {
    const lines = [told('goal', 'ship it'), told('done', 'tests'), told('files', 'a.ts (edited)')];
    const read = readEarlier(renderTemplate(readTemplate(instructions[name]), lines));
    expect(read[0]).toEqual(lines[0]);
    expect(read.map(({ text }) => text).toSorted()).toEqual(['a.ts (edited)', 'ship it', 'tests']);
  });

  it('takes lines below unknown headings for remarks', () => {
    expect(readEarlier('## Mood\n- good\n- (none)')).toEqual([{ topic: 'remarks', text: 'good' }]);
  });
});
