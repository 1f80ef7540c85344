import type { Message } from '../../../engine/index.ts';
import { createRandom } from '../../env.ts';
import { createTally } from '../../session/reading/fields.ts';
import { type DraftMessage, finishMessages } from '../../session/reading/transcript.ts';
import type { Session } from '../../session/session.ts';
import type { Fault } from '../scenario.ts';
import { type Amount, parseAmount, parseDuration } from './amounts.ts';
import { stepParts, type Supplies, userParts } from './contents.ts';
import type { Generate, ScriptItem, SessionSource, Step } from './session-schema.ts';
import type { Spot } from './yaml.ts';

export type BuiltSession = ReturnType<typeof buildSession>;

interface BuildOptions {
  /** `provider/model` of the first step. */
  readonly model: string;
  readonly file: string;
  readonly spot: Spot;
}

interface Building {
  readonly drafts: DraftMessage[];
  /** Of steps, by the index of their drafts. */
  readonly facts: Map<number, { readonly model: string; readonly finish?: string }>;
  readonly faults: {
    readonly fault: Extract<Fault, { readonly on: 'compact' | 'model' }>;
    readonly spot: Spot;
  }[];
  readonly supplies: Supplies;
  spot: Spot;
  items: number;
  timeMs: number;
  model: string;
}

interface PlacedItem {
  readonly item: Exclude<ScriptItem, { readonly repeat: number } | { readonly generate: unknown }>;
  readonly spot: Spot;
}

type Range = readonly [least: number, most: number];
type Draw = (range: Range) => number;

const DEFAULT_START = '2026-01-01T00:00:00Z';
const NO_FINISH = 'none';

/** Time from the message before to a user message. */
export const TURN_MS = 60_000;
/** Time from the message before to a step. */
export const STEP_MS = 5_000;
const MAX_ITEMS = 50_000;
const MAX_CHARACTERS = 200_000_000;

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

export function buildSession(
  source: Exclude<SessionSource, { readonly file: string }>,
  options: BuildOptions,
) {
  const { spot } = options;
  const building = startBuilding(Date.parse(source.startsAt ?? DEFAULT_START), options);
  const items =
    'script' in source
      ? flattenScript(source.script, spot.of('script'))
      : flattenItem({ generate: source.generate }, spot.of('generate'));
  for (const placed of items) addItem(building, placed);
  const { facts, faults } = building;
  const steps = facts.size;
  if (steps === 0) throw spot.problem('a session with a step', 'none');
  const late = faults.find(({ fault }) => fault.step > steps);
  if (late !== undefined) throw late.spot.problem('followed by a step', `none after step ${steps}`);
  const session = finishSession(building, options);
  return { session, steps, faults: faults.map(({ fault }) => fault) };
}

/** Turns of random sizes, the same for the same seed. */
export function* generateItems(options: Generate): Generator<ScriptItem, void, undefined> {
  const random = createRandom(options.seed);
  const draw: Draw = ([least, most]) => least + Math.floor(random() * (most - least + 1));
  const turns = draw(toRange(options.turns, parseAmount, [1, 1]));
  for (let turn = 1; turn <= turns; turn++) yield* generateTurn(options, draw, turn);
}

function startBuilding(timeMs: number, { model, spot }: BuildOptions): Building {
  let lastNumber = 0;
  let characters = 0;
  const building: Building = {
    timeMs,
    model,
    spot,
    drafts: [],
    facts: new Map(),
    faults: [],
    items: 0,
    supplies: {
      nextNumber: () => ++lastNumber,
      spend: (amount) => {
        characters += amount;
        if (characters > MAX_CHARACTERS) refuseSize(building, MAX_CHARACTERS, 'characters');
      },
    },
  };
  return building;
}

function refuseSize({ spot }: Building, most: number, unit: string): never {
  throw spot.problem(`within ${most} ${unit} of the session so far`, 'more');
}

function* flattenScript(items: readonly ScriptItem[], spot: Spot) {
  for (const [index, item] of items.entries()) yield* flattenItem(item, spot.of(index));
}

function* flattenItem(item: ScriptItem, spot: Spot): Generator<PlacedItem, void, undefined> {
  if ('repeat' in item) {
    for (let time = 1; time <= item.repeat; time++) yield* flattenScript(item.of, spot.of('of'));
  } else if ('generate' in item) {
    for (const generated of generateItems(item.generate)) yield* flattenItem(generated, spot);
  } else yield { item, spot };
}

function addItem(building: Building, { item, spot }: PlacedItem) {
  const { drafts, faults, supplies } = building;
  building.spot = spot;
  building.items += 1;
  if (building.items > MAX_ITEMS) refuseSize(building, MAX_ITEMS, 'items');
  const step = building.facts.size + 1;
  if ('user' in item) {
    if (drafts.length > 0) building.timeMs += TURN_MS;
    const parts = [...userParts(item.user, supplies)];
    drafts.push({ role: 'user', createdAt: building.timeMs, parts });
  } else if ('step' in item) addStep(building, item.step);
  else if ('idle' in item) building.timeMs += parseDuration(item.idle);
  else if ('switchModel' in item) {
    building.model = item.switchModel;
    faults.push({ fault: { on: 'model', step, model: item.switchModel }, spot });
  } else faults.push({ fault: { on: 'compact', step }, spot });
}

function addStep(building: Building, step: Step) {
  const { drafts, facts, model, spot, supplies } = building;
  if (drafts.length === 0) throw spot.problem('a user first', 'a step');
  building.timeMs += STEP_MS;
  const { finish, error, outputTokens, reasoningTokens = 0 } = typeof step === 'object' ? step : {};
  facts.set(drafts.length, { model, ...(finish !== undefined && { finish }) });
  const parts = [...stepParts(step, supplies)];
  const written = parseAmount(outputTokens ?? 0);
  const reasoning = Math.min(parseAmount(reasoningTokens), written);
  drafts.push({
    role: 'assistant',
    createdAt: building.timeMs,
    parts,
    ...(error !== undefined && { error: { name: error, message: error } }),
    ...(outputTokens !== undefined && {
      // Input is counted by the replay.
      usage: { input: 0, output: written - reasoning, reasoning, cacheRead: 0, cacheWrite: 0 },
    }),
  });
}

function finishSession({ drafts, facts }: Building, { model, file }: BuildOptions): Session {
  const tally = createTally();
  const messages = finishMessages(drafts, tally).map((message, index): Message => {
    const own = facts.get(index);
    if (own === undefined || message.role === 'user') return message;
    const { finish, ...rest } = { ...message, ...own };
    return finish === undefined || finish === NO_FINISH ? rest : { ...rest, finish };
  });
  return {
    name: file,
    format: 'scenario',
    isSide: false,
    isPartial: false,
    model,
    messages,
    recordedCompactions: [],
    isOutputFinal: true,
    report: tally.toReport(),
  };
}

function* generateTurn(options: Generate, draw: Draw, turn: number) {
  const amount = (key: 'user' | 'stepsPerTurn') =>
    draw(toRange(options[key], parseAmount, DEFAULTS[key]));
  if (turn > 1) yield { idle: `${draw(toRange(options.idle, parseDuration, DEFAULTS.idle))}ms` };
  yield { user: amount('user') };
  const steps = amount('stepsPerTurn');
  for (let step = 1; step <= steps; step++)
    yield { step: generateStep(options, draw, step === steps) };
}

function generateStep(options: Generate, draw: Draw, isLast: boolean) {
  const rangeOf = (key: 'toolsPerStep' | 'toolOutput' | 'reasoning' | 'text') =>
    toRange(options[key], parseAmount, DEFAULTS[key]);
  const names = options.tools ?? DEFAULTS.tools;
  const calls = isLast ? 0 : draw(rangeOf('toolsPerStep'));
  return {
    reasoning: draw(rangeOf('reasoning')),
    text: draw(rangeOf('text')),
    tools: Array.from({ length: calls }, () => ({
      tool: names[draw([0, names.length - 1])] ?? '',
      output: draw(rangeOf('toolOutput')),
    })),
  };
}

/** A range whose ends stand the wrong way round is the same as the other. */
function toRange<Value extends Amount>(
  range: Value | readonly [Value, Value] | undefined,
  parse: (value: Value) => number,
  absent: Range,
): Range {
  if (range === undefined) return absent;
  const ends = (typeof range === 'object' ? range : [range]).map(parse);
  return [Math.min(...ends), Math.max(...ends)];
}
