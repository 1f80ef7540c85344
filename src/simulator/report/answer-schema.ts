/** The JSON report of the answer: the schema is its type and its check. */

import * as z from 'zod';
import { FindingsShape, OriginShape, UnreadShape } from './saved/shapes.ts';
import { TriedShape } from './verdict.ts';

const number = z.number();
const texts = z.array(z.string());
const BesideRecorded = z.strictObject({ recorded: number, simulated: number });

export const AnswerSchema = z
  .strictObject({
    answerVersion: z.literal(2),
    /** One setting on all sessions of an agent, the best supported first. */
    verdict: z.array(
      z.strictObject({
        change: z.string(),
        short: z.string(),
        agent: z.string(),
        policy: z.string(),
        setting: z.string(),
        value: z.union([number, z.boolean()]),
        /** False where the preset does not look at it. */
        isRead: z.boolean(),
        /** None where the agent reads no such key. Others would want another value. */
        keys: z.array(
          z.strictObject({ where: z.string(), text: z.string(), models: texts, others: texts }),
        ),
        ...TriedShape.shape,
      }),
    ),
    /** An unknown cost is not in the sum. */
    recorded: z.strictObject({
      costUsd: number.nullable(),
      sessions: number,
      sessionsWithCost: number,
      compactions: number,
      sessionsCompacted: number,
    }),
    /** Presets beside what was recorded. */
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
        /** `null` where the preset never compacts. */
        edgeTokens: number.nullable(),
        largestTokens: number,
      }),
    ),
    /** Agents that compact late in a large window, with the price of one step there, read from the cache and written anew. */
    late: z.array(
      z.strictObject({
        agent: z.string(),
        edgeTokens: number,
        readUsd: number.nullable(),
        writeUsd: number.nullable(),
      }),
    ),
    /** As recorded, or as simulated where no usage is recorded: only those with something wrong. */
    diagnosis: z.strictObject({
      sessions: number,
      found: z.array(z.strictObject({ session: z.string(), findings: FindingsShape })).readonly(),
    }),
    mostExpensive: z
      .strictObject({
        session: z.string(),
        /** A short name for `explain`; `null` of named files. */
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
    /** As agents are configured on this machine. */
    settings: z.array(z.strictObject({ agent: z.string(), from: texts, keys: texts })),
    /** A sentence each. */
    surprises: texts,
    /** A sentence each. */
    setups: texts,
    basis: z.strictObject({
      origin: OriginShape,
      summarizer: z.string(),
      sessions: number,
      measured: number,
    }),
    found: z.array(z.strictObject({ agent: z.string(), sessions: number })),
    /** Absent for all, and of named files. */
    sinceDays: number.optional(),
    leftOut: z.strictObject({
      copies: number,
      withoutModel: number,
      /** No change was tried on them. */
      withoutPreset: number,
      failed: number,
      /** With the compactions of both. */
      unfit: z.strictObject({ sessions: number, recorded: number, simulated: number }),
      unread: UnreadShape,
      /** Their reasons may hold secrets. */
      configurations: texts,
    }),
    /** Where none was young enough. */
    olderFiles: number.optional(),
    /** If none was found. */
    lookedIn: z.array(z.strictObject({ agent: z.string(), paths: texts })).optional(),
  })
  .describe('What to change about compaction, as compaction-bench answers in JSON.');

export type Answer = z.infer<typeof AnswerSchema>;
export type AnswerVerdict = Answer['verdict'][number];
