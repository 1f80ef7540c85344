import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  parseScenario,
  readScenario,
} from '../../../../src/simulator/scenario/file/read-scenario.ts';
import { problemOf, problemsOf, sampleText } from './sample-scenario.ts';

/** Keys of a scenario that are wrong, absent where they are `null`, and what is said of each: a line a case. */
const CASES = readFileSync(
  join(import.meta.dirname, '../../../fixtures/scenario-problems.jsonl'),
  'utf8',
)
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as { keys: Record<string, string | null>; problems: string });

describe('a scenario that is not one', () => {
  it.each(CASES)('with $keys is refused: $problems', ({ keys, problems }) => {
    const given = Object.entries(keys).map(([key, value]) => [key, value ?? undefined]);
    expect(problemsOf(Object.fromEntries(given))).toBe(problems);
  });

  it.each([
    ['filler', 'step: 51M'],
    ['a text that is repeated', 'step: { text: { text: "0123456789", times: 1000000 } }'],
    ['filler behind a text', 'step: { text: { text: a, tokens: 51M } }'],
    ['an image', 'user: { images: [{ bytes: 51M, times: 3 }] }'],
    ['what a tool was given', 'step: { tools: [{ tool: a, input: 51M }] }'],
  ])('is refused when %s makes it too large', (_, item) => {
    const session = `{ script: [user: 1, { repeat: 25, of: [${item}, step: 1] }] }`;
    expect(problemsOf({ session })).toMatch(
      /: Expected session\.script\[1\]\.of\[0\] to be within 200000000 characters of the session so far, got more\.$/,
    );
  });
});

describe('problems yaml', () => {
  const folder = mkdtempSync(join(tmpdir(), 'scenario-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  const LAUGHS = [
    'a: &a [x, x, x, x]',
    'b: &b [*a, *a, *a, *a, *a]',
    'c: &c [*b, *b, *b, *b, *b]',
    'd: [*c, *c, *c, *c, *c]',
  ].join('\n');

  describe('a text that is not YAML, or too much of it', () => {
    it.each([
      ['', 'nothing'],
      ['- a', 'a list'],
      ['text', "'text'"],
      ['{}', 'an empty map'],
    ])('%j is refused, for it is %s', (text, got) => {
      expect(problemOf(() => parseScenario('a.yaml', text)).message).toContain(
        got === 'an empty map'
          ? 'Expected why'
          : `a.yaml:1:1: Expected the file to be a map with why, session, model, policy and expect, got ${got}.`,
      );
    });

    it('is told in few words, however long its lines are', () => {
      const text = `a\n: b\n]${'😀c'.repeat(5_000)}`;
      const { message } = problemOf(() => parseScenario('a.yaml', text));
      expect(message).toMatch(/^a\.yaml:3:2: Expected YAML: Unexpected scalar .*…\.$/m);
      expect(message.length).toBeLessThan(800);
    });

    it('that explodes by its anchors is refused', () => {
      const { message } = problemOf(() => parseScenario('a.yaml', LAUGHS));
      expect(message).toMatch(
        /^a\.yaml:1:1: Expected anchors before their uses, at most 100 of these, got /,
      );
    });

    it.each(['[', '{', '- ', 'a: {b: '])('that is nested too deep in %j is refused', (piece) => {
      const { code } = problemOf(() => parseScenario('a.yaml', piece.repeat(3_000)));
      expect(code).toBe('BAD_SCENARIO');
    });

    it('may use an anchor', () => {
      const model = '&m { id: a/b, contextTokens: 8k }';
      const { runs } = parseScenario('a.yaml', sampleText({ model, summaryModel: '*m' }));
      expect(runs[0]?.summaryModel?.value).toEqual({ id: 'a/b', contextTokens: 8_000 });
    });

    it('may merge maps with <<, what stands in a map before what is merged into it', () => {
      const model = '&m { id: a/b, contextTokens: 8k, outputTokens: 1k }';
      const summaryModel = '{ <<: [*m, { id: a/c, inputTokens: 7k }], contextTokens: 4k }';
      const { runs } = parseScenario('a.yaml', sampleText({ model, summaryModel }));
      expect(runs[0]?.summaryModel?.value).toEqual({
        id: 'a/b',
        contextTokens: 4_000,
        inputTokens: 7_000,
        outputTokens: 1_000,
      });
    });

    it.each(['5', '[5]', '*nothing'])('may not merge %s', (source) => {
      expect(problemsOf({ summaryModel: `{ id: a/b, <<: ${source} }` })).toBe(
        "7:26: Expected '<<' to be a map, an alias of one before it, or a list of these.",
      );
    });

    it('may not merge a map into itself', () => {
      expect(problemsOf({ summaryModel: '&m { id: a/b, <<: *m }' })).toMatch(
        /^1:1: Expected anchors/,
      );
    });

    it('that merges what is wrong is told where that stands', () => {
      const [model, place] = ['&m { id: a/b, contextTokens: 8k, outputTokens: many }', '4:55'];
      const problems = problemsOf({ model, summaryModel: '{ <<: [*m], id: a/c }' }).split('\n');
      expect(problems[1]).toMatch(
        `${place}: Expected summaryModel.outputTokens to be a whole number of`,
      );
    });

    it('tells at most five problems', () => {
      const { message } = problemOf(() => parseScenario('a.yaml', '{ a: 1 }'));
      expect(message.split('\n')).toHaveLength(5);
    });
  });

  describe('readScenario', () => {
    it('reads a file', () => {
      const file = join(folder, 'good.yaml');
      writeFileSync(file, sampleText());
      expect(readScenario(file)).toMatchObject({ file, name: 'good' });
    });

    it('names a file that is absent', () => {
      const { code, message } = problemOf(() => readScenario('absent/a.yaml'));
      expect([code, message]).toEqual([
        'UNREADABLE',
        "Expected to read 'absent/a.yaml', got nothing at that path.",
      ]);
    });

    it('refuses a folder', () => {
      const { code, message } = problemOf(() => readScenario(folder));
      expect(code).toBe('UNREADABLE');
      expect(message).toContain('got a folder');
    });

    it('refuses a file that is too large, and takes the largest', () => {
      const file = join(folder, 'large.yaml');
      const text = sampleText();
      writeFileSync(file, `${text}#${'x'.repeat(256 * 1024 - text.length - 1)}`);
      expect(readScenario(file).name).toBe('large');
      writeFileSync(file, `${text}#${'x'.repeat(256 * 1024 - text.length)}`);
      const { message } = problemOf(() => readScenario(file));
      expect(message).toMatch(
        /^Expected '.*large\.yaml' to be a scenario of at most 262144 bytes, got 262145\.$/,
      );
    });
  });
});
