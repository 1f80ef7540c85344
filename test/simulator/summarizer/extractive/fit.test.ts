import { describe, expect, it } from 'vitest';
import { fitTopics } from '../../../../src/simulator/summarizer/extractive/extractive.ts';
import { byTopic, readTemplate } from '../../../../src/simulator/summarizer/extractive/template.ts';
import type { Item } from '../../../../src/simulator/summarizer/extractive/topics.ts';
import { counters } from '../counters.ts';

const TEMPLATE = readTemplate('');
const NOTHING = byTopic<readonly Item[]>(() => []);
const item = (text: string, at = 0): Item => ({ text, at });
const words = (count: number) => Array.from({ length: count }, (_, at) => `word${at}`).join(' ');

function fit(items: Partial<typeof NOTHING>, maxTokens: number, name = 'words'): string {
  const countTokens = counters[name]!;
  return fitTopics(TEMPLATE, { ...NOTHING, ...items }, { maxTokens, countTokens });
}

describe('fitTopics', () => {
  it('cuts nothing where all fits, and keeps the order of the messages', () => {
    const text = fit({ prompts: [item('newer', 2), item('older', 1)] }, 400);
    expect(text).toContain('## Instructions\n- older\n- newer\n');
  });

  it('gives a topic what the others do not need', () => {
    const text = fit({ goal: [item('short')], files: [item(words(300))] }, 400);
    expect(text).toContain(`- ${words(300)}`);
  });

  it('shares the room of a topic evenly, but for items that need less', () => {
    const items = [item(words(300), 3), item('short', 2), item(`new${words(300)}`, 1)];
    const lines = fit({ prompts: items }, 250).split('\n');
    const lengths = lines.filter((line) => line.includes('word')).map(({ length }) => length);
    expect(lengths).toHaveLength(2);
    expect(Math.abs(lengths[0]! - lengths[1]!)).toBeLessThan(10);
    expect(lines).toContain('- short');
  });

  it('drops the least important items before it cuts all to nothing', () => {
    const items = Array.from({ length: 30 }, (_, at) => item(`${at}: ${words(60)}`, at));
    const text = fit({ remarks: items }, 300);
    expect(text).toContain('- 0: ');
    expect(text).not.toContain('- 29: ');
  });

  it('marks a topic whose items are all too long', () => {
    expect(fit({ goal: [item(words(10))], files: [item('x/'.repeat(300))] }, 120)).toMatch(
      /## Relevant files \/ directories\n- …$/,
    );
  });

  it('keeps within the room where the whole weighs more than its parts', () => {
    const items = Array.from({ length: 50 }, (_, at) => item(`${at}: ${words(20)}`, at));
    const text = fit({ done: items, files: items }, 3_000, 'growing characters');
    expect(counters['growing characters']!(text)).toBeLessThanOrEqual(3_000);
    expect(counters['growing characters']!(text)).toBeGreaterThan(2_000);
  });
});
