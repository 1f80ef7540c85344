import { Bench, type Statistics } from 'tinybench';

const PERCENT_DIGITS = 1;

/**
 * Measures sides in turn, so that whatever else the machine does meets each of them. A side gives how long a round of it took,
 * of processors or by the clock, in milliseconds; tinybench keeps the books.
 */
export async function takeTurns<Name extends string>(
  rounds: number,
  sides: Readonly<Record<Name, () => number | Promise<number>>>,
): Promise<Readonly<Record<Name, Statistics>>> {
  const entries = Object.entries<() => number | Promise<number>>(sides);
  const samples = entries.map(([name]) => ({ name, taken: [] as number[] }));
  for (let round = 0; round < rounds; round++) {
    for (const [index, [, measure]] of entries.entries())
      samples[index]?.taken.push(await measure());
  }
  const bench = new Bench({ iterations: rounds, time: 0, warmup: false, throws: true });
  for (const { name, taken } of samples) {
    const left = taken.values();
    bench.add(name, () => ({ overriddenDuration: left.next().value }), { async: false });
  }
  await bench.run();
  const books = bench.tasks.map(({ name, result }) => {
    if (!('latency' in result)) throw new Error(`Expected samples of "${name}", got none.`);
    return [name, result.latency] as const;
  });
  return Object.fromEntries(books) as Record<Name, Statistics>;
}

/** The median of some rounds with the interval of their mean, for a note. */
export function showRounds(name: string, { p50, rme, samplesCount }: Statistics): string {
  return `${name}: ${p50.toFixed(0)} ms ± ${rme.toFixed(PERCENT_DIGITS)} % in ${samplesCount} rounds`;
}

/** How long a task takes by the clock, in milliseconds. */
export function clockMs(task: () => unknown): number {
  const start = performance.now();
  task();
  return performance.now() - start;
}

/** How long it takes the processor, which does not run while others do, in milliseconds. */
export function processorMs(task: () => unknown): number {
  const start = process.cpuUsage();
  task();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}
