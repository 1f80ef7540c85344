/** The JSON report of the answer: the schema is its type and its check. */

import * as z from 'zod';
import { OriginShape, UnreadShape } from './saved/shapes.ts';
import { TriedShape } from './verdict.ts';

const number = z.number();
const texts = z.array(z.string());
const BesideRecorded = z.strictObject({ recorded: number, simulated: number });

export const AnswerSchema = z
  .strictObject({
    answerVersion: z.literal(2),
    /** Changes of one setting on all sessions of an agent, the best supported first. */
    verdict: z.array(
      z.strictObject({
        /** In words, and in few of them. */
        change: z.string(),
        short: z.string(),
        agent: z.string(),
        /** The preset that it changes. */
        policy: z.string(),
        setting: z.string(),
        value: z.union([number, z.boolean()]),
        /** False where the preset does not look at the setting on any of the models. */
        isRead: z.boolean(),
        /** Texts to write for it; none where the agent reads no such key. Others would want another value. */
        keys: z.array(
          z.strictObject({ where: z.string(), text: z.string(), models: texts, others: texts }),
        ),
        ...TriedShape.shape,
      }),
    ),
    /** The recorded runs; an unknown cost is not in the sum. */
    recorded: z.strictObject({
      costUsd: number.nullable(),
      sessions: number,
      sessionsWithCost: number,
      compactions: number,
      sessionsCompacted: number,
    }),
    /** Presets on the sessions of their agents, beside what was recorded of them. */
    simulated: z.array(
      z.strictObject({
        agent: z.string(),
        policy: z.string(),
        sessions: number,
        costUsd: BesideRecorded,
        compactions: BesideRecorded,
      }),
    ),
    /** Agents in whose sessions nothing compacts, whatever was tried. */
    idle: z.array(
      z.strictObject({
        agent: z.string(),
        /** Tokens at which the preset compacts; `null` where it never does. */
        edgeTokens: number.nullable(),
        largestTokens: number,
      }),
    ),
    mostExpensive: z
      .strictObject({
        session: z.string(),
        /** A short name for `explain`; unknown of files that were named. */
        id: z.string().nullable(),
        project: z.string().nullable(),
        title: z.string().nullable(),
        /** `YYYY-MM-DD`. */
        date: z.string().nullable(),
        costUsd: number,
        compactions: number,
        /** The file that was read most often again after a compaction. */
        readAgain: z.strictObject({ file: z.string(), times: number }).nullable(),
      })
      .nullable(),
    /** Settings of agents in their configuration on this machine, as they are written there. */
    settings: z.array(z.strictObject({ agent: z.string(), from: texts, keys: texts })),
    /** Facts of the setups that a reader would not expect, a sentence each. */
    surprises: texts,
    /** Models and windows of the sessions with their sources, a sentence each. */
    setups: texts,
    /** On what the numbers rest: sessions that were run, and those of them with recorded usage. */
    basis: z.strictObject({
      origin: OriginShape,
      summarizer: z.string(),
      sessions: number,
      measured: number,
    }),
    found: z.array(z.strictObject({ agent: z.string(), sessions: number })),
    /** Days back that files count; absent for all, and of files that were named. */
    sinceDays: number.optional(),
    leftOut: z.strictObject({
      copies: number,
      withoutModel: number,
      /** Sessions of agents without a preset, on which no change was tried. */
      withoutPreset: number,
      /** Sessions that do not end as their agents are set today. */
      failed: number,
      /** Sessions that the preset does not fit, with the compactions of both. */
      unfit: z.strictObject({ sessions: number, recorded: number, simulated: number }),
      unread: UnreadShape,
      /** Configurations that could not be read; their reasons may hold secrets. */
      configurations: texts,
    }),
    /** Files of older sessions that were found where none was young enough. */
    olderFiles: number.optional(),
    /** Where sessions were looked for, if none was found. */
    lookedIn: z.array(z.strictObject({ agent: z.string(), paths: texts })).optional(),
  })
  .describe('What to change about compaction, as compaction-bench answers in JSON.');

export type Answer = z.infer<typeof AnswerSchema>;
export type AnswerVerdict = Answer['verdict'][number];
