import type { Usage } from '../../../engine/index.ts';
import type { Fault } from '../fault.ts';
import type { DraftMessage } from '../../session/reading/transcript.ts';
import { parseAmount, parseDuration } from './amounts.ts';
import { stepParts, type Supplies, userParts } from './contents.ts';
import type { Path, Places } from './places.ts';
import type { Step, User } from './schema/session.ts';
import type { PlacedItem } from './script.ts';

/** What a draft does not have of a step. */
export interface StepFacts {
  readonly model: string;
  readonly finish?: string;
}

/** Something that befalls a step, with where the script says so. */
interface PlacedFault {
  readonly fault: Extract<Fault, { readonly on: 'compact' | 'model' }>;
  readonly path: Path;
}

/** A session in the making. */
export interface Building {
  readonly drafts: DraftMessage[];
  /** By index of the draft. */
  readonly facts: Map<number, StepFacts>;
  readonly faults: PlacedFault[];
  readonly supplies: Supplies;
  readonly places: Places;
  /** Where the item stands that is being added. */
  path: Path;
  items: number;
  timeMs: number;
  model: string;
}

/** Time from the message before to a user message. */
export const TURN_MS = 60_000;
/** Time from the message before to a step. */
export const STEP_MS = 5_000;
const MAX_ITEMS = 50_000;
const MAX_CHARACTERS = 200_000_000;

/** A session without a message. */
export function startBuilding(
  start: Pick<Building, 'timeMs' | 'model' | 'path' | 'places'>,
): Building {
  let lastNumber = 0;
  let characters = 0;
  const building: Building = {
    ...start,
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

/** Adds what an item says to the end of a session. */
export function addItem(building: Building, { item, path }: PlacedItem): void {
  building.path = path;
  building.items += 1;
  if (building.items > MAX_ITEMS) refuseSize(building, MAX_ITEMS, 'items');
  if ('user' in item) addUser(building, item.user);
  else if ('step' in item) addStep(building, item.step);
  else if ('idle' in item) building.timeMs += parseDuration(item.idle);
  else if ('switchModel' in item) switchModel(building, item.switchModel);
  else addFault(building, { on: 'compact', step: building.facts.size + 1 });
}

function addUser(building: Building, user: User): void {
  if (building.drafts.length > 0) building.timeMs += TURN_MS;
  const parts = [...userParts(user, building.supplies)];
  building.drafts.push({ role: 'user', createdAt: building.timeMs, parts });
}

function addStep(building: Building, step: Step): void {
  const { drafts, facts, model, path, places } = building;
  if (drafts.length === 0) throw places.problem(path, 'a user first', 'a step');
  building.timeMs += STEP_MS;
  const finish = typeof step === 'object' ? step.finish : undefined;
  facts.set(drafts.length, { model, ...(finish !== undefined && { finish }) });
  const parts = [...stepParts(step, building.supplies)];
  drafts.push({ role: 'assistant', createdAt: building.timeMs, parts, ...reportOf(step) });
}

/** What a script says of a step that its parts do not tell. */
function reportOf(step: Step): Pick<DraftMessage, 'error' | 'usage'> {
  const { error, outputTokens, reasoningTokens = 0 } = typeof step === 'object' ? step : {};
  return {
    ...(error !== undefined && { error: { name: error, message: error } }),
    ...(outputTokens !== undefined && {
      usage: outputUsage(parseAmount(outputTokens), parseAmount(reasoningTokens)),
    }),
  };
}

/** What was sent is not told: the replay counts that. */
function outputUsage(outputTokens: number, reasoningTokens: number): Usage {
  const reasoning = Math.min(reasoningTokens, outputTokens);
  return { input: 0, output: outputTokens - reasoning, reasoning, cacheRead: 0, cacheWrite: 0 };
}

function switchModel(building: Building, model: string): void {
  building.model = model;
  addFault(building, { on: 'model', step: building.facts.size + 1, model });
}

function addFault({ faults, path }: Building, fault: PlacedFault['fault']): void {
  faults.push({ fault, path });
}

function refuseSize({ path, places }: Building, most: number, unit: string): never {
  throw places.problem(path, `within ${most} ${unit} of the session so far`, 'more');
}
