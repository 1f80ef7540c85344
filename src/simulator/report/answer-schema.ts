/** The JSON report of the answer: the schema is its type and its check. */

import * as z from 'zod';
import { OriginShape, UnreadShape } from './saved/shapes.ts';
import { TriedShape } from './verdict.ts';

/** A change of one setting, with what it did on all sessions of an agent. */
const VerdictSchema = z.strictObject({
  /** In words, and in few of them. */
  change: z.string(),
  short: z.string(),
  agent: z.string(),
  /** The preset that it changes. */
  policy: z.string(),
  setting: z.string(),
  value: z.union([z.number(), z.boolean()]),
  /** False where the preset does not look at the setting on any of the models. */
  isRead: z.boolean(),
  /** Texts to write for it where the agent reads them; none where it reads no such key. */
  keys: z.array(
    z.strictObject({
      where: z.string(),
      text: z.string(),
      models: z.array(z.string()),
      /** Models for which another value would do the same, but which share this one. */
      others: z.array(z.string()),
    }),
  ),
  ...TriedShape.shape,
});

/** The recorded run of all sessions; the cost of one whose usage or price is unknown is not in it. */
const RecordedSchema = z.strictObject({
  costUsd: z.number().nullable(),
  sessions: z.number(),
  sessionsWithCost: z.number(),
  compactions: z.number(),
  sessionsCompacted: z.number(),
});

/** A preset on the sessions of its agent, beside what was recorded of them. */
const SimulatedSchema = z.strictObject({
  agent: z.string(),
  policy: z.string(),
  sessions: z.number(),
  costUsd: z.strictObject({ recorded: z.number(), simulated: z.number() }),
  compactions: z.strictObject({ recorded: z.number(), simulated: z.number() }),
});

/** How far the sessions of an agent are from its edge. */
const IdleSchema = z.strictObject({
  agent: z.string(),
  /** The most tokens that a request may hold before the preset compacts; `null` where it never does. */
  edgeTokens: z.number().nullable(),
  largestTokens: z.number(),
});

/** The session that cost most. */
const ExpensiveSchema = z.strictObject({
  session: z.string(),
  /** A short name for `explain`; unknown of files that were named. */
  id: z.string().nullable(),
  project: z.string().nullable(),
  title: z.string().nullable(),
  /** `YYYY-MM-DD`. */
  date: z.string().nullable(),
  costUsd: z.number(),
  compactions: z.number(),
  /** The file that was read most often again after a compaction. */
  readAgain: z.strictObject({ file: z.string(), times: z.number() }).nullable(),
});

/** Settings that an agent has in its own configuration on this machine. */
const OwnSettingsSchema = z.strictObject({
  agent: z.string(),
  from: z.array(z.string()),
  /** Keys with their values, as they are written there. */
  keys: z.array(z.string()),
});

/** The basis of the numbers besides the sessions. */
const BasisSchema = z.strictObject({
  origin: OriginShape,
  summarizer: z.string(),
  /** Sessions that were run, and those of them with recorded usage. */
  sessions: z.number(),
  measured: z.number(),
});

/** The JSON document of an answer. */
export const AnswerSchema = z
  .strictObject({
    answerVersion: z.literal(2),
    /** The best supported first. */
    verdict: z.array(VerdictSchema),
    recorded: RecordedSchema,
    simulated: z.array(SimulatedSchema),
    /** Agents in whose sessions nothing is cleared or replaced, under today's settings or any that were tried. */
    idle: z.array(IdleSchema),
    mostExpensive: ExpensiveSchema.nullable(),
    settings: z.array(OwnSettingsSchema),
    /** Facts of the setups that a reader would not expect, a sentence each. */
    surprises: z.array(z.string()),
    /** Models and windows of the sessions with their sources, a sentence each. */
    setups: z.array(z.string()),
    basis: BasisSchema,
    found: z.array(z.strictObject({ agent: z.string(), sessions: z.number() })),
    /** Days back that files count; absent for all, and of files that were named. */
    sinceDays: z.number().optional(),
    leftOut: z.strictObject({
      /** Copies of other sessions. */
      copies: z.number(),
      withoutModel: z.number(),
      /** Sessions of agents without a preset: their recorded cost counts, no change was tried on them. */
      withoutPreset: z.number(),
      /** Sessions that do not end as their agents are set today. */
      failed: z.number(),
      /** Sessions in which the preset does not compact where the recording did, with the compactions of both. */
      unfit: z.strictObject({
        sessions: z.number(),
        recorded: z.number(),
        simulated: z.number(),
      }),
      /** Files and folders that could not be read. */
      unread: UnreadShape,
      /** Configurations of agents that could not be read; their reasons may hold secrets, and are not told. */
      configurations: z.array(z.string()),
    }),
    /** Files of older sessions that were found where none was young enough. */
    olderFiles: z.number().optional(),
    /** Where sessions were looked for, if none was found. */
    lookedIn: z.array(z.strictObject({ agent: z.string(), paths: z.array(z.string()) })).optional(),
  })
  .describe('What to change about compaction, as compaction-bench answers in JSON.');

export type Answer = z.infer<typeof AnswerSchema>;
export type AnswerVerdict = Answer['verdict'][number];
