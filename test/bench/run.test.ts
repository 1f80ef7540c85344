import { describe, expect, it } from 'vitest';
import { runBench } from '../../bench/run.ts';
import type { Figure, Suite } from '../../bench/suite.ts';
import { HarnessError } from '../../src/simulator/lib/errors.ts';

const SPEED: Figure = { name: 'kettle.litresPerMinute', value: 12_345.678, unit: 'l/min' };

function suiteOf(id: string, ...figures: readonly Figure[]): Suite {
  return { id, name: `About ${id}`, run: () => Promise.resolve({ notes: ['2 kettles'], figures }) };
}

const kettle = suiteOf('kettle', SPEED, { ...SPEED, name: 'kettle.ratio', atLeast: 2 });
const cup = suiteOf('cup', { name: 'cup.seconds', value: 3, unit: 's', atMost: 5 });

async function bench(args: readonly string[], suites: readonly Suite[] = [kettle, cup]) {
  const lines: string[] = [];
  const exitCode = await runBench(suites, args, (line) => lines.push(line));
  return { exitCode, output: lines.join('\n') };
}

describe('runBench', () => {
  it('prints a figure a line, with what it has to be', async () => {
    expect(await bench([])).toMatchInlineSnapshot(`
      {
        "exitCode": 0,
        "output": "About kettle
        2 kettles
        kettle.litresPerMinute: 12,350 l/min
        kettle.ratio: 12,350 l/min (at least 2)
      About cup
        2 kettles
        cup.seconds: 3 s (at most 5)",
      }
    `);
  });

  it('prints the figures of all suites as one list of JSON and nothing else', async () => {
    const { output } = await bench(['--json']);
    expect(JSON.parse(output)).toEqual([
      { name: 'kettle.litresPerMinute', value: 12_345.678, unit: 'l/min' },
      { name: 'kettle.ratio', value: 12_345.678, unit: 'l/min' },
      { name: 'cup.seconds', value: 3, unit: 's' },
    ]);
  });

  it('runs only the suites that are asked for', async () => {
    const { output } = await bench(['--json', '--suite', 'cup']);
    expect(JSON.parse(output)).toEqual([{ name: 'cup.seconds', value: 3, unit: 's' }]);
  });

  it.each([
    [
      ['--suite', 'pot'],
      "Unknown suite 'pot'; nearest: cup, kettle. Expected one of: kettle, cup.",
    ],
    [['--suite'], "Option '--suite <value>' argument missing"],
    [['--sweet'], "Unknown option '--sweet'"],
  ])('says what is wrong with %j', async (args, message) => {
    const failed = bench(args);
    await expect(failed).rejects.toThrow(message);
    await expect(failed).rejects.toBeInstanceOf(HarnessError);
  });

  it.each<[what: string, figure: Partial<Figure>, exitCode: number]>([
    ['a figure without bounds', {}, 0],
    ['a figure on its floor', { value: 2, atLeast: 2 }, 0],
    ['a figure below its floor', { value: 1.99, atLeast: 2 }, 1],
    ['a figure on its ceiling', { value: 2, atMost: 2 }, 0],
    ['a figure above its ceiling', { value: 2.01, atMost: 2 }, 1],
    ['a figure that is no number', { value: Number.NaN, atLeast: 2 }, 1],
  ])('ends with the right code for %s', async (_, figure, exitCode) => {
    const suites = [suiteOf('one', { ...SPEED, ...figure }), cup];
    expect(await bench([], suites)).toMatchObject({ exitCode });
    expect(await bench(['--json'], suites)).toMatchObject({ exitCode });
  });
});
