import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HarnessError } from '../../../src/simulator/lib/errors.ts';
import { readFacts } from '../../../src/simulator/session/facts-file.ts';

const RETRIES = { kind: 'number', subject: 'retries', value: '0.50', polarity: 'do' };

describe('readFacts', () => {
  it('gives each fact after the value that it replaced', () => {
    const facts = read([RETRIES, { ...RETRIES, value: '7', previous: '5', aliases: ['seven'] }]);
    expect(facts.map(({ id, value, supersedes }) => [id, value, supersedes])).toEqual([
      ['fact-1', '0.50', undefined],
      ['fact-2-previous', '5', undefined],
      ['fact-2', '7', 'fact-2-previous'],
    ]);
    expect(facts[1]).not.toHaveProperty('aliases');
    expect(facts[2]).toMatchObject({ aliases: ['seven'], criticality: 'must', source: 'user' });
  });

  it('reads YAML as it reads JSON, and keeps numbers to the letter', () => {
    const yaml = '- kind: number\n  subject: retries\n  value: 0.50\n  polarity: do\n';
    expect(read(yaml)).toEqual(read([RETRIES]));
  });

  it('keeps the sentence', () => {
    const sentence = 'Use half a second: 重试。';
    expect(read([{ ...RETRIES, sentence }])[0]).toMatchObject({ sentence });
  });

  it.each<[string, unknown, string]>([
    ['an unknown kind', [RETRIES, { ...RETRIES, kind: 'colour' }], "at '1.kind' (line 1): "],
    ['no value', [{ ...RETRIES, value: ' ' }], "at '0.value' (line 1): expected a string"],
    ['a number', [{ ...RETRIES, value: 7 }], "at '0.value' (line 1): expected string, got 7"],
    ['an unknown field', [{ ...RETRIES, weight: 2 }], "at '0' (line 1): "],
    ['a value twice', [{ ...RETRIES, previous: '0.50' }], "at '0.previous' (line 1): expected an"],
    ['no fact', [], 'at the top: expected at least one fact, got a list.'],
    ['a map', { facts: [] }, 'at the top: expected array, got an object.'],
    ['no YAML', '- "a', "but it is neither JSON nor YAML: 'Missing closing"],
  ])('says what is wrong with %s', (_, content, words) => {
    const error = failureOf(content);
    expect(error.code).toBe('BAD_FACTS');
    expect(error.message).toContain(words);
  });

  it('names the line of a fact in YAML', () => {
    const good = '- kind: path\n  subject: the log\n  value: a.ts\n  polarity: do\n';
    expect(failureOf(`${good}${good.replace('do\n', 'maybe\n')}`).message).toMatch(
      /^Expected '.*facts' to be a list of facts, but at '1\.polarity' \(line 5\): expected .*, got 'maybe'\.$/,
    );
  });

  it('says where nothing is', () => {
    expect(() => readFacts('missing.yaml')).toThrow(
      "Expected 'missing.yaml' to be a list of facts, got nothing at that path.",
    );
  });
});

function read(content: unknown) {
  const file = join(mkdtempSync(join(tmpdir(), 'facts-')), 'facts');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return readFacts(file);
}

function failureOf(content: unknown): HarnessError {
  try {
    read(content);
  } catch (error) {
    if (error instanceof HarnessError) return error;
    throw error;
  }
  throw new Error('Expected a failure.');
}
