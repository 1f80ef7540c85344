import { policies } from '../../../../src/engine/index.ts';
import { type CellContent, toCell } from '../../../../src/simulator/sweep/grid.ts';
import type { SweepHeader } from '../../../../src/simulator/sweep/store/header.ts';

const CELL = toCell({
  settings: {},
  policy: policies.none,
  model: { id: 'model' } as CellContent['model'],
  summarizer: 'extractive',
});

/** A sweep of one session with three trials. */
export const HEADER: SweepHeader = {
  schemaVersion: 1,
  sweep: 'one',
  version: '0.0.0',
  mode: 'open-loop',
  shard: { index: 1, count: 1 },
  catalog: { source: 'shipped', hash: '' },
  axes: [],
  seeds: [1, 2, 3],
  cells: [CELL],
  sessions: [{ name: 'session', hash: 'a' }],
  unread: [],
};

/** Where its rows stand. */
export const PLACES = [0, 1, 2];

/** The row of a place. */
export const rowOf = (place: number) => ({
  place,
  line: JSON.stringify({
    session: 'session',
    sessionHash: 'a',
    cell: CELL.id,
    policy: CELL.policy.name,
    model: CELL.model.id,
    summarizer: CELL.summarizer,
    settings: CELL.settings,
    seed: place + 1,
    state: 'completed',
    metrics: { steps: 10 ** place },
    eventDigest: 'd',
  }),
});
/** The file that holds them all. */
export const SORTED = PLACES.map((place) => `${rowOf(place).line}\n`).join('');
