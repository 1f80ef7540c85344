import { describe, expect, it } from 'vitest';
import {
  findObjective,
  type Observation,
} from '../../../../src/simulator/sweep/tune/tune-table.ts';
import { judgeScreen } from '../../../../src/simulator/sweep/tune/points.ts';

/** What ten sessions come to in a cell. */
const runsOf = (
  cell: string,
  costUsd: number,
  misses: number,
  more: Partial<Observation> = {},
): readonly Observation[] =>
  Array.from({ length: 10 }, (_, session) => ({
    cell,
    session: `s${session}`,
    state: 'completed',
    digest: cell,
    values: { costUsd, misses, unrecoverableMisses: 1, refusals: 0 },
    ...more,
  }));

const point = (
  key: 'triggerFraction' | 'reserved' | 'protect' | 'charsPerToken',
  value: number,
) => ({
  key,
  value,
  cell: `${key} ${value}`,
});

const SOURCES = {
  points: [
    point('reserved', 10),
    point('triggerFraction', 0.5),
    point('triggerFraction', 0.9),
    point('protect', 1),
    point('charsPerToken', 8),
  ],
  observations: [
    ...runsOf('today', 10, 9),
    ...runsOf('reserved 10', 9, 12),
    ...runsOf('triggerFraction 0.5', 8, 15),
    ...runsOf('triggerFraction 0.9', 11, 5),
    ...runsOf('protect 1', 10.05, 9),
    ...runsOf('charsPerToken 8', 5, 9),
  ],
  today: 'today',
  objectives: [findObjective('cost')],
  bounded: [] as readonly string[],
  isReadable: () => true,
};

const variedIn = (changed: Partial<typeof SOURCES>) =>
  judgeScreen({ ...SOURCES, ...changed }).axes.map(({ key }) => key);

describe('judgeScreen', () => {
  it('varies what moves cost or losses by more than 1 %, of the trigger one setting', () => {
    const { axes, tried } = judgeScreen(SOURCES);
    expect(axes).toEqual([{ key: 'triggerFraction', values: [0.5, 0.9] }]);
    expect(tried).toMatchObject([
      { setting: 'reserved', matters: true, isVaried: false },
      { setting: 'triggerFraction', matters: true, isVaried: true, leastCost: -0.2 },
      { setting: 'protect', matters: false, isVaried: false },
      { setting: 'charsPerToken', matters: true, isVaried: false },
    ]);
  });

  it('varies what moves losses alone, of either kind', () => {
    const lost = { values: { costUsd: 10, misses: 9, unrecoverableMisses: 2, refusals: 0 } };
    const observations = [...runsOf('today', 10, 9), ...runsOf('protect 1', 10, 9, lost)];
    expect(variedIn({ observations })).toEqual(['protect']);
  });

  it('is moved by no value under which a run is refused', () => {
    const observations = [
      ...runsOf('today', 10, 9),
      ...runsOf('triggerFraction 0.9', 1, 0, { state: 'refused' }),
    ];
    expect(variedIn({ observations })).toEqual([]);
  });
});

it('combines the cheapest value of a setting and that which loses least', () => {
  const { axes } = judgeScreen({ ...SOURCES, bounded: ['protect'] });
  expect(axes).toEqual([
    { key: 'protect', values: [1] },
    { key: 'triggerFraction', values: [0.5, 0.9] },
  ]);
});
