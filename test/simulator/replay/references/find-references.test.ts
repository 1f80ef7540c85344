import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AssistantMessage, Message, Part } from '../../../../src/engine/index.ts';
import { step, user } from '../../../support/history.ts';
import { traceOf } from '../lab.ts';
import { called, fact, read, say, shown, write } from './sessions.ts';

const WORDS = 'the quick brown fox jumps over a lazy dog';

const referencesOf = (...messages: readonly Message[]) =>
  traceOf([user('u1'), ...messages])
    .references()
    .all.map(shown);

function shot(id: string, ...files: readonly (readonly [mime: string, url: string])[]): Message {
  const attachments = files.map(
    ([mime, url], index) => ({ type: 'file', id: `${id}-${index}`, mime, url }) as const,
  );
  const state = { status: 'completed', input: {}, output: 'Done.', attachments } as const;
  return step(id, [{ ...called(id, 'screenshot', {}, ''), state }]);
}

/** A call that failed. */
const failed = (id: string, error: string): Part => ({
  ...called(id, 'a', {}, ''),
  state: { status: 'error', input: {}, error },
});

describe('references', () => {
  it.each<[name: string, messages: readonly Message[], expected: readonly string[]]>([
    [
      'the same call that gives the same',
      [read('s1', 'notes', 'one two'), read('s2', 'notes', 'one two')],
      ['2 recalled s1-read output'],
    ],
    [
      'the same arguments in another order',
      [
        step('s1', [called('s1', 'find', { a: 1, b: { c: 2, d: 3 } }, 'x')]),
        step('s2', [called('s2', 'find', { b: { d: 3, c: 2 }, a: 1 }, 'x')]),
      ],
      ['2 recalled s1-find output'],
    ],
    [
      'the newest of several',
      [1, 2, 3].map((index) => read(`s${index}`, 'notes', 'one two')),
      ['2 recalled s1-read output', '3 recalled s2-read output'],
    ],
    ['not: another output', [read('s1', 'notes', 'one'), read('s2', 'notes', 'two')], []],
    ['not: another tool', [read('s1', 'notes', 'one'), write('s2', 'notes', 'one')], []],
    [
      'not: what was written in between',
      [read('s1', 'notes', 'one'), write('s2', './notes', 'b'), read('s3', 'notes', 'one')],
      [],
    ],
    [
      'again, once it was read anew',
      [
        read('s1', 'notes', 'one'),
        write('s2', 'notes', 'b'),
        read('s3', 'notes', 'one'),
        read('s4', 'notes', 'one'),
      ],
      ['4 recalled s3-read output'],
    ],
    [
      'not: two calls of one step',
      [step('s1', [called('s1', 'a', {}, 'x'), { ...called('s1', 'a', {}, 'x'), id: 'other' }])],
      [],
    ],
    [
      'not: a call that failed before in the same words',
      [step('s1', [failed('s1', 'x')]), step('s2', [called('s2', 'a', {}, 'x')])],
      [],
    ],
    [
      'not: a call that fails in the same words',
      [step('s1', [called('s1', 'a', {}, 'x')]), step('s2', [failed('s2', 'x')])],
      [],
    ],
    [
      'a key named like a prototype',
      ['s1', 's2'].map((id) =>
        step(id, [called(id, 'find', JSON.parse('{"__proto__":{"a":1}}'), 'x')]),
      ),
      ['2 recalled s1-find output'],
    ],
  ])('of a call made again: %s', (_, messages, expected) => {
    expect(referencesOf(...messages)).toEqual(expected);
  });

  it.each<[name: string, output: string, words: string, isFound: boolean]>([
    ['eight words in a row', WORDS, 'Note THE: the quick brown fox jumps over a lazy cat.', true],
    ['the same with other marks', WORDS, 'the "quick" (brown) fox, jumps - over a lazy', true],
    ['not: seven words', WORDS, 'a quick brown fox jumps over a lazy', false],
    ['not: words that repeat', 'a a a a a a a a a a', 'a a a a a a a a a a', false],
    ['a path', 'see src/parse.ts:12, ok', 'Open `src/parse.ts`.', true],
    ['an identifier', 'parseQuery failed', 'Why does parseQuery fail?', true],
    ['a hash', 'commit 3fe21ab9', 'reverting 3fe21ab9', true],
    ['a long number', 'port 48213 taken', 'kill 48213', true],
    ['not: a plain word', 'it is unreasonable', 'this is unreasonable', false],
    ['not: a short number', 'exit 127', 'what is 127?', false],
    ['characters of a script without spaces', '必须先运行全部测试吗', '必须先运行全部测试', true],
  ])('of words that stand in one place only: %s', (_, output, words, isFound) => {
    const found = referencesOf(read('s1', 'x', output), say('s2', words));
    expect(found).toEqual(isFound ? ['2 quoted s1-read output'] : []);
  });

  it('takes no words that stand in two places', () => {
    const messages = [read('s1', 'x', 'parseQuery'), read('s2', 'y', 'the parseQuery')];
    expect(referencesOf(...messages, say('s3', 'parseQuery'))).toEqual([]);
  });

  it('takes words for used once: then they stand in the step as well', () => {
    const messages = [read('s1', 'x', 'parseQuery'), say('s2', 'parseQuery')];
    expect(referencesOf(...messages, say('s3', 'parseQuery'))).toHaveLength(1);
  });

  it('finds words in arguments, and of arguments and users too', () => {
    const messages = [write('s1', 'x', 'isParsed'), write('s2', 'y', 'isParsed'), say('s3', 'u1')];
    expect(referencesOf(...messages)).toEqual(['2 quoted s1-write said']);
    const asked = traceOf([user('u1', 'Fix isParsed'), say('s1', 'isParsed')]);
    expect(asked.references().all.map(shown)).toEqual(['1 quoted u1-0 said']);
    expect(asked.references().all[0]?.source.step).toBe(1);
  });

  it('takes what a call and its output both say for said', () => {
    const messages = [read('s1', 'src/a/b.ts', 'src/a/b.ts: nothing'), say('s2', 'src/a/b.ts')];
    expect(referencesOf(...messages)).toEqual(['2 quoted s1-read said']);
  });

  it('tells files by what they hold where the words beside them are the same', () => {
    const [one, other] = [
      ['image/png', 'https://shots/1'],
      ['image/png', 'https://shots/2'],
    ] as const;
    const messages = [
      shot('s1', one),
      shot('s2', other),
      shot('s3', other),
      shot('s4', other, one),
      shot('s5', ['image/webp', 'https://shots/2'], one),
    ];
    expect(referencesOf(...messages)).toEqual(['3 recalled s2-screenshot output']);
  });

  it('follows what a generated session declares, and counts a part once a step', () => {
    const facts = [
      fact({ value: 'blue', step: 1, neededAt: [2, 3] }),
      fact({ value: 'red', step: 1, neededAt: [2] }),
      fact({ value: 'green', step: 1, source: 'user', neededAt: [3] }),
      fact({ value: 'nowhere', neededAt: [3] }),
    ];
    const messages = [
      user('u1', 'green, please'),
      read('s1', 'x', 'blue and red'),
      say('s2', 'x'),
      say('s3', 'x'),
    ];
    const { all } = traceOf(messages, { facts }).references();
    expect(all.map(shown)).toEqual([
      '2 declared s1-read output',
      '3 declared s1-read output',
      '3 declared u1-0 said',
    ]);
  });

  it('weighs a content, and the call that brings it back', () => {
    const messages = [read('s1', 'a.txt', 'word'.repeat(9)), read('s2', 'a.txt', 'word'.repeat(9))];
    const [reference] = traceOf([user('u1'), ...messages]).references().all;
    expect(reference?.source).toMatchObject({
      tokens: 9,
      callTokens: 7,
      isFileRead: true,
      step: 1,
    });
  });

  it('names the outputs that a write made useless', () => {
    const messages = [user('u1'), read('s1', 'a', 'word'.repeat(9)), write('s2', 'a', 'b')];
    const { staleAfter } = traceOf(messages).references();
    expect([...staleAfter]).toEqual([['s2', [{ partId: 's1-read', tokens: 9 }]]]);
  });

  it('counts the reads of a step, and names what each of its writes made useless', () => {
    const reads = ['a', 'b'].map((path) => called(path, 'read', { filePath: path }, 'words'));
    const writes = ['a', 'b'].map((path) => called(`${path}2`, 'write', { filePath: path }, 'ok'));
    const messages = [user('u1'), step('s1', reads), step('s2', writes)];
    const found = traceOf(messages).references();
    expect([...found.reads]).toEqual([['s1', 2]]);
    const stale = found.staleAfter.get('s2')?.map(({ partId }) => partId);
    expect(stale).toEqual(['a-read', 'b-read']);
  });

  it.each<[name: string, path: string, others: readonly Message[], isStale: boolean]>([
    ['the same file, named from the folder of the work', 'src/a.ts', [], true],
    ['a file that may lie anywhere', 'a.ts', [], false],
    ['a file of another folder', 'lib/a.ts', [read('s2', '/w/lib/a.ts', 'x')], false],
    [
      'the folder that most files lie in',
      'src/a.ts',
      ['src/b.ts', 'src/c.ts'].flatMap((path, index) => [
        read(`f${index}`, `/v/${path}`, 'x'),
        read(`g${index}`, path, 'x'),
      ]),
      false,
    ],
  ])('knows a file by its name in short: %s', (_, path, others, isStale) => {
    const messages = [user('u1'), read('s1', '/w/src/a.ts', 'words'), ...others];
    const { staleAfter } = traceOf([...messages, write('end', path, 'b')]).references();
    const stale = (staleAfter.get('end') ?? []).map(({ partId }) => partId);
    expect(stale.includes('s1-read')).toBe(isStale);
  });

  it('has a name for the folder of the work itself', () => {
    const reads = ['/w/src/a.ts', 'src/a.ts', '/w/'].map((path, at) => read(`s${at}`, path, 'x'));
    const { standing } = traceOf([user('u1'), ...reads]).references();
    expect(standing.items.map(({ text }) => text)).toEqual(['src/a.ts', '/w/']);
  });

  it.each<[name: string, path: string, input: unknown]>([
    ['the call that reads it, whatever its name', 'my notes.md', { filePath: 'my notes.md' }],
    ['the words of another call', 'src/a.ts', { todos: [{ content: 'Mend src/a.ts next.' }] }],
  ])('takes a file for named by %s', (_, path, input) => {
    const naming = step('s2', [called('s2', 'read', input, 'x')]);
    const messages = [user('u1'), read('s1', path, 'x'), naming];
    const { standing } = traceOf(messages).references();
    expect(standing.itemsOf(naming).map((item) => standing.items[item]?.text)).toEqual([path]);
  });

  it('names all outputs that held the same', () => {
    const reads = ['s1', 's2'].map((id) => read(id, 'a', 'word'.repeat(9)));
    const messages = [user('u1'), ...reads, write('s3', 'a', 'b')];
    const stale = traceOf(messages).references().staleAfter.get('s3');
    expect(stale?.map(({ partId }) => partId)).toEqual(['s1-read', 's2-read']);
  });

  it('names an output once, also where the same was read again and written again', () => {
    const both = [
      user('u1'),
      read('s1', 'a', 'words'),
      write('s2', 'a', 'b'),
      read('s3', 'a', 'words'),
      write('s4', 'a', 'c'),
    ];
    const { staleAfter } = traceOf(both).references();
    const named = [...staleAfter].map(([id, stale]) => [id, stale.map(({ partId }) => partId)]);
    expect(named).toEqual([
      ['s2', ['s1-read']],
      ['s4', ['s3-read']],
    ]);
  });

  it('point to what came before, and to a part once a step', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            path: fc.constantFrom('a', 'b'),
            isWrite: fc.boolean(),
            words: fc.constantFrom('isParsed', 'is_found', 'nothing'),
          }),
          { minLength: 1, maxLength: 12 },
        ),
        (plans) => {
          const messages = plans.map(({ path, isWrite, words }, index) =>
            (isWrite ? write : read)(`s${index + 1}`, path, words),
          );
          const { all } = traceOf([user('u1'), ...messages]).references();
          expect(all.every(({ step: at, source }) => source.step < at)).toBe(true);
          expect(new Set(all.map((each) => `${each.step} ${each.source.document}`)).size).toBe(
            all.length,
          );
        },
      ),
    );
  });

  it.each<[name: string, (size: number) => string]>([
    ['equal letters', (size) => 'a'.repeat(size)],
    ['slashes', (size) => '/'.repeat(size)],
    ['lines without a path', (size) => `${':1'.repeat(size / 2)}x.`],
    [
      'words that are all different',
      (size) => Array.from({ length: size / 8 }, (_, i) => `w_${i}`).join(' '),
    ],
  ])('are found in time by length only: %s', (_, textOf) => {
    const timeOf = (size: number) => {
      const trace = traceOf([user('u1'), read('s1', 'x', textOf(size)), say('s2', textOf(size))]);
      const before = process.cpuUsage();
      trace.references();
      const { user: microseconds } = process.cpuUsage(before);
      return microseconds / 1_000;
    };
    timeOf(100_000);
    expect(timeOf(800_000)).toBeLessThan(40 * Math.max(timeOf(100_000), 5));
  });
});

describe('the only source of words', () => {
  it('does not need words of an output that was overwritten', () => {
    const messages = [
      read('s1', 'a', 'parseQuery'),
      write('s2', 'a', 'b'),
      say('s3', 'parseQuery'),
    ];
    expect(referencesOf(...messages)).toEqual([]);
  });

  it('takes words that stood in two places for those of the one that is left', () => {
    const messages = [
      read('s1', 'a', 'isParsed'),
      read('s2', 'b', 'isParsed'),
      write('s3', 'a', 'x'),
    ];
    expect(referencesOf(...messages, say('s4', 'isParsed'))).toEqual(['4 quoted s2-read output']);
  });

  it('needs words of the only file of use that holds them, in whichever order files were read and written', () => {
    const uses = fc.array(
      fc.record({ isRead: fc.boolean(), file: fc.constantFrom('a', 'b', 'c') }),
    );
    const checked = { one: 0 };
    fc.assert(
      fc.property(uses, (list) => {
        const holding = new Map<string, string>();
        const messages = list.map(({ isRead, file }, index) => {
          const id = `s${index + 1}`;
          if (isRead) holding.set(file, id);
          else holding.delete(file);
          return isRead ? read(id, file, `isParsed in ${file}`) : write(id, file, 'x');
        });
        const at = list.length + 1;
        const found = referencesOf(...messages, say(`s${at}`, 'isParsed'));
        const [only, another] = [...holding.values()];
        const isOne = only !== undefined && another === undefined;
        checked.one += Number(isOne);
        expect(found.filter((each) => each.startsWith(`${at} `))).toEqual(
          isOne ? [`${at} quoted ${only}-read output`] : [],
        );
      }),
    );
    expect(checked.one).toBeGreaterThan(10);
  });

  it('takes words for written in two places again, once a file is what it was', () => {
    const before = [
      read('s1', 'a', 'isParsed'),
      write('s2', 'a', 'x'),
      read('s3', 'b', 'isParsed'),
    ];
    const words = say('end', 'isParsed');
    expect(referencesOf(...before, words)).toEqual(['4 quoted s3-read output']);
    const anew = [write('s4', 'a', 'y'), read('s5', 'a', 'isParsed')];
    expect(referencesOf(...before, ...anew, words)).toEqual([]);
  });
});

/** A step that reads the same file three times. */
const readThrice = (id: string): AssistantMessage =>
  step(
    id,
    ['a', 'b', 'c'].map((name) => called(`${id}${name}`, 'read', { filePath: 'x' }, 'blue')),
  );

it('references count the calls of a step that give the same again, also where it is declared to need that', () => {
  const facts = [fact({ value: 'blue', step: 1, neededAt: [3] })];
  const messages = [
    user('u1'),
    read('s1', 'x', 'blue'),
    readThrice('s2'),
    readThrice('s3'),
    say('s4', 'x'),
  ];
  const { all } = traceOf(messages, { facts }).references();
  expect(all.map(({ step: at, kind, calls }) => ({ at, kind, calls }))).toEqual([
    { at: 2, kind: 'recalled', calls: 3 },
    { at: 3, kind: 'declared', calls: 3 },
  ]);
});

it.each([
  ['behind a write of the same step none', ['w', 'r'], []],
  ['before it one', ['r', 'w'], ['2 recalled s1-read output']],
])('references find a read %s', (_, order, expected) => {
  const parts = { w: write('w', './notes', 'b').parts, r: read('r', 'notes', 'one').parts };
  const both = step(
    's2',
    order.flatMap((name) => parts[name as keyof typeof parts]),
  );
  const { all } = traceOf([user('u1'), read('s1', 'notes', 'one'), both]).references();
  expect(all.map(shown)).toEqual(expected);
});

describe('references of a session with a system prompt', () => {
  const messages = [
    user('u1'),
    read('s1', 'notes', 'parseQuery failed'),
    say('s2', 'parseQuery'),
    read('s3', 'notes', 'parseQuery failed'),
  ];
  const [quoted, recalled] = ['2 quoted s1-read output', '3 recalled s1-read output'];

  it.each<[name: string, system: string, expected: readonly string[]]>([
    ['all where it is empty', '', [quoted, recalled]],
    ['all where it says other words', 'Call isParsed.', [quoted, recalled]],
    ['not those to words that it says as well', 'Call parseQuery.', [recalled]],
  ])('are %s', (_, system, expected) => {
    const { all } = traceOf(messages, { system }).references();
    expect(all.map(shown)).toEqual(expected);
  });
});
