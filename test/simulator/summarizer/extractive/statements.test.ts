import { describe, expect, it } from 'vitest';
import { readSections } from '../../../../src/simulator/summarizer/extractive/sections.ts';
import { findStatements } from '../../../../src/simulator/summarizer/extractive/statements.ts';
import { calls, section } from './sections.ts';

const line = (text: string, at = 0) => ({ text, source: 'tool' as const, at });
const quota = (name: string, value: number) => `The limit for ${name} is ${value}.`;

describe('findStatements', () => {
  it('takes a diagnosis for no rule', () => {
    const messages = [calls('bash', { command: 'lint' }, 'warning: readAll is never used\nok')];
    expect(section('Instructions', messages)).toEqual(['(none)']);
    const { discoveries } = readSections({ system: '', prompt: '', messages });
    expect(discoveries.map(({ text }) => text)).toContain('warning: readAll is never used');
  });

  it('holds what was carried for more than what is as good and new', () => {
    const { found, weighCarried } = findStatements([line(quota('parsers', 77_295))], []);
    const carried = weighCarried(quota('lexers', 52_295)).weight;
    expect(carried).toBeGreaterThan(found.discoveries[0]!.weight);
  });

  it('counts what begins alike over what was carried and what is new', () => {
    const some = ['ab', 'cd', 'ef', 'gh'].map((name) => line(`Saw ${name}_1 on the way.`));
    const more = some.map(({ text }) => text.replaceAll('_1', '_2'));
    const weightOf = (previous: readonly string[]) =>
      findStatements(some, previous).found.discoveries[0]!.weight;
    expect(weightOf(more)).toBeLessThan(weightOf([]));
    const { weighCarried } = findStatements(some, more);
    expect(weighCarried(more[0]!).weight).toBeLessThan(
      findStatements([], more.slice(0, 1)).weighCarried(more[0]!).weight,
    );
  });

  it.each([
    ['Führe die Prüfung jedes Mal mit check_all aus.', 'discoveries'],
    ['der Stopp: niemals old_parser anfassen.', 'instructions'],
    ['заморозка: никогда не трогать old_parser.', 'instructions'],
    ['Решено: формат будет log_v2.', 'discoveries'],
    ['das Ziel für parser: read_all.', 'goal'],
    ['Выполнена задача: read_all готова.', 'accomplished'],
  ] as const)('files %j under %s', (text, name) => {
    const { found } = findStatements([line(text)], []);
    expect(found[name].map((item) => item.text)).toEqual([text]);
  });
});
