import { describe, expect, it } from 'vitest';
import {
  FILE_TEMPLATES,
  KIND_TEMPLATES,
  TODO_TEMPLATES,
} from '../../../../../src/simulator/scenario/workload/facts/evaluation-bank.ts';
import { developmentPhrases } from '../../../../../src/simulator/scenario/workload/facts/phrases.ts';
import { shapeOf } from '../../../../../src/simulator/scenario/workload/facts/planting.ts';
import { findWorkload } from '../../../../../src/simulator/scenario/workload/workload.ts';
import { FACT_KINDS } from '../../../../../src/simulator/session/facts.ts';
import { generate } from '../sessions.ts';

const sentences = [
  ...FACT_KINDS.flatMap((kind) => Object.values(KIND_TEMPLATES[kind].sentences).flat()),
  ...Object.values(TODO_TEMPLATES).flat(),
  ...Object.values(FILE_TEMPLATES).flatMap((bySource) => Object.values(bySource).flat()),
];
const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/[a-z]+/g) ?? [];

/** All rows of three words of a text, without those around a subject or a value. */
const rowsOf = (text: string): readonly string[] => {
  const words = wordsOf(text);
  const rows = words.slice(2).map((_, index) => words.slice(index, index + 3).join(' '));
  return rows.filter((row) => !/subject|value/.test(row));
};

describe('the evaluation bank', () => {
  it('names subject and value in each sentence, on one line', () => {
    for (const sentence of sentences) {
      expect(sentence).toContain('{subject}');
      expect(sentence).toContain('{value}');
      expect(sentence).not.toContain('\n');
    }
  });

  it.each(FACT_KINDS)('has several sentences of everybody who may say a %s', (kind) => {
    for (const source of shapeOf(kind).sources) {
      expect(KIND_TEMPLATES[kind].sentences[source]?.length ?? 0).toBeGreaterThan(1);
    }
    expect(Object.values(KIND_TEMPLATES[kind].sentences).flat().length).toBeGreaterThan(3);
    expect(KIND_TEMPLATES[kind].subjects.length).toBeGreaterThan(2);
    expect(KIND_TEMPLATES[kind].values.length).toBeGreaterThan(2);
  });

  it('shares no row of three words with the bank that summarizers are developed on', () => {
    const { kinds, todos, files } = developmentPhrases('english');
    const developed = [...Object.values(todos), ...Object.values(files)].map((say) =>
      say('SUBJECT', 'VALUE', 'user'),
    );
    const ofKinds = FACT_KINDS.map((kind) => kinds[kind].sentence('SUBJECT', 'VALUE', 'user'));
    const rows = new Set([...developed, ...ofKinds].flatMap(rowsOf));
    const shared = sentences.flatMap(rowsOf).filter((row) => rows.has(row));
    expect(rows.size).toBeGreaterThan(5);
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
