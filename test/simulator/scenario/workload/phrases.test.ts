import { describe, expect, it } from 'vitest';
import { createDraw } from '../../../../src/simulator/scenario/workload/draw.ts';
import { createPhrases } from '../../../../src/simulator/scenario/workload/phrases.ts';
import { FACT_SHAPES } from '../../../../src/simulator/scenario/workload/plant-facts.ts';
import { findWorkload } from '../../../../src/simulator/scenario/workload/workload.ts';
import { FACT_KINDS } from '../../../../src/simulator/session/facts.ts';
import { generate } from './sessions.ts';

const draw = createDraw({ seed: 1, index: 0 }, 'facts');
const [evaluation, development] = (['evaluation', 'development'] as const).map(
  (bank) => createPhrases(bank, 'english', draw).bank,
);

/** All templates in a part of a bank. */
function textsIn(part: unknown): readonly string[] {
  if (typeof part === 'string') return [part];
  return Object.values(part as object).flatMap(textsIn);
}
const sentencesOf = (bank: typeof evaluation): readonly string[] =>
  textsIn([FACT_KINDS.map((kind) => bank!.kinds[kind].sentences), bank!.todos, bank!.files]);

/** All rows of three words of a text, without those around a subject or a value. */
const rowsOf = (text: string): readonly string[] => {
  const words = text.toLowerCase().match(/[a-z]+/g) ?? [];
  const rows = words.slice(2).map((_, index) => words.slice(index, index + 3).join(' '));
  return rows.filter((row) => !/subject|value/.test(row));
};

describe('the evaluation bank', () => {
  it('names subject and value in each sentence, on one line', () => {
    for (const sentence of sentencesOf(evaluation)) {
      expect(sentence).toContain('{subject}');
      expect(sentence).toContain('{value}');
      expect(sentence).not.toContain('\n');
    }
  });

  it.each(FACT_KINDS)('has several sentences of everybody who may say a %s', (kind) => {
    const { sentences, subjects, values } = evaluation!.kinds[kind];
    const bySource = sentences as Readonly<Record<string, readonly string[]>>;
    for (const source of FACT_SHAPES[kind].sources)
      expect(bySource[source]?.length ?? 0).toBeGreaterThan(1);
    expect(textsIn(sentences).length).toBeGreaterThan(3);
    expect(Math.min(subjects.length, values.length)).toBeGreaterThan(2);
  });

  it('shares no row of three words with the bank that summarizers are developed on', () => {
    const rows = new Set(sentencesOf(development).flatMap(rowsOf));
    expect(rows.size).toBeGreaterThan(5);
    const shared = sentencesOf(evaluation)
      .flatMap(rowsOf)
      .filter((row) => rows.has(row));
    expect(shared).toEqual([]);
  });

  it('words the same kind in many ways, in English sessions', () => {
    const sessions = generate({ ...findWorkload('claude-code'), bank: 'evaluation' }, 12, 1);
    const text = JSON.stringify(sessions.map(({ messages }) => messages));
    expect(text).not.toMatch(/\p{Script=Han}|\p{Script=Cyrillic}|[äöüß]/u);
    expect(text).not.toContain('{subject}');
    const facts = sessions.flatMap((session) => session.facts ?? []);
    const about = facts.filter(({ kind, role }) => kind === 'number' && role === undefined);
    expect(about.length).toBeGreaterThan(5);
    expect(about.every(({ value }) => /^\d{6,9}(?:\.\d\d)?$/.test(value))).toBe(true);
  });
});
