import { expect, it } from 'vitest';
import { generateRenderers, type GenerateReport } from '../../../src/cli/commands/generate.ts';
import type { HitRates } from '../../../src/simulator/metrics/published.ts';

const rateOf = (interval: { low: number; high: number } | null): HitRates => ({
  perSession: { value: 0.2, interval },
  perThousandSteps: { value: 4, interval },
});
const known = rateOf({ low: 0.1, high: 0.3 });
const unknown = rateOf(null);
const pair = { workload: 7, generated: 8 };
const reportOf = (generated: HitRates, workload: HitRates | null): GenerateReport => ({
  origin: {
    version: '1.2.3',
    catalog: { source: 'shipped', hash: 'abc' },
    tokenizers: {},
    settings: {},
  },
  workload: { name: 'mine', describes: '6 sessions of your own', source: 'x' },
  sessions: 2,
  seed: 1,
  figures: [
    { figure: 'a', n: 2, workloadN: 9, distance: 0.5, chanceDistance: 1, p50: pair, p90: pair },
  ],
  hits: [{ thresholdTokens: null, generated, workload, isWithinNoise: null }],
  published: [],
});
const shown = (report: GenerateReport) => generateRenderers.table(report, { colors: false });

it.each<[string, HitRates, HitRates | null, string]>([
  ['too few are generated', unknown, known, 'The generated sessions are too few'],
  ['the workload has no interval', known, unknown, 'The workload tells too little'],
  ['both have none', unknown, unknown, 'The workload tells too little'],
  ['the workload has none of them', unknown, null, 'The workload tells too little'],
])('hits are not judged where %s', (_, generated, workload, lack) => {
  expect(shown(reportOf(generated, workload))).toContain(` ${lack} to judge them.\n`);
});

it('no two columns have one title, and the workload is named', () => {
  const lines = shown(reportOf(known, known)).split('\n');
  const titles = (first: string) => lines.find((line) => line.startsWith(first))!.split(/ {2,}/);
  for (const own of [titles('Figure'), titles('Threshold hits')])
    expect(new Set(own).size).toBe(own.length);
  expect(lines).toContain(
    '2 sessions, seed 1, drawn from the workload mine (6 sessions of your own).',
  );
});
