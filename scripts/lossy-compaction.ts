import { compactRepeatedly, REPEATED, WAYS } from './reproductions/repeated-compaction.ts';

const SEEDS = Array.from({ length: 20 }, (_, index) => index + 1);

const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
const mean = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

process.stdout.write(`${REPEATED.rounds} rounds, each line kept with ${REPEATED.keep} a pass:\n`);
for (const way of WAYS) {
  const results = SEEDS.map((seed) => compactRepeatedly(way, seed));
  const kept = percent(mean(results.map(({ retention }) => retention)));
  const passes = mean(results.map(({ meanPasses }) => meanPasses)).toFixed(1);
  process.stdout.write(`  ${way}: ${kept} kept, ${passes} passes a fact\n`);
}
