import { parseArgs } from 'node:util';
import { badOption, messageOf } from '../src/simulator/lib/errors.ts';
import { named } from '../src/simulator/lib/names.ts';
import { type Figure, isGood, type Suite } from './suite.ts';

/** A printer for one line of the results. */
export type PrintLine = (line: string) => void;

/** Digits that tell two measurements apart. */
const SIGNIFICANT_DIGITS = 4;

/** Measures the suites that the arguments ask for; the exit code, 1 where a figure is not good enough. Throws a `HarnessError` at arguments that are wrong. */
export async function runBench(
  suites: readonly Suite[],
  args: readonly string[],
  print: PrintLine,
): Promise<number> {
  const { json, suite: ids } = readOptions(args);
  const figures: Figure[] = [];
  for (const suite of chosen(suites, ids)) {
    const result = await suite.run();
    figures.push(...result.figures);
    if (!json) for (const line of toLines(suite, result)) print(line);
  }
  if (json) {
    print(
      JSON.stringify(
        figures.map(({ name, value, unit }) => ({ name, value, unit })),
        null,
        2,
      ),
    );
  }
  return figures.every(isGood) ? 0 : 1;
}

function readOptions(args: readonly string[]) {
  const options = {
    json: { type: 'boolean', default: false },
    suite: { type: 'string', multiple: true },
  } as const;
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw badOption(messageOf(error), { cause: error });
  }
}

function chosen(suites: readonly Suite[], ids: readonly string[] | undefined): readonly Suite[] {
  if (ids === undefined) return suites;
  const byId = Object.fromEntries(suites.map((suite) => [suite.id, suite]));
  const wanted = ids.map((id) => named('suite', byId, id));
  return suites.filter((suite) => wanted.includes(suite));
}

function toLines({ name }: Suite, { notes, figures }: Awaited<ReturnType<Suite['run']>>): string[] {
  return [name, ...[...notes, ...figures.map(toLine)].map((line) => `  ${line}`)];
}

function toLine(figure: Figure): string {
  const { name, value, unit, atLeast, atMost } = figure;
  const bounds = [
    ...(atLeast === undefined ? [] : [`at least ${toNumber(atLeast)}`]),
    ...(atMost === undefined ? [] : [`at most ${toNumber(atMost)}`]),
  ];
  const verdict = isGood(figure) ? '' : ': NOT GOOD ENOUGH';
  const bound = bounds.length === 0 ? '' : ` (${bounds.join(', ')}${verdict})`;
  return `${name}: ${toNumber(value)} ${unit}${bound}`;
}

function toNumber(value: number): string {
  return value.toLocaleString('en-US', { maximumSignificantDigits: SIGNIFICANT_DIGITS });
}
