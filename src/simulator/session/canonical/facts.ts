import { z } from 'zod';
import {
  FACT_KINDS,
  FACT_ROLES,
  FILE_OPERATIONS,
  type PlantedFact,
  TODO_STATES,
} from '../facts.ts';
import type { ShapeOf } from './parts.ts';

const Step = z.int().min(1);

/** What a generated session says that later steps may need. */
export const factShape = {
  id: z.string(),
  serial: z.int().exactOptional().describe('The larger of two about the same holds.'),
  role: z.enum(FACT_ROLES).exactOptional().describe('What it is where it is not to be kept.'),
  about: z.string().exactOptional().describe('The fact that it resembles, or wants left out.'),
  kind: z.enum(FACT_KINDS),
  subject: z.string().describe('What the value belongs to; stands in the same sentence.'),
  value: z.string().describe('What has to be kept to the letter.'),
  aliases: z.array(z.string()).exactOptional().describe('Other ways to write the value.'),
  polarity: z.enum(['do', 'dont']).describe('dont: the value is not to be used.'),
  criticality: z.enum(['must', 'should', 'nice']),
  weight: z.number().positive().exactOptional().describe('How much it counts among others.'),
  source: z.enum(['user', 'assistant', 'tool']),
  step: Step.describe('The step that says it, from 1; of a user, the step that answers.'),
  posPct: z.number().min(0).max(100).describe('Where in the content it stands, in percent.'),
  supersedes: z.string().exactOptional().describe('The id of the fact that it replaces.'),
  todoState: z.enum(TODO_STATES).exactOptional().describe('How far the task has come.'),
  operation: z.enum(FILE_OPERATIONS).exactOptional().describe('What was done to the file.'),
  dependsOn: z.array(z.string()).exactOptional().describe('Facts on which it rests.'),
  neededAt: z.array(Step).describe('Later steps that use the value.'),
} satisfies ShapeOf<PlantedFact>;
