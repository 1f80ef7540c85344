import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createMemory,
  entriesOf,
  type Memory,
  type MemoryEntry,
  type Message,
  type Part,
  recall,
  remember,
  search,
} from '../../src/engine/index.ts';
import { termsOf } from '../../src/engine/memory.ts';
import { standIn } from '../../src/engine/message.ts';
import { frozen } from '../../src/engine/values.ts';
import { file, step, summary, text, tool, toolIn, user } from '../support/history.ts';

const textsOf = (message: Message) => entriesOf(message).map((entry) => entry.text);
const call = (input: unknown, output = 'done') =>
  toolIn('t1', { status: 'completed', input, output }, 'edit');

describe('entriesOf', () => {
  it('names each entry by its part, its message and its time', () => {
    const message = { ...user('u1', 'one', 'two'), createdAt: 7 };
    expect(entriesOf(message)).toEqual([
      { id: 'u1-0', text: 'one', messageId: 'u1', order: 7 },
      { id: 'u1-1', text: 'two', messageId: 'u1', order: 7 },
    ]);
  });

  it.each<[string, Part, readonly string[]]>([
    ['the text of a step', text('p', 'Done.'), ['Done.']],
    ['a text that a program put in', text('p', 'file a', { synthetic: true }), ['file a']],
    ['the prompt of a sub-agent', { type: 'subtask', id: 'p', prompt: 'go' }, ['go']],
    ['no ignored text', text('p', 'note', { ignored: true }), []],
    ['no blank text', text('p', ' \n'), []],
    ['no reasoning', { type: 'reasoning', id: 'p', text: 'hm' }, []],
    ['no file', file('p', 'image/png'), []],
    ['no bounds of a step', { type: 'step-start', id: 'p', snapshot: 'one' }, []],
    ['a cleared output', tool('t', 'out', { compactedAt: 1 }), ['bash(id: t)\nout']],
    [
      'what a clean-up took out of a call',
      standIn(tool('t', 'out'), tool('t', 'all of it'), { what: 'input', now: 1 }),
      ['bash(id: t)\nall of it'],
    ],
    ['a call without output', call({ a: 'b' }, ''), ['edit(a: b)']],
    [
      'texts of a call as they are',
      call({ old: 'a\nb', new: 'c' }),
      ['edit(old: a\nb, new: c)\ndone'],
    ],
    [
      'other values of a call as JSON',
      call({ n: 1, x: [{ y: 'z' }] }),
      ['edit(n: 1, x: [{"y":"z"}])\ndone'],
    ],
    ['a call with a bare text', call('ls -l'), ['edit(ls -l)\ndone']],
    ['a call with a list', call(['a', 1]), ['edit(["a",1])\ndone']],
    ['a call with nothing', call(undefined), ['edit()\ndone']],
    ['a call with null', call(null), ['edit(null)\ndone']],
    ['a call that never came back', toolIn('t', { status: 'running', input: {} }), ['bash()']],
    ['an error', toolIn('t', { status: 'error', input: {}, error: 'no' }), ['bash()\nno']],
    [
      'what an interrupted call had printed',
      toolIn('t', { status: 'error', input: {}, error: 'no', partialOutput: 'half' }),
      ['bash()\nhalf'],
    ],
  ])('takes %s', (_, part, expected) => {
    expect(textsOf(step('s1', [part]))).toEqual(expected);
  });

  it('takes the text of a summary', () => {
    expect(textsOf(summary('x1', 'c1'))).toEqual(['summary x1']);
  });
});

const estimator = { charsPerToken: 1, rounding: 'round' } as const;

/** An entry whose id is its text where nothing else is given. */
const entry = (id: string, text = id, order = 0): MemoryEntry => ({
  id,
  text,
  messageId: `m-${id}`,
  order,
});
const memoryOf = (...entries: readonly MemoryEntry[]) => remember(createMemory(), entries);
const idsOf = (entries: readonly MemoryEntry[]) => entries.map(({ id }) => id);
const found = (memory: Memory, query: string, limit = 10) =>
  idsOf(search(memory, query, limit).map((hit) => hit.entry));
const words = fc.constantFrom('alpha', 'beta', 'gamma', 'delta', '__proto__', 'constructor');
const texts = fc.array(words, { maxLength: 8 }).map((list) => list.join(' '));
const entries = fc.record({
  id: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', '__proto__'),
  text: texts,
  messageId: fc.constant('m'),
  order: fc.nat({ max: 3 }),
});
const batches = fc.array(fc.array(entries, { maxLength: 4 }), { maxLength: 12, size: 'max' });

describe('search', () => {
  it.each<[string, readonly MemoryEntry[], string, readonly string[]]>([
    [
      'finds what holds a word of the query',
      [entry('a', 'red fox'), entry('b', 'dog')],
      'fox',
      ['a'],
    ],
    ['finds nothing where no word occurs', [entry('a', 'red fox')], 'cat', []],
    ['finds nothing for a query without words', [entry('a', 'red fox')], '…', []],
    ['finds words in any case', [entry('a', 'The Loop')], 'LOOP', ['a']],
    ['finds a path by its last part', [entry('a', 'read(src/engine/loop.ts)')], 'loop.ts', ['a']],
    ['finds an identifier by a word in it', [entry('a', 'parseOutputCap')], 'output', ['a']],
    ['finds Chinese without spaces', [entry('a', '我们压缩历史记录')], '历史', ['a']],
    ['finds `__proto__`', [entry('a', 'set __proto__ here'), entry('b', 'x')], '__proto__', ['a']],
    ['finds `constructor`', [entry('a', 'x'), entry('b', 'a constructor')], 'constructor', ['b']],
    [
      'prefers what holds more words of the query',
      [entry('a', 'fox x y'), entry('b', 'fox dog x')],
      'fox dog',
      ['b', 'a'],
    ],
    [
      'prefers rare words to frequent ones',
      [entry('a', 'the cat'), entry('b', 'the dog'), entry('c', 'the cow'), entry('d', 'a fox')],
      'the fox',
      ['d', 'c', 'b', 'a'],
    ],
    [
      'prefers what says it more often',
      [entry('a', 'fox x y z'), entry('b', 'fox fox y z')],
      'fox',
      ['b', 'a'],
    ],
    [
      'prefers what says little else',
      [entry('a', 'fox and many other things'), entry('b', 'fox')],
      'fox',
      ['b', 'a'],
    ],
    [
      'prefers the newer of equally good ones',
      [entry('a', 'fox', 1), entry('b', 'fox', 3), entry('c', 'fox', 2)],
      'fox',
      ['b', 'c', 'a'],
    ],
    [
      'prefers what was inserted later of what stood in the same moment',
      [entry('a', 'fox'), entry('b', 'fox')],
      'fox',
      ['b', 'a'],
    ],
  ])('%s', (...[, list, query, expected]) => {
    expect(found(memoryOf(...list), query)).toEqual(expected);
  });

  it.each<[number, readonly string[]]>([
    [0, []],
    [-1, []],
    [1, ['b']],
    [2, ['b', 'a']],
    [Infinity, ['b', 'a']],
  ])('gives %d entries at most', (limit, expected) => {
    expect(found(memoryOf(entry('a', 'fox'), entry('b', 'fox')), 'fox', limit)).toEqual(expected);
  });

  it('finds nothing in an empty memory', () => {
    expect(search(createMemory(), 'fox', 10)).toEqual([]);
  });

  it('scores as BM25 does, whatever was inserted when', () => {
    fc.assert(
      fc.property(batches, texts, (list, query) => {
        const stored = new Map(list.flat().map((one) => [one.id, one]));
        const hits = search(insertAll(list), query, Infinity);
        const expected = scoresOf([...stored.values()], query);
        expect(new Set(idsOf(hits.map((hit) => hit.entry)))).toEqual(new Set(expected.keys()));
        for (const hit of hits) expect(hit.score).toBeCloseTo(expected.get(hit.entry.id)!, 10);
      }),
      { numRuns: 500 },
    );
  });

  it('ranks by score, then newest first', () => {
    fc.assert(
      fc.property(batches, texts, (list, query) => {
        const hits = search(insertAll(list), query, Infinity);
        const ranks = hits.map(({ score, entry: { order } }) => [score, order] as const);
        expect(ranks).toEqual(ranks.toSorted(([s, o], [t, p]) => t - s || p - o));
      }),
    );
  });
});

describe('remember', () => {
  it('replaces an entry with the same id, which keeps its place', () => {
    const before = memoryOf(entry('a', 'fox'), entry('b', 'fox dog'));
    const after = remember(before, [entry('a', 'fox cat')]);
    expect([found(after, 'fox'), found(after, 'cat')]).toEqual([['b', 'a'], ['a']]);
  });

  it('keeps the last of several entries with the same id', () => {
    const memory = memoryOf(entry('a', 'fox'), entry('a', 'dog'));
    expect([found(memory, 'fox'), found(memory, 'dog')]).toEqual([[], ['a']]);
  });

  it('is the same in one go as one by one', () => {
    fc.assert(
      fc.property(batches, texts, (list, query) => {
        const atOnce = remember(createMemory(), list.flat());
        expect(search(atOnce, query, Infinity)).toEqual(search(insertAll(list), query, Infinity));
        expect(atOnce.termCount).toBe(insertAll(list).termCount);
      }),
    );
  });

  it('leaves the memory as it was', () => {
    fc.assert(
      fc.property(batches, batches, texts, (list, more, query) => {
        const memory = insertAll(list);
        const before = search(memory, query, Infinity);
        const one = search(insertAll(more, memory), query, Infinity);
        expect(search(memory, query, Infinity)).toEqual(before);
        expect(search(insertAll(more, memory), query, Infinity)).toEqual(one);
      }),
    );
  });

  it('forgets what was replaced', () => {
    const replaced = Array.from({ length: 100 }, (_, index) => [entry('a', `fox ${index}`)]);
    expect([...insertAll(replaced).postings.keys()]).toEqual(['fox', '99']);
  });

  it('gives the memory itself for nothing', () => {
    const memory = memoryOf(entry('a'));
    expect(remember(memory, [])).toBe(memory);
  });
});

describe('recall', () => {
  const memory = memoryOf(
    entry('old', 'fox 45', 1),
    entry('best', 'fox fox fox 4567890', 2),
    entry('new', 'fox 45', 3),
    entry('other', 'dog', 4),
  );
  const recalled = (query: string, limit: number, maxTokens: number) =>
    idsOf(recall(memory, query, { limit, maxTokens, estimator }));

  it.each<[string, number, number, readonly string[]]>([
    ['gives entries in the order of the session', 10, 1_000, ['old', 'best', 'new']],
    ['gives the best entries only', 2, 1_000, ['best', 'new']],
    ['gives what fits', 10, 25, ['best', 'new']],
    ['fills the tokens to the last one', 10, 31, ['old', 'best', 'new']],
    ['goes on with smaller entries where one does not fit', 10, 12, ['old', 'new']],
    ['gives nothing that does not fit', 10, 5, []],
    ['gives nothing for no tokens', 10, 0, []],
    ['gives nothing for no entries', 0, 1_000, []],
  ])('%s', (...[, limit, maxTokens, expected]) => {
    expect(recalled('fox', limit, maxTokens)).toEqual(expected);
  });

  it('gives back what stood in the same moment in the order in which it was inserted', () => {
    const same = memoryOf(entry('a', 'fox'), entry('b', 'fox'));
    expect(idsOf(recall(same, 'fox', { limit: 2, maxTokens: 99, estimator }))).toEqual(['a', 'b']);
  });

  it('stays within the tokens, and among the best entries', () => {
    fc.assert(
      fc.property(
        batches,
        texts,
        fc.record({ maxTokens: fc.nat({ max: 80 }), limit: fc.nat({ max: 5 }) }),
        (list, query, { maxTokens, limit }) => {
          const all = insertAll(list);
          const given = recall(all, query, { limit, maxTokens, estimator });
          const best = new Set(search(all, query, limit).map((hit) => hit.entry));
          expect(given.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(
            maxTokens,
          );
          expect(given.filter((one) => !best.has(one))).toEqual([]);
        },
      ),
    );
  });
});

function insertAll(list: readonly (readonly MemoryEntry[])[], memory = createMemory()): Memory {
  return list.reduce((inserted, batch) => remember(inserted, frozen(batch)), memory);
}

/** A second opinion: BM25 by its definition over all texts, words parted by spaces. */
function scoresOf(stored: readonly MemoryEntry[], query: string): ReadonlyMap<string, number> {
  const averageLength =
    stored.reduce((sum, { text }) => sum + wordsOf(text).length, 0) / stored.length;
  const scores = new Map<string, number>();
  for (const word of new Set(wordsOf(query))) {
    const holding = stored.filter(({ text }) => wordsOf(text).includes(word));
    const inverse = Math.log(1 + (stored.length - holding.length + 0.5) / (holding.length + 0.5));
    for (const { id, text } of holding) {
      const list = wordsOf(text);
      const frequency = list.filter((one) => one === word).length;
      const norm = 1.2 * (0.25 + (0.75 * list.length) / averageLength);
      const score = (inverse * frequency * 2.2) / (frequency + norm);
      scores.set(id, (scores.get(id) ?? 0) + score);
    }
  }
  return scores;
}

function wordsOf(text: string): readonly string[] {
  return text.split(' ').filter((word) => word !== '');
}

describe('termsOf', () => {
  it.each<[string, string, string]>([
    ['words in lower case', 'Fix the Tests, fix them!', 'fix the tests fix them'],
    ['words of any alphabet', 'Größe Ωμέγα ЁЖ', 'größe ωμέγα ёж'],
    ['composed and decomposed letters alike', 'e\u0301te\u0301', 'été'],
    ['full-width letters as plain ones', 'ＡＢＣ', 'abc'],
    ['numbers', '42 tests', '42 tests'],
    ['a path whole and in pieces', 'src/engine/loop.ts', 'src/engine/loop.ts src engine loop ts'],
    ['a path without the marks around it', './a/b/', 'a/b a b'],
    ['a version', 'v1.2', 'v1.2 v1 2'],
    ['snake case', 'max_tokens', 'max_tokens max tokens'],
    ['kebab case', 'by-age', 'by-age by age'],
    ['camel case', 'parseOutputCap', 'parseoutputcap parse output cap'],
    ['camel case with capitals in a row', 'XMLHttpRequest', 'xmlhttprequest xml http request'],
    ['camel case with digits', 'step2Done', 'step2done step2 done'],
    ['camel case within a path', 'a/bC', 'a/bc a bc b c'],
    ['a constant', 'PRUNE_MINIMUM', 'prune_minimum prune minimum'],
    ['Chinese as pairs', '压缩历史', '压缩 缩历 历史'],
    ['Japanese as pairs across its scripts', 'バグを修', 'バグ グを を修'],
    ['Korean as pairs', '안녕하', '안녕 녕하'],
    ['a single ideograph', '猫 a', '猫 a'],
    ['ideographs next to letters', 'src/日本語.ts', 'src 日本 本語 ts'],
    ['characters outside of the basic plane', '𠮷野家', '𠮷野 野家'],
    ['`__proto__`', '__proto__ constructor', 'proto constructor'],
    ['nothing in signs and pictures', '… -- 😀 ❤️ {}', ''],
    ['nothing in an empty text', '', ''],
    ['nothing in broken characters', '\ud800 \udc00', ''],
  ])('finds %s', (_, text, expected) => {
    expect([...termsOf(text)].join(' ')).toBe(expected);
  });

  it('leaves out data, but not what stands around it', () => {
    const data = 'Ab'.repeat(65);
    expect([...termsOf(`see ${data} and src/${data}`)]).toEqual(['see', 'and', 'src']);
  });

  it('keeps a word that is just short enough', () => {
    expect([...termsOf('x'.repeat(128))]).toEqual(['x'.repeat(128)]);
    expect([...termsOf('x'.repeat(129))]).toEqual([]);
  });

  it('finds terms in lower case, without spaces, and each again in itself', () => {
    const texts = fc.string({ unit: 'binary', maxLength: 40, size: 'max' });
    fc.assert(
      fc.property(texts, (text) => {
        const terms = [...termsOf(text)];
        expect(terms.filter((term) => !/^[^\s\p{Lu}]+$/u.test(term.normalize('NFKC')))).toEqual([]);
        expect(terms.filter((term) => ![...termsOf(term)].includes(term))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});
