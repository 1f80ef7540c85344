import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { BilledPrices, RunEvent } from '../../../src/simulator/events.ts';
import { foldRun, emptyTotals } from '../../../src/simulator/metrics/fold.ts';
import { measure } from '../../../src/simulator/metrics/metrics.ts';
import { type RunTotals } from '../../../src/simulator/metrics/totals.ts';
import { retold } from '../../support/retold.ts';
import * as events from './events.ts';

const FOLDER = join(import.meta.dirname, '../../fixtures/sums');
const FREE = { inputPicoUsd: 0, outputPicoUsd: 0, cacheReadPicoUsd: 0, cacheWritePicoUsd: 0 };
const { unpricedStart, failedSummary, end } = events;

const need = {
  type: 'reference',
  step: 6,
  kind: 'anchor',
  document: 1,
  isRecoverable: true,
  messageId: 's6',
  partId: 'p1',
  partIds: ['p1'],
  sinceStep: 1,
  tokens: 1_000,
};
const standing = {
  type: 'standing',
  at: 'run-end',
  constraints: 3,
  paths: 4,
  goneConstraints: [],
  gonePaths: [],
  fileReads: 7,
  fileRereads: 2,
  callLoops: 1,
};
const pricesOf = (some: object): BilledPrices => ({ ...events.PRICES, ...some });

/** Events by their names, with what a line says of them. */
const NAMED: Readonly<Record<string, (some: object) => object>> = {
  start: (some) => events.start(pricesOf(some)),
  free: () => events.start(FREE),
  changedTo: (some) => events.changedTo(pricesOf(some)),
  need: (some) => ({ ...need, ...some }),
  miss: (some) => ({ ...need, missedBy: 'prune', ...some }),
  standing: (some) => ({ ...standing, ...some }),
  unpricedStart: () => unpricedStart,
  failedSummary: (some) => ({ ...failedSummary, ...some }),
  end: () => end,
  step: events.step,
  summary: events.summary,
  pivot: events.pivot,
  prune: events.prune,
};

/** `3 step`, `step {"isCold": true}` or an event as it is; what is null is absent. */
function eventsOf(word: string): readonly RunEvent[] {
  const [, count, name = '', json = '{}'] = /^(\d+ )?(\w*) ?(.*)$/.exec(word) ?? [];
  if (count !== undefined) return events.steps(Number(count));
  const said = JSON.parse(json === '' ? '{}' : json) as object;
  const event = NAMED[name]?.(said) ?? said;
  return [Object.fromEntries(Object.entries(event).filter(([, value]) => value !== null))] as never;
}

const foldOf = (line: string) => foldRun(line.split(' | ').flatMap(eventsOf));

/** What of a record differs from another one, with what is unknown. */
function differing(some: object, from: object): object {
  const others = new Map<string, unknown>(Object.entries(from));
  const found = Object.entries(some).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(others.get(name)),
  );
  const absent = [...others.keys()].filter((name) => !(name in some));
  return { ...Object.fromEntries(found), ...(absent.length > 0 && { absent }) };
}

/** What a file is about: what events add up to, when what was cleared has paid, or the metrics of a run. */
const TELLERS: Readonly<Record<string, (run: RunTotals, baseline?: RunTotals) => object[]>> = {
  'totals.txt': (totals) => {
    const empty = emptyTotals();
    const apart = { byStep: empty.byStep, paybacks: empty.paybacks, regret: empty.regret };
    return [
      differing({ ...totals, ...apart }, empty),
      Object.fromEntries(totals.byStep),
      differing(totals.regret, empty.regret),
    ];
  },
  'paybacks.txt': ({ paybacks }) => [...paybacks],
  'metrics.txt': (run, baseline) => {
    const measured = (sums: RunTotals) =>
      measure({ run: sums, ...(baseline && { baseline: { name: 'none', totals: baseline } }) });
    return [differing(measured(run), measured(emptyTotals()))];
  },
};

it.each(readdirSync(FOLDER))('what events add up to is what it was: %s', async (name) => {
  const path = join(FOLDER, name);
  const text = retold(path, (line) => {
    const [run, baseline] = line.split(' <- ').map(foldOf);
    const said = TELLERS[name]?.(run as RunTotals, baseline) ?? [];
    return said.map((one) => JSON.stringify(one)).filter((one) => one !== '{}');
  });
  await expect(text).toMatchFileSnapshot(path);
});
