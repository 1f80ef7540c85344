import {
  array,
  assert,
  boolean,
  constantFrom,
  nat,
  pre,
  property,
  record,
  uniqueArray,
} from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readSessions } from '../../../src/simulator/session/load.ts';
import {
  type CopyCandidate,
  findFamilies,
  findGrowingCopies,
  findRepeats,
  findSharedBeginnings,
  markMessages,
  toCopyCandidate,
} from '../../../src/simulator/session/find-copies.ts';
import { withOperationCount } from '../../support/count-operations.ts';
import {
  boundary,
  call,
  prompt,
  readLines,
  result,
  say,
  step,
  summary,
  transcript,
} from './formats/claude-code-lines.ts';

function candidate(name: string, ids: string, over: Partial<CopyCandidate> = {}): CopyCandidate {
  return {
    name,
    format: 'f',
    sessionId: 's',
    isSide: false,
    isPartial: false,
    idMarks: Float64Array.from(ids, (id) => id.codePointAt(0) ?? 0),
    marks: markMessages({ format: 'f', messages: [] }),
    size: ids.length,
    ...over,
  };
}

const unnamed = (ids: string): CopyCandidate => {
  const { sessionId: _none, ...rest } = candidate(ids, ids);
  return rest;
};
const shorter = candidate('shorter', 'ab');

describe('findGrowingCopies', () => {
  it.each<[string, readonly CopyCandidate[], string]>([
    ['what another one continues', [shorter, candidate('longer', 'abc')], 'shorter longer'],
    ['it in whatever order they come', [candidate('longer', 'abc'), shorter], 'shorter longer'],
    [
      'all but the longest',
      [shorter, candidate('longest', 'abcd'), candidate('longer', 'abc')],
      'longer longest, shorter longest',
    ],
    ['the second of two equal ones', [shorter, candidate('twin', 'ab')], 'twin shorter'],
    ['the same one whichever comes first', [candidate('twin', 'ab'), shorter], 'twin shorter'],
    ['no session that goes another way', [shorter, candidate('fork', 'acd')], ''],
    ['no session with another id', [shorter, candidate('other', 'abc', { sessionId: 't' })], ''],
    ['no session of another format', [shorter, candidate('other', 'abc', { format: 'g' })], ''],
    ['no main session for a side one', [shorter, candidate('side', 'abc', { isSide: true })], ''],
    ['no session without an id', ['abc', 'ab'].map((ids) => unnamed(ids)), ''],
  ])('finds %s', (_, sessions, expected) => {
    const found = findGrowingCopies(sessions).map(({ name, copyOf }) => `${name} ${copyOf}`);
    expect(found.join(', ')).toBe(expected);
  });

  it('needs no more of a session than its identity, and the ids and marks of its messages', () => {
    expect(toCopyCandidate(readLines(prompt('x'), prompt('y')))).toEqual({
      name: 'kettle.jsonl',
      format: 'claude-code',
      sessionId: 'kettle',
      isSide: false,
      isPartial: false,
      idMarks: expect.any(Float64Array),
      marks: { ofMessages: expect.any(Float64Array), least: Number.POSITIVE_INFINITY },
      size: expect.any(Number),
    });
  });

  it('takes the one whose last message has grown, and says which of two is shorter', () => {
    const grown = candidate('grown', 'ab', { size: 9 });
    expect(findGrowingCopies([shorter, grown])).toEqual([
      { name: 'shorter', copyOf: 'grown', isShorter: true },
    ]);
    expect(findGrowingCopies([grown, candidate('twin', 'ab', { size: 9 })])).toEqual([
      { name: 'twin', copyOf: 'grown', isShorter: false },
    ]);
  });

  it('sees a tool result that came later', () => {
    const early = toCopyCandidate(readLines(prompt('x')));
    expect(toCopyCandidate(readLines(prompt('x and more'))).size).toBeGreaterThan(early.size);
  });
});

/** A session whose messages are letters; the first step is its second message. */
function marked(name: string, letters: string, isPartial = false) {
  const ofMessages = Float64Array.from(letters, (letter) => letter.codePointAt(0) ?? 0);
  return { name, isPartial, size: letters.length, marks: { ofMessages, least: 2 } };
}

/** Such sessions from words of a name and letters; one with an `S` in front is partial. */
function markedIn(words: string): readonly Marked[] {
  return words.split(' ').map((word) => {
    const [name = '', letters = ''] = word.split(':');
    return marked(name, letters, letters.startsWith('S'));
  });
}

/** Looks for more of a session in another than chance explains. */
function isStartIn({ isPartial, marks: { ofMessages, least } }: Marked, { marks }: Marked) {
  const text = ` ${marks.ofMessages.join(' ')} `;
  const starts = isPartial ? [0, 1] : [0];
  return starts.some((start) => {
    const own = ofMessages.slice(start, Math.max(least, start + 1));
    return own.length > 0 && text.includes(` ${own.join(' ')} `);
  });
}

type Marked = ReturnType<typeof marked>;

describe('findFamilies', () => {
  it.each<[string, string, string]>([
    ['two forks', 'b:abcx a:abcdef', 'ab'],
    ['two families, and who stands alone in none', 'a:abx b:cdx c:efg d:aby e:cdy', 'ad be'],
    ['who goes on from the middle of forks', 'c:Scdxyz b:abcd a:abq', 'abc'],
    ['forks that go on in the middle of two others', 'a:pqab b:xpqrs c:ypqab d:pqrs', 'abcd'],
    ['no one who shares less than a step', 'a:axy b:abc', ''],
  ])('finds %s', (_, words, groups) => {
    const found = groups
      .split(' ')
      .flatMap((own) => Array.from(own, (name) => [name, own[0]] as const));
    const sessions = markedIn(words);
    expect(findFamilies(sessions)).toEqual(new Map(found));
    expect(findFamilies(sessions.toReversed())).toEqual(findFamilies(sessions));
  });

  it('finds none where no step can be told from others', () => {
    const sessions = [marked('a', 'abc'), marked('b', 'abd')].map((session) => ({
      ...session,
      marks: { ...session.marks, least: Number.POSITIVE_INFINITY },
    }));
    expect(findFamilies(sessions)).toEqual(new Map());
  });

  it('has every session together with the one that it shares its beginning with', () => {
    const letters = array(constantFrom('a', 'b', 'c'), { minLength: 2, maxLength: 5 });
    const sessions = array(record({ letters, isPartial: boolean() }), {
      minLength: 3,
      maxLength: 6,
    });
    assert(
      property(sessions, (drawn) => {
        const all = drawn.map((one, index) =>
          marked(`s${index}`, one.letters.join(''), one.isPartial),
        );
        const shared = findSharedBeginnings(all);
        pre(shared.length > 0);
        const families = findFamilies(all);
        for (const { name, sharedWith } of shared) {
          expect(families.get(name)).toBeDefined();
          expect(families.get(name)).toBe(families.get(sharedWith));
        }
        // Nobody else is in a family: each member begins with what another one holds, or holds what another one begins with.
        for (const [name, first] of families) {
          const own = all.find((one) => one.name === name)!;
          const others = all.filter((one) => one !== own && families.get(one.name) === first);
          expect(others.some((other) => isStartIn(own, other) || isStartIn(other, own))).toBe(true);
        }
      }),
    );
  });
});

const candidatesIn = (name: string, text: string) => readSessions(name, text).map(toCopyCandidate);
const repeatsIn = (...files: readonly (readonly [string, string])[]) =>
  findRepeats(files.flatMap(([name, text]) => candidatesIn(name, text)));
/** A recording with every match of a pattern put otherwise. */
const renamed = (text: string, pattern: RegExp, by: string) => text.replaceAll(pattern, by);

const beginning = [
  prompt('The kettle rings too late.'),
  step('m1', call('c1')),
  result('c1'),
  step('m2', say('Found it.')),
];

/** A message of OpenCode. */
const messageOf = (index: number, id: string) => ({
  info: { id, role: index % 2 === 0 ? 'user' : 'assistant', time: { created: 1000 + index } },
  parts: [{ id: `prt_${id}`, type: 'text', text: `text ${index}` }],
});

/** An export of OpenCode. */
const exported = (id: string, indices: readonly number[]) =>
  JSON.stringify({
    info: { id, version: '1.14.51', time: { created: 1, updated: 2 } },
    messages: indices.map((index) => messageOf(index, `msg_${id}_${index}`)),
  });

/** A rollout of Codex. */
const rollout = (id: string, minute: number, said: readonly object[]) =>
  [
    { type: 'session_meta', payload: { id } },
    ...said.map((payload) => ({ type: 'response_item', payload })),
  ]
    .map((line, index) =>
      JSON.stringify({ timestamp: `2026-01-02T03:0${minute}:0${index}.000Z`, ...line }),
    )
    .join('\n');
const ask = (text: string) => ({
  type: 'message',
  role: 'user',
  content: [{ type: 'input_text', text }],
});
const called = (id: string) => [
  { type: 'function_call', name: 'shell', arguments: '{}', call_id: id },
  { type: 'function_call_output', call_id: id, output: 'ok' },
];

/** Each member with the first of its family. */
const families = (...groups: readonly (readonly string[])[]) =>
  new Map(groups.flatMap((members) => members.map((member) => [member, members[0]])));

describe('findRepeats', () => {
  const old = transcript(...beginning);
  const resumed = renamed(
    transcript(...beginning, prompt('Mend it.'), step('m3', say('Done.'))),
    /"sessionId":"kettle"/g,
    '"sessionId":"cup"',
  );

  it('leaves out a session of Claude Code that was resumed under another id', () => {
    expect(repeatsIn(['old', old], ['resumed', resumed])).toEqual({
      copies: [{ name: 'old', copyOf: 'resumed', isShorter: true }],
      shared: [],
      families: new Map(),
    });
  });

  it('tells where a fork begins with messages of a session that went on', () => {
    const longer = transcript(...beginning, prompt('Leave it.'), step('m4', say('As you wish.')));
    expect(repeatsIn(['longer', longer], ['fork', resumed])).toEqual({
      copies: [],
      shared: [{ name: 'fork', sharedWith: 'longer', messages: 3 }],
      families: families(['fork', 'longer']),
    });
  });

  it('finds what was resumed behind a compaction in the middle of the old session', () => {
    const kept = [prompt('And the cup?'), step('m5', say('It is whole.'))];
    const whole = transcript(...beginning, boundary, summary, ...kept);
    const records = whole.split('\n').slice(beginning.length).join('\n');
    const more = [
      prompt('Pour.'),
      step('m6', say('Poured.')),
      prompt('More.'),
      step('m7', say('No.')),
    ];
    const goesOn = transcript(...Array<typeof summary>(8).fill(boundary), ...more)
      .split('\n')
      .slice(8);
    const text = renamed(records + goesOn.join('\n'), /"kettle"/g, '"cup"');
    expect(repeatsIn(['whole', whole], ['resumed', text])).toEqual({
      copies: [],
      shared: [{ name: 'resumed', sharedWith: 'whole', messages: 2 }],
      families: families(['resumed', 'whole']),
    });
  });

  it('knows a fork of OpenCode by its times, for its ids are new', () => {
    expect(
      repeatsIn(
        ['fork', exported('ses_2', [0, 1, 8, 9])],
        ['old', exported('ses_1', [0, 1, 2, 3, 4])],
      ),
    ).toEqual({
      copies: [],
      shared: [{ name: 'fork', sharedWith: 'old', messages: 2 }],
      families: families(['fork', 'old']),
    });
  });

  it('knows a fork of Codex by its calls, for it was dated anew', () => {
    const kept = rollout('one', 1, [
      ask('Boil.'),
      ...called('call_1'),
      ask('Pour.'),
      ...called('call_2'),
    ]);
    const fork = rollout('two', 2, [ask('Boil.'), ...called('call_1'), ask('Wait.')]);
    expect(repeatsIn(['old', kept], ['fork', fork])).toEqual({
      copies: [],
      shared: [{ name: 'fork', sharedWith: 'old', messages: 2 }],
      families: families(['fork', 'old']),
    });
    const other = rollout('three', 3, [ask('Boil.'), ...called('call_3'), ask('Wait.')]);
    expect(repeatsIn(['old', kept], ['other', other]).shared).toEqual([]);
  });

  it('takes sessions without times that say the same for sessions of their own', () => {
    const chat = JSON.stringify([
      { role: 'user', content: 'Boil.' },
      { role: 'assistant', content: 'Boiling.' },
    ]);
    expect(repeatsIn(['one', chat], ['other', chat])).toEqual({
      copies: [],
      shared: [],
      families: new Map(),
    });
  });

  it('leaves out no sub-agent for its parent, which may begin alike', () => {
    const [one] = candidatesIn('main', old);
    const [other] = candidatesIn('side', resumed);
    const { copies, shared } = findRepeats([{ ...one!, isSide: true }, other!]);
    expect(copies).toEqual([]);
    expect(shared).toEqual([{ name: 'main', sharedWith: 'side', messages: 3 }]);
  });

  it('names of a copy of a copy the session that is counted', () => {
    const growing = transcript(...beginning.slice(0, 2));
    const { copies } = repeatsIn(['first', growing], ['old', old], ['resumed', resumed]);
    expect(copies.map(({ name, copyOf }) => [name, copyOf])).toEqual([
      ['first', 'resumed'],
      ['old', 'resumed'],
    ]);
  });

  it('names of what is shared with a copy the session that is counted', () => {
    const sessions = markedIn('old:abcdef end:Sbcd fork:Sbcx');
    const candidates = sessions.map((one) =>
      candidate(one.name, '', { ...one, sessionId: one.name }),
    );
    expect(findRepeats(candidates)).toEqual({
      copies: [{ name: 'end', copyOf: 'old', isShorter: true }],
      shared: [{ name: 'fork', sharedWith: 'old', messages: 3 }],
      families: families(['fork', 'old']),
    });
  });
});

describe('findSharedBeginnings', () => {
  const found = (sessions: readonly Marked[]) =>
    findSharedBeginnings(sessions)
      .map((one) => `${one.name} ${one.sharedWith} ${one.messages}`)
      .join(', ');

  it.each<[string, string, string]>([
    ['a session that goes another way', 'fork:abcxy long:abcdefg', 'fork long 3'],
    ['every one of several', 'one:abcx two:abyz long:abcde', 'one long 3, two long 2'],
    ['what forks share beyond it', 'one:abxyz two:abxy long:abcdefg', 'one long 2, two one 4'],
    ['the second by name of two alike', 'b:abc a:abc', 'b a 3'],
    ['what goes on from the middle, however long', 'resumed:Scdefghij old:abcd', 'resumed old 3'],
    ['what goes on behind the first message', 'resumed:Sbcdefghij old:abcd', 'resumed old 4'],
    ['one that begins with a summary', 'resumed:Sabcd other:abcdefg', 'resumed other 5'],
    ['the other one where it is shorter', 'resumed:Sabcdef other:abcd', 'other resumed 4'],
    ['nothing behind a first message that differs', 'a:Xbcd b:abcd', ''],
    ['no greeting that nobody answered', 'a:axyz b:abcd', ''],
    ['nothing in sessions without a beginning in common', 'a:abc b:def', ''],
  ])('finds %s', (_, words, expected) => {
    const sessions = markedIn(words);
    expect(found(sessions)).toBe(expected);
    expect(found(sessions.toReversed())).toBe(expected);
  });

  it('finds nothing where no step can be told from others', () => {
    const [one, other] = [marked('one', 'abcd'), marked('other', 'abc')].map((session) => ({
      ...session,
      marks: { ...session.marks, least: Number.POSITIVE_INFINITY },
    }));
    expect(findSharedBeginnings([one!, other!])).toEqual([]);
  });

  it('counts every message of a family of forks once, whatever the order of the files', () => {
    // Each session is a path in a tree: a letter, then a branch of the one before.
    const path = array(constantFrom('l', 'r'), { minLength: 1, maxLength: 6 });
    const paths = uniqueArray(path, { minLength: 2, maxLength: 6, selector: String });
    assert(
      property(paths, nat(), (family, turn) => {
        const sessions = family.map((steps) => {
          const nodes = ['', ...steps].map((_, index) => steps.slice(0, index).join(''));
          const ofMessages = Float64Array.from(nodes, (node) =>
            Number.parseInt(`1${toBits(node)}`, 2),
          );
          const name = steps.join('');
          return { name, isPartial: false, size: 0, marks: { ofMessages, least: 1 } };
        });
        const shift = turn % sessions.length;
        const shared = findSharedBeginnings([
          ...sessions.slice(shift),
          ...sessions.slice(0, shift),
        ]);
        expect(shared).toEqual(findSharedBeginnings(sessions));
        const skipped = new Map(shared.map(({ name, messages }) => [name, messages]));
        const counted = sessions.flatMap(({ name, marks }) => [
          ...marks.ofMessages.subarray(skipped.get(name) ?? 0),
        ]);
        const all = sessions.flatMap(({ marks }) => [...marks.ofMessages]);
        expect(counted).toHaveLength(new Set(all).size);
        expect(new Set(counted)).toEqual(new Set(all));
      }),
    );
  });
});

const toBits = (path: string) => path.replaceAll('l', '0').replaceAll('r', '1');
const SESSIONS = 100;
/** Comparing all with all would make it four. */
const MOST_GROWTH = 2.3;
const load = () => import('../../../src/simulator/session/find-copies.ts');

it.each<[string, Partial<CopyCandidate>]>([
  ['their first message', {}],
  ['what stands behind a summary', { isPartial: true }],
])(
  'looking for forks among sessions that share only %s takes time by their number',
  async (_, over) => {
    const growth = await withOperationCount(load, ({ findRepeats }, count) => {
      const operationsOf = (sessions: number) =>
        count.during(() => {
          const found = findRepeats(
            Array.from({ length: sessions }, (__, index) => candidateOfRepeatsCost(index, over)),
          );
          expect(found).toEqual({ copies: [], shared: [], families: new Map() });
        });
      operationsOf(1);
      return operationsOf(2 * SESSIONS) / operationsOf(SESSIONS);
    });
    expect(growth).toBeLessThan(MOST_GROWTH);
  },
);

/** The same prompt, before which another one may stand, and an answer that no other has. */
function candidateOfRepeatsCost(index: number, over: Partial<CopyCandidate>): CopyCandidate {
  const own = 10 * index;
  const prompts = over.isPartial ? [own + 2, 1] : [1];
  const ofMessages = Float64Array.from([...prompts, own + 3, own + 4]);
  const least = prompts.length + 1;
  const name = `session-${index}`;
  const marks = { ofMessages, least };
  return candidate(name, '', { sessionId: name, idMarks: ofMessages, marks, size: 10, ...over });
}
