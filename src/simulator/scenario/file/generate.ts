import { createRandom } from '../../random.ts';
import { type Amount, parseAmount, parseDuration } from './amounts.ts';
import type { Generate, ScriptItem } from './schema/session.ts';

/** The least and the most of something. */
type Range = readonly [least: number, most: number];

/** What a generator of items draws from. */
interface Source {
  readonly options: Generate;
  /** A whole number of the range, each as likely as any other. */
  readonly draw: (range: Range) => number;
}

/** What is generated where nothing is said of it. */
const DEFAULTS = {
  stepsPerTurn: [5, 20],
  toolsPerStep: [1, 1],
  tools: ['read', 'bash', 'edit'],
  toolOutput: [200, 4_000],
  user: [20, 200],
  text: [20, 100],
  reasoning: [0, 0],
  idle: [0, 0],
} as const;

/** Turns of random sizes as items of a script, the same for the same seed. */
export function* generateItems(options: Generate): Generator<ScriptItem, void, undefined> {
  const random = createRandom(options.seed);
  const draw = ([least, most]: Range) => least + Math.floor(random() * (most - least + 1));
  const source: Source = { options, draw };
  const turns = draw(amounts(options.turns));
  for (let turn = 1; turn <= turns; turn++) yield* generateTurn(source, turn);
}

function* generateTurn(source: Source, turn: number): Generator<ScriptItem, void, undefined> {
  const { options, draw } = source;
  if (turn > 1) yield { idle: `${draw(durations(options.idle))}ms` };
  yield { user: draw(amounts(options.user, DEFAULTS.user)) };
  const steps = draw(amounts(options.stepsPerTurn, DEFAULTS.stepsPerTurn));
  for (let step = 1; step <= steps; step++) {
    yield { step: generateStep(source, { isLast: step === steps }) };
  }
}

function generateStep({ options, draw }: Source, { isLast }: { readonly isLast: boolean }) {
  const names = options.tools ?? DEFAULTS.tools;
  const calls = isLast ? 0 : draw(amounts(options.toolsPerStep, DEFAULTS.toolsPerStep));
  const outputs = amounts(options.toolOutput, DEFAULTS.toolOutput);
  return {
    reasoning: draw(amounts(options.reasoning, DEFAULTS.reasoning)),
    text: draw(amounts(options.text, DEFAULTS.text)),
    tools: Array.from({ length: calls }, () => ({
      tool: names[draw([0, names.length - 1])] ?? '',
      output: draw(outputs),
    })),
  };
}

/** A range whose ends stand the wrong way round is the same as the other. */
function amounts(
  range: Amount | readonly [Amount, Amount] | undefined,
  absent: Range = [1, 1],
): Range {
  if (range === undefined) return absent;
  if (typeof range !== 'object') return [parseAmount(range), parseAmount(range)];
  return inOrder(parseAmount(range[0]), parseAmount(range[1]));
}

function durations(range: string | readonly [string, string] | undefined): Range {
  if (range === undefined) return DEFAULTS.idle;
  if (typeof range === 'string') return [parseDuration(range), parseDuration(range)];
  return inOrder(parseDuration(range[0]), parseDuration(range[1]));
}

function inOrder(a: number, b: number): Range {
  return [Math.min(a, b), Math.max(a, b)];
}
