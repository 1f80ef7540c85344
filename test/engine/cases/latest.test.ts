import { describe, expect, it } from 'vitest';
import { policies, readLatest } from '../../../src/engine/index.ts';
import { marker, step, summary, user } from '../../support/history.ts';
import { final, play, said, type Script } from '../../support/script.ts';

const BITS = 48;
const COUNTER_BITS = 12;
const HEX = 16;
/** An id of the released scheme: the time in ms and a counter, in 48 bits that wrap. */
function idAt(time: number): string {
  const value = (BigInt(time) << BigInt(COUNTER_BITS)) & ((1n << BigInt(BITS)) - 1n);
  return `msg_${value.toString(HEX).padStart(BITS / 4, '0')}`;
}

describe('latest', () => {
  it('latest-002: a marker after a finished summary is pending', () => {
    const latest = readLatest([
      user('msg_001'),
      step('msg_002', [], { parentId: 'msg_001', finish: 'tool-calls' }),
      marker('msg_003'),
      summary('msg_004', 'msg_003'),
      user('msg_005'),
      marker('msg_006'),
    ]);
    expect(latest).toMatchObject({ finished: { id: 'msg_004' }, user: { id: 'msg_006' } });
    expect(latest.pendingMarkers.map(({ id }) => id)).toEqual(['msg_006']);
  });
});

describe('idOrdering', () => {
  const wraps = [
    '2024-06-10T02:35:18.400Z',
    '2026-08-14T11:19:55.136Z',
    '2028-10-17T20:04:31.872Z',
  ];

  it('idOrdering-002: ids of the released scheme start again every 68,719,476,736 ms', () => {
    const times = wraps.map((wrap) => Date.parse(wrap));
    expect(times.slice(1).map((time, index) => time - times[index]!)).toEqual([
      68_719_476_736, 68_719_476_736,
    ]);
    expect(times.map((time) => idAt(time) < idAt(time - 1))).toEqual([true, true, true]);
  });

  it.each(Object.keys(policies))(
    'idOrdering-003: a prompt after the wrap is answered, as no rule compares ids: %s',
    (name) => {
      const wrap = Date.parse(wraps[1]!);
      const [first, answer, second] = [idAt(wrap - 3), idAt(wrap - 2), idAt(wrap)];
      expect(second < answer).toBe(true);
      const script: Script = [
        [said(first), `request ${first}`],
        [final(answer, 1), 'stop finished'],
        [said(second), `request ${first} ${answer} ${second}`],
      ];
      const limits = { contextTokens: 200_000, outputTokens: 32_000 };
      expect(play(policies[name as keyof typeof policies], script, limits).played).toEqual(script);
    },
  );
});
