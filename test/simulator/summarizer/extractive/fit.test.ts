import { describe, expect, it } from 'vitest';
import { fitSections } from '../../../../src/simulator/summarizer/extractive/fit.ts';
import {
  bySection,
  DEFAULT_TEMPLATE,
  type Item,
} from '../../../../src/simulator/summarizer/extractive/template.ts';
import { counters } from '../counters.ts';

const NOTHING = bySection<readonly Item[]>(() => []);
/** Characters of the template with `- …` as the only goal, and `- (none)` in the other sections. */
const SKELETON = fitGoals([item('x'.repeat(500))], 130).length;

function item(text: string, weight = 1, at = 0): Item {
  return { text, weight, at };
}

function fitGoals(goal: readonly Item[], capTokens: number, countTokens = counters['characters']!) {
  return fitSections({ ...NOTHING, goal }, { capTokens, countTokens, template: DEFAULT_TEMPLATE });
}

describe('fitSections', () => {
  it('takes an item that just fits', () => {
    const goals = [item('a first item'), item('a second one')];
    const price = goals.reduce((sum, { text }) => sum + `- ${text}\n`.length, 0);
    expect(fitGoals(goals, SKELETON + price)).toContain('- a first item\n- a second one\n');
    expect(fitGoals(goals, SKELETON + price - 1)).not.toContain('a first item');
  });

  it('takes as much of the heaviest item as there is room for where none fits its share', () => {
    const goals = [item(`light ${'word '.repeat(100)}`), item(`heavy ${'word '.repeat(100)}`, 2)];
    expect(fitGoals(goals, SKELETON + 30)).toMatch(/^## Goal\n- heavy(?: word){4}…\n\n/);
  });

  it('leaves every section its share', () => {
    const long = item('word '.repeat(200).trim());
    const text = fitSections(
      bySection(() => [long]),
      {
        capTokens: SKELETON + 400,
        countTokens: counters['characters']!,
        template: DEFAULT_TEMPLATE,
      },
    );
    const lengths = text
      .split('\n')
      .filter((line) => line.startsWith('- '))
      .map(({ length }) => length);
    expect(Math.min(...lengths)).toBeGreaterThan(30);
    expect(Math.max(...lengths)).toBeLessThan(140);
  });

  it('gives what a section leaves over to the heaviest items of all', () => {
    const files = Array.from({ length: 20 }, (_, index) => item(`light file ${index}`));
    const goal = Array.from({ length: 4 }, (_, index) => item(`heavy goal number ${index}`, 2));
    const sections = { ...NOTHING, files, goal };
    const text = fitSections(sections, {
      capTokens: SKELETON + 110,
      countTokens: counters['characters']!,
      template: DEFAULT_TEMPLATE,
    });
    expect(text.match(/heavy/g)).toHaveLength(4);
    expect(text.match(/light/g)).toHaveLength(1);
  });

  it('drops what it took last where the whole weighs more than its parts', () => {
    const countTokens = counters['growing characters']!;
    const goals = Array.from({ length: 20 }, (_, index) => item(`goal number ${index}`, 1, index));
    const capTokens = countTokens('x'.repeat(SKELETON)) + 250;
    const text = fitGoals(goals, capTokens, countTokens);
    expect(countTokens(text)).toBeLessThanOrEqual(capTokens);
    expect(text).toContain('- goal number 19\n');
    expect(text).not.toContain('- goal number 0\n');
  });

  it('gives light items, but one in each section, only what the heavier ones leave', () => {
    const heavy = 'y'.repeat(73);
    const text = fitSections(
      { ...NOTHING, goal: [item('light2'), item('light')], discoveries: [item(heavy, 3)] },
      {
        capTokens: SKELETON + 85,
        countTokens: counters['characters']!,
        template: DEFAULT_TEMPLATE,
      },
    );
    expect(text).toContain(`- ${heavy}\n`);
    expect(text.match(/light\d?/g)).toEqual(['light']);
  });

  it('counts each item once', () => {
    const counted = new Map<string, number>();
    const countTokens = (text: string) => {
      counted.set(text, (counted.get(text) ?? 0) + 1);
      return text.length;
    };
    fitGoals([item('one'), item('two')], 4_096, countTokens);
    expect([counted.get('- one\n'), counted.get('- two\n')]).toEqual([1, 1]);
  });
});
