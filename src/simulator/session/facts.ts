/** Facts planted in generated sessions. */

import { z } from 'zod';
import { addToGroup } from '../lib/collections.ts';
import type { Immutable } from '../lib/json.ts';

/** Subjects of planted facts. */
export const FACT_KINDS = [
  'goal',
  'constraint',
  'preference',
  'path',
  'symbol',
  'decision',
  'rationale',
  'rejected',
  'error',
  'id',
  'number',
  'command',
  'todo',
  'state',
] as const;

/** A kind of planted fact. */
export type FactKind = (typeof FACT_KINDS)[number];

/** States of a task on a list. */
export const TODO_STATES = ['pending', 'in_progress', 'done', 'cancelled'] as const;

export type TodoState = (typeof TODO_STATES)[number];

/** Operations on a file that a planted fact may report. */
export const FILE_OPERATIONS = ['read', 'edit', 'create', 'delete', 'rename'] as const;

/** Roles of texts that need not be kept: a guessable answer, a look-alike of a fact, an order to omit one. */
const FACT_ROLES = ['guessable', 'distractor', 'injection'] as const;

const Text = z.string().exactOptional();
const Step = z.int().min(1);

/** Schemas of the fields of a planted fact. */
export const factShape = {
  id: z.string(),
  serial: maybe(z.int(), 'The larger of two about the same holds.'),
  role: maybe(z.enum(FACT_ROLES), 'What it is where it is not to be kept.'),
  about: Text.describe('The fact that it resembles, or wants left out.'),
  kind: z.enum(FACT_KINDS),
  subject: z.string().describe('What the value belongs to; stands in the same sentence.'),
  value: z.string().describe('What has to be kept to the letter.'),
  sentence: Text.describe('The sentence that states it, where a user gave it.'),
  aliases: maybe(z.array(z.string()), 'Other ways to write the value.'),
  polarity: z.enum(['do', 'dont']).describe('dont: the value is not to be used.'),
  criticality: z.enum(['must', 'should', 'nice']),
  weight: maybe(z.number().positive(), 'How much it counts among others.'),
  source: z.enum(['user', 'assistant', 'tool']),
  step: Step.describe('The step that says it, from 1; of a user, the step that answers.'),
  posPct: z.number().min(0).max(100).describe('Where in the content it stands, in percent.'),
  supersedes: Text.describe('The id of the fact that it replaces.'),
  todoState: maybe(z.enum(TODO_STATES), 'How far the task has come.'),
  operation: maybe(z.enum(FILE_OPERATIONS), 'What was done to the file.'),
  dependsOn: maybe(z.array(z.string()), 'Facts on which it rests.'),
  neededAt: z.array(Step).describe('Later steps that use the value.'),
};

/** A fact of a session that a later step may need and that nobody can guess. */
export type PlantedFact = Immutable<z.infer<z.ZodObject<typeof factShape>>>;

/** Facts that were said up to a step, and those that hold then. */
export function factsAt(facts: readonly PlantedFact[], step = Infinity) {
  const said = facts.filter((fact) => fact.step <= step);
  const replaced = new Set(
    chainsOf(said).flatMap((chain) => chain.slice(0, -1).map(({ id }) => id)),
  );
  const invalid = new Set<string>();
  for (const { id, dependsOn = [] } of said) {
    if (dependsOn.some((other) => replaced.has(other) || invalid.has(other))) invalid.add(id);
  }
  const live = said.filter(
    ({ id, role }) => role === undefined && !replaced.has(id) && !invalid.has(id),
  );
  return { said, live };
}

/** Facts that replace one another, in order; chains have two or more. */
export function chainsOf(facts: readonly PlantedFact[]): readonly (readonly PlantedFact[])[] {
  const own = facts.filter(({ role }) => role === undefined);
  const serials = new Map(own.map(({ id, serial }, index) => [id, serial ?? index + 1]));
  const heads = new Map<string, string>();
  const groups = new Map<string, PlantedFact[]>();
  const inOrder = own.toSorted((a, b) => (serials.get(a.id) ?? 0) - (serials.get(b.id) ?? 0));
  for (const fact of inOrder) {
    const head = heads.get(fact.supersedes ?? '') ?? fact.id;
    heads.set(fact.id, head);
    addToGroup(groups, head, fact);
  }
  return [...groups.values()].filter(({ length }) => length > 1);
}

function maybe<Schema extends z.ZodType>(schema: Schema, meaning: string) {
  return schema.exactOptional().describe(meaning);
}
