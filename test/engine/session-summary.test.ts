import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  buildSessionSummary,
  countLineChanges,
  diffFiles,
  type Message,
  type Part,
  type Snapshots,
} from '../../src/engine/index.ts';
import { toTitle } from '../../src/engine/session-summary.ts';
import { frozen } from '../../src/engine/values.ts';
import { pivotedHistories } from '../support/arbitraries.ts';
import { file, marker, step, summary, text, tool, user } from '../support/history.ts';

const start = (snapshot?: string): Part => ({
  type: 'step-start',
  id: 'start',
  ...(snapshot === undefined ? {} : { snapshot }),
});
const finish = (snapshot?: string): Part => ({
  type: 'step-finish',
  id: 'finish',
  reason: 'stop',
  ...(snapshot === undefined ? {} : { snapshot }),
});

const snapshots: Snapshots = new Map([
  ['one', new Map([['a.ts', 'a\n']])],
  [
    'two',
    new Map([
      ['a.ts', 'a\nb\n'],
      ['b.ts', 'b\n'],
    ]),
  ],
  ['three', new Map([['a.ts', 'x\nb\n']])],
]);

const bodiesOf = (...messages: readonly Message[]) =>
  buildSessionSummary(messages, snapshots).messages.map(({ body }) => body);
const titleOf = (...parts: readonly (string | Part)[]) =>
  buildSessionSummary([user('u1', ...parts)], snapshots).messages[0]?.title;

describe('buildSessionSummary', () => {
  it('compares the first start with the last finish, for the session and for each turn', () => {
    const history = [
      user('u1'),
      step('s1', [start('one'), finish('one')]),
      step('s2', [start('one'), finish('two')]),
      user('u2'),
      step('s3', [start('two'), finish('three')]),
    ];
    const { diff, messages } = buildSessionSummary(history, snapshots);
    expect([diff, ...messages.map((message) => message.diff)]).toMatchObject([
      { state: 'known', totals: { additions: 2, deletions: 1, files: 1 } },
      { state: 'known', totals: { additions: 2, deletions: 0, files: 2 } },
      { state: 'known', totals: { additions: 1, deletions: 2, files: 2 } },
    ]);
    expect(messages[1]?.diff).toEqual({
      state: 'known',
      files: [
        { file: 'a.ts', before: 'a\nb\n', after: 'x\nb\n', additions: 1, deletions: 1 },
        { file: 'b.ts', before: 'b\n', after: '', additions: 0, deletions: 1 },
      ],
      totals: { additions: 1, deletions: 2, files: 2 },
    });
  });

  it('knows that nothing differs', () => {
    const { diff } = buildSessionSummary([step('s1', [start('one'), finish('one')])], snapshots);
    expect(diff).toEqual({
      state: 'known',
      files: [],
      totals: { additions: 0, deletions: 0, files: 0 },
    });
  });

  it.each<[string, readonly Part[], object]>([
    ['no step names a start', [finish('one')], { reason: 'no-start-snapshot' }],
    ['the start has no name', [start(''), start(), finish('one')], { reason: 'no-start-snapshot' }],
    ['no step names a finish', [start('one'), finish()], { reason: 'no-finish-snapshot' }],
    ['the start is not given', [start('none'), finish('one')], { snapshot: 'none' }],
    ['the finish is not given', [start('one'), finish('none')], { snapshot: 'none' }],
  ])('does not know the difference where %s', (_, parts, expected) => {
    const { diff } = buildSessionSummary([step('s1', parts)], snapshots);
    expect(diff).toMatchObject({ state: 'unknown', ...expected });
  });

  it('finds the start behind steps without one, and the finish before them', () => {
    const history = [
      step('s1', [start()]),
      step('s2', [start('one'), finish('two')]),
      step('s3', [start(), finish()]),
    ];
    expect(buildSessionSummary(history, snapshots).diff).toMatchObject({ totals: { files: 2 } });
  });

  it('counts steps before the first user message for the session only', () => {
    const history = [step('s1', [start('one'), finish('two')]), user('u1')];
    const { diff, messages } = buildSessionSummary(history, snapshots);
    expect(diff.state).toBe('known');
    expect(messages.map((message) => message.diff.state)).toEqual(['unknown']);
  });

  it('has one entry for each user message, markers too', () => {
    const history = [user('u1'), step('s1'), marker('c1'), summary('x1', 'c1'), user('u2')];
    const { messages } = buildSessionSummary(history, snapshots);
    expect(messages.map(({ messageId }) => messageId)).toEqual(['u1', 'c1', 'u2']);
  });

  it.each<[string, readonly (string | Part)[], string | undefined]>([
    ['the first text of the user', ['Fix it. Then rest.', 'More'], 'Fix it.'],
    ['not a synthetic text', [text('p', 'Continue', { synthetic: true }), 'Fix it'], 'Fix it'],
    ['not an ignored text', [text('p', 'note', { ignored: true }), 'Fix it'], 'Fix it'],
    ['not a blank text', [' \n', 'Fix it'], 'Fix it'],
    ['nothing where there is only a file', [file('f', 'image/png')], undefined],
  ])('takes for the title %s', (_, parts, expected) => {
    expect(titleOf(...parts)).toBe(expected);
  });

  it('takes for the body the last text that the model wrote in the turn', () => {
    const bodies = bodiesOf(
      user('u1'),
      step('s1', [text('p1', 'first'), tool('t1', 'output')]),
      step('s2', [
        text('p2', 'done\n'),
        text('p3', ' '),
        text('p4', 'note', { synthetic: true }),
        text('p5', 'note', { ignored: true }),
      ]),
      user('u2'),
      step('s3', [tool('t2', 'output')]),
    );
    expect(bodies).toEqual(['done\n', undefined]);
  });

  it('takes any history, gives one entry for each user message, and changes nothing', () => {
    fc.assert(
      fc.property(pivotedHistories, (history) => {
        const { messages } = buildSessionSummary(frozen(history), snapshots);
        expect(messages.map(({ messageId }) => messageId)).toEqual(
          history.filter(({ role }) => role === 'user').map(({ id }) => id),
        );
      }),
    );
  });
});

/** Few different lines, so that texts share many of them, in every order. */
const lines = fc.constantFrom('a\n', 'b\n', 'c\n', 'd\n', '\n', 'a\r\n');
const texts = fc
  .record({
    body: fc.array(lines, { maxLength: 16, size: 'max' }),
    end: fc.constantFrom('', '', 'a', 'b'),
  })
  .map(({ body, end }) => [...body, end].join(''));

describe('countLineChanges', () => {
  it.each<[string, string, string, number, number]>([
    ['finds nothing between equal texts', 'a\nb\n', 'a\nb\n', 0, 0],
    ['finds nothing between empty texts', '', '', 0, 0],
    ['counts every line of a new text', '', 'a\nb\n', 2, 0],
    ['counts every line of a text that is gone', 'a\nb', '', 0, 2],
    ['counts a changed line on both sides', 'a\nb\nc\n', 'a\nx\nc\n', 1, 1],
    ['counts a moved line on both sides', 'a\nb\nc\n', 'b\nc\na\n', 1, 1],
    ['keeps the longest common lines, not the first ones', 'x\na\nb\n', 'a\nb\nx\n', 1, 1],
    ['counts an inserted line once', 'a\nc\n', 'a\nb\nc\n', 1, 0],
    ['counts one of several equal lines', 'a\na\na\n', 'a\na\n', 0, 1],
    ['counts a blank line', 'a\nb\n', 'a\n\nb\n', 1, 0],
    ['takes a line break at the end for no further line', 'a\n', 'b\n', 1, 1],
    ['takes a missing line break at the end for another line', 'a\nb', 'a\nb\n', 1, 1],
    ['takes CRLF for one line break', 'a\r\nb\r\n', 'a\r\nb\r\nc\r\n', 1, 0],
    ['takes CRLF and LF for different line breaks', 'a\r\nb\n', 'a\nb\n', 1, 1],
    ['takes a lone CR for no line break', 'a\rb', 'a\rc', 1, 1],
  ])('%s', (...[, before, after, additions, deletions]) => {
    expect(countLineChanges(before, after)).toEqual({ additions, deletions });
  });

  it('finds the smallest difference', () => {
    fc.assert(
      fc.property(texts, texts, (before, after) => {
        const kept = commonLines(linesOf(before), linesOf(after));
        expect(countLineChanges(before, after)).toEqual({
          additions: linesOf(after).length - kept,
          deletions: linesOf(before).length - kept,
        });
      }),
      { numRuns: 1_000 },
    );
  });

  it('gives the other way round when the texts are exchanged', () => {
    fc.assert(
      fc.property(texts, texts, (before, after) => {
        const { additions, deletions } = countLineChanges(before, after);
        expect(countLineChanges(after, before)).toEqual({
          additions: deletions,
          deletions: additions,
        });
      }),
    );
  });

  it('finds nothing exactly where nothing differs', () => {
    fc.assert(
      fc.property(texts, texts, (before, after) => {
        const { additions, deletions } = countLineChanges(before, after);
        expect(additions + deletions === 0).toBe(before === after);
      }),
    );
  });

  it.each<[string, number, number, number]>([
    ['finds the smallest difference up to 20,000 lines', 19_999, 19_999, 1],
    ['counts everything between the common ends beyond', 20_000, 20_001, 2],
  ])('%s', (...[, repeats, additions, deletions]) => {
    const after = `b\n${'a\n'.repeat(repeats)}end\n`;
    expect(countLineChanges('a\nb\nend\n', after)).toEqual({ additions, deletions });
  });

  it('does not count what only one text has towards that limit', () => {
    const replaced = Array.from({ length: 30_000 }, (_, index) => `${index}\n`).join('');
    const before = `a\n${'x\n'.repeat(30_000)}a\nend\n`;
    expect(countLineChanges(before, `b\na\n${replaced}a\n`)).toEqual({
      additions: 30_001,
      deletions: 30_001,
    });
  });
});

describe('diffFiles', () => {
  it('names the files that differ, in order of their paths', () => {
    const before = new Map([
      ['same.ts', 'a\n'],
      ['gone.ts', 'a\nb\n'],
      ['changed.ts', 'a\nb\n'],
    ]);
    const after = new Map([
      ['new.ts', 'a\n'],
      ['same.ts', 'a\n'],
      ['changed.ts', 'a\nc\nd\n'],
    ]);
    expect(diffFiles(before, after)).toEqual([
      { file: 'changed.ts', before: 'a\nb\n', after: 'a\nc\nd\n', additions: 2, deletions: 1 },
      { file: 'gone.ts', before: 'a\nb\n', after: '', additions: 0, deletions: 2 },
      { file: 'new.ts', before: '', after: 'a\n', additions: 1, deletions: 0 },
    ]);
  });

  it('names an empty file that is new', () => {
    expect(diffFiles(new Map(), new Map([['empty', '']]))).toEqual([
      { file: 'empty', before: '', after: '', additions: 0, deletions: 0 },
    ]);
  });

  it('takes `__proto__` for a path like any other', () => {
    const diff = diffFiles(new Map(), new Map([['__proto__', 'a\n']]));
    expect(diff.map(({ file, additions }) => [file, additions])).toEqual([['__proto__', 1]]);
  });
});

/** A second opinion: the length of the longest common subsequence by its textbook table. */
function commonLines(before: readonly string[], after: readonly string[]): number {
  let below = Array.from({ length: after.length + 1 }, () => 0);
  for (const line of before.toReversed()) {
    const row = [...below];
    for (let index = after.length - 1; index >= 0; index -= 1) {
      row[index] =
        line === after[index] ? below[index + 1]! + 1 : Math.max(below[index]!, row[index + 1]!);
    }
    below = row;
  }
  return below[0]!;
}

/** Lines with their endings, found otherwise than in the code under test. */
function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/gu) ?? [];
}

const hundred = 'x'.repeat(100);

describe('toTitle', () => {
  it.each<[string, string, string | undefined]>([
    ['takes a short line as it is', 'fix the tests', 'fix the tests'],
    ['takes the first line', 'Fix the tests\nand then the docs', 'Fix the tests'],
    ['takes the first line before CR', 'Fix the tests\r\nand then', 'Fix the tests'],
    ['skips blank lines at the start', '\n \n  Fix it', 'Fix it'],
    ['takes the first sentence', 'Fix the tests. Then the docs.', 'Fix the tests.'],
    ['takes a sentence that asks', 'Why? Nobody knows', 'Why?'],
    ['takes all marks at the end of a sentence', 'Wait... What', 'Wait...'],
    ['ends a sentence after a quotation', 'Say "no". Then go', 'Say "no".'],
    ['ends a sentence at a full-width stop', '修正してください。次に', '修正してください。'],
    [
      'does not end a sentence within a name',
      'Read src/a.ts or v1.2 now',
      'Read src/a.ts or v1.2 now',
    ],
    ['does not end a sentence before a small letter', 'Use e.g. the cache', 'Use e.g. the cache'],
    ['does not end a sentence at the number of a list', '1. Fix the tests', '1. Fix the tests'],
    ['makes one space of several', 'Fix \t the  tests', 'Fix the tests'],
    ['keeps a hundred characters', hundred, hundred],
    ['keeps a hundred characters of several words', `a ${'x'.repeat(98)}`, `a ${'x'.repeat(98)}`],
    ['cuts between words', `${'x'.repeat(90)} yyyyyyyyy zzz`, `${'x'.repeat(90)} yyyyyyyyy`],
    ['cuts before a word that crosses the limit', `${'x'.repeat(90)} yyyyyyyyyy`, 'x'.repeat(90)],
    ['cuts a word that is too long itself', `${hundred}yyy zzz`, hundred],
    ['counts characters, not their halves', '😀'.repeat(101), '😀'.repeat(100)],
    ['finds none in a blank text', ' \n\t', undefined],
    ['finds none in an empty text', '', undefined],
  ])('%s', (_, text, expected) => {
    expect(toTitle(text)).toBe(expected);
  });

  it('is one line of at most a hundred characters, without space around it', () => {
    const texts = fc
      .array(fc.constantFrom('word', 'Ab', '. ', '\n', ' ', '。', '😀', '!'), {
        maxLength: 200,
        size: 'max',
      })
      .map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(texts, (text) => {
        const title = toTitle(text) ?? '';
        expect(title).not.toMatch(/[\n\r]|^\s|\s$/u);
        expect(Array.from(title).length).toBeLessThanOrEqual(100);
        expect(title === '').toBe(text.trim() === '');
      }),
    );
  });
});
