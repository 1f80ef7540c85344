import { readFileSync, writeFileSync } from 'node:fs';
import { binomialDistribution } from 'simple-statistics';
import { describe, expect, it } from 'vitest';
import { alignedTable } from '../../../../scripts/page-blocks.ts';
import { createRandom } from '../../../../src/simulator/env.ts';
import { sum } from '../../../../src/simulator/lib/collections.ts';
import { judgeArms } from '../../../../src/simulator/metrics/statistics/judge-arms.ts';

/** Dollars under both arms. */
type Spend = readonly [base: number, arm: number];

const PAGE = 'docs/reference/numbers.md';
const BLOCK = /(<!-- coverage -->\n)[\s\S]*?(\n<!-- end of coverage -->)/;
const DRAWS = 300;
const SIZES = [10, 20, 40, 100, 200];
const LEAST_DIFFERING = 10;
/** Expected share of draws; so rare ones have an interval where by chance more sessions differ than should. */
const RARE = 0.05;
const random = createRandom(11);
const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

const lognormal = Array.from({ length: 20_000 }, (_, index): Spend => {
  const base = Math.exp(normal());
  return [base, index % 2 === 0 ? base : base * Math.exp(0.3 * normal() - 0.5)];
});
const recorded = readFileSync('test/fixtures/recorded-differences.txt', 'utf8')
  .replaceAll(/^#.*/gm, '')
  .match(/\S+/g)!
  .map((pair) => pair.split('/').map(Number) as unknown as Spend);

const differs = ([base, arm]: Spend) => base !== arm;
const cells = Object.entries({ lognormal, recorded }).flatMap(([kind, all]) =>
  [1, 0.3, 0.1].flatMap((share) => SIZES.map((size) => ({ kind, share, size, all }))),
);
const isRare = ({ share, size }: (typeof cells)[number]) =>
  sum(binomialDistribution(size, share)!.slice(LEAST_DIFFERING)) < RARE;

/** Of a hundred draws, how many have an interval, and how many of those hold the truth. */
function cover({ all, share, size }: (typeof cells)[number]) {
  const differing = all.filter(differs);
  const same = all.filter((spend) => !differs(spend));
  const [base = 0, arm = 0] = [0, 1].map((place) => {
    const meanOf = (spends: readonly Spend[]) =>
      sum(spends.map((spend) => spend[place] ?? 0)) / spends.length;
    return share * meanOf(differing) + (1 - share) * meanOf(same);
  });
  let [given, held] = [0, 0];
  for (let draw = 0; draw < DRAWS; draw++) {
    const pairs = Array.from({ length: size }, (_, index) => {
      const from = random() < share ? differing : same;
      const spend = from[Math.floor(random() * from.length)]!;
      return {
        cluster: `session ${index}`,
        base: spend[0],
        arm: spend[1],
        differs: differs(spend),
      };
    });
    // With a failure nobody works out how many sessions would do; the interval is the same.
    const [judged] = judgeArms([{ pairs, failed: 1 }]);
    const { interval, from, differingFamilies } = judged!;
    if ((interval === null) !== differingFamilies < LEAST_DIFFERING) throw new Error('Not counted');
    if (interval === null) continue;
    given += 1;
    if (interval.low <= (from * arm) / base && interval.high >= (from * arm) / base) held += 1;
  }
  return { given: (100 * given) / DRAWS, held: (100 * held) / given };
}

const shown = new Map(cells.map((cell) => [cell, cover(cell)]));

function tableOf(): string {
  const titles = ['Sessions that differ', 'Differences', ...SIZES.map((size) => `of ${size}`)];
  const rows = cells
    .filter(({ size }) => size === SIZES[0])
    .map(({ kind, share }) => [
      share === 1 ? 'all' : `${100 * share} %`,
      kind,
      ...cells
        .filter((cell) => cell.kind === kind && cell.share === share)
        .map((cell) => {
          const { given, held } = shown.get(cell)!;
          return isRare(cell) ? 'too few' : `${held.toFixed(1)} (${given.toFixed(0)})`;
        }),
    ]);
  return alignedTable(titles, rows);
}

describe('the interval of a total', () => {
  it.each(cells)('holds the truth: $size sessions, $share of them differ, $kind', (cell) => {
    const { given, held } = shown.get(cell)!;
    const { size, share } = cell;
    expect(isRare(cell) ? 92 : held).toBeGreaterThanOrEqual(92);
    const least = size * share >= 30 ? 95 : size * share >= 20 ? 90 : 0;
    expect(given).toBeGreaterThanOrEqual(share === 1 ? 100 : least);
  });

  it('has its table in the page of numbers', () => {
    const page = readFileSync(PAGE, 'utf8');
    const written = page.replace(BLOCK, `$1\n${tableOf()}\n$2`);
    expect(page).toMatch(BLOCK);
    if (process.env['COMPACTION_BENCH_WRITE_DOCS'] === '1') writeFileSync(PAGE, written);
    expect(readFileSync(PAGE, 'utf8')).toBe(written);
  });
});
