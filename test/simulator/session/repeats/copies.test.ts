import { describe, expect, it } from 'vitest';
import {
  type CopyCandidate,
  findGrowingCopies,
  toCopyCandidate,
} from '../../../../src/simulator/session/repeats/copies.ts';
import { markMessages } from '../../../../src/simulator/session/repeats/marks.ts';
import { prompt, readLines } from '../claude-lines.ts';

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

const shorter = candidate('shorter', 'ab');

describe('findGrowingCopies', () => {
  it.each<[string, readonly CopyCandidate[], readonly (readonly [string, string])[]]>([
    [
      'a session that another one continues',
      [shorter, candidate('longer', 'abc')],
      [['shorter', 'longer']],
    ],
    ['in whatever order they come', [candidate('longer', 'abc'), shorter], [['shorter', 'longer']]],
    [
      'all but the longest',
      [shorter, candidate('longest', 'abcd'), candidate('longer', 'abc')],
      [
        ['longer', 'longest'],
        ['shorter', 'longest'],
      ],
    ],
    ['the second of two equal ones', [shorter, candidate('twin', 'ab')], [['twin', 'shorter']]],
    [
      'the same one whichever comes first',
      [candidate('twin', 'ab'), shorter],
      [['twin', 'shorter']],
    ],
    ['no session that goes another way', [shorter, candidate('fork', 'acd')], []],
    ['no session with another id', [shorter, candidate('other', 'abc', { sessionId: 't' })], []],
    ['no session of another format', [shorter, candidate('other', 'abc', { format: 'g' })], []],
    ['no main session for a side one', [shorter, candidate('side', 'abc', { isSide: true })], []],
    [
      'no session without an id',
      ['abc', 'ab'].map((ids) => {
        const { sessionId: _none, ...unnamed } = candidate(ids, ids);
        return unnamed;
      }),
      [],
    ],
  ])('finds %s', (_, sessions, expected) => {
    const found = findGrowingCopies(sessions).map(({ name, copyOf }) => [name, copyOf]);
    expect(found).toEqual(expected);
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
