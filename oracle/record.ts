/** Records of the requests of an agent under a script, without texts of its prompts. */

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { RefusalSchema } from '../src/simulator/provider/scripted/script.ts';
import { jsonText } from '../src/simulator/report/markup.ts';
import type { LoggedRequest } from '../src/simulator/provider/scripted/server.ts';

/** A request that an agent made, in the order of requests. */
const MoveSchema = z.strictObject({
  kind: z.enum(['agent', 'summary']),
  /** The prompt that it was made for, from 1. */
  turn: z.int(),
  /** Answers that the agent had before: a summary after it stands behind that step. */
  answered: z.int(),
  /** Outputs that were cleared from it. */
  cleared: z.int().exactOptional(),
});

const RequestSchema = MoveSchema.extend({
  kind: z.enum(['agent', 'summary', 'title', 'other']),
  roles: z.record(z.string(), z.int()),
  tools: z.int(),
  chars: z.int(),
  headings: z.array(z.string()),
  /** Share of the agent's request before it that it begins with. */
  samePrefix: z.number(),
  /** Prompts and outputs of the script that it holds word for word. */
  promptsKept: z.int(),
  outputsKept: z.int(),
  answer: z.enum(['call', 'text', 'refused', 'failed']),
  /** How often it came again after it was not answered. */
  repeats: z.int().exactOptional(),
});

export const RecordSchema = z.strictObject({
  recordVersion: z.literal(1),
  agent: z.string(),
  version: z.string(),
  script: z.string(),
  /** `YYYY-MM-DD`. */
  observed: z.string(),
  contextTokens: z.int(),
  outputTokens: z.int(),
  /** The edge that the script was made for. */
  edgeTokens: z.int(),
  refusal: RefusalSchema,
  requests: z.array(RequestSchema),
  end: z.enum(['completed', 'failed', 'timeout']),
});

export type OracleRecord = z.infer<typeof RecordSchema>;

export type Move = z.infer<typeof MoveSchema>;

/** The order of requests. */
export type Moves = readonly Move[];

const FOLDER = join(import.meta.dirname, 'records');

/** The requests of a run as a record has them. */
export function toRequests(requests: readonly LoggedRequest[]): OracleRecord['requests'] {
  return requests.map((request) => {
    const { repeats, clearedOutputs: cleared } = request;
    return {
      kind: request.kind,
      turn: request.turn,
      answered: request.answered,
      tools: request.tools,
      chars: request.chars,
      samePrefix: request.samePrefix,
      promptsKept: request.promptsKept,
      outputsKept: request.outputsKept,
      answer: request.answer,
      roles: { ...request.roles },
      headings: [...request.headings],
      ...(repeats !== undefined && { repeats }),
      ...(cleared > 0 && { cleared }),
    };
  });
}

/** A record's moves: what the program asks besides, as titles, is no part of compaction. */
export function movesOf({ requests }: Pick<OracleRecord, 'requests'>): Moves {
  return requests.flatMap(({ kind, turn, answered, cleared }) =>
    kind === 'agent' || kind === 'summary'
      ? [{ kind, turn, answered, ...(cleared !== undefined && { cleared }) }]
      : [],
  );
}

/** `1.4S` reads: a summary in the first turn, after four answers; `1.4(-2)`: a request with two cleared outputs. */
export function describeMoves(moves: Moves): string {
  const told = moves.map(
    ({ kind, turn, answered, cleared }) =>
      `${turn}.${answered}${kind === 'summary' ? 'S' : ''}${cleared ? `(-${cleared})` : ''}`,
  );
  return told.join(' ');
}

export function recordPath({
  agent,
  version,
  script,
}: Pick<OracleRecord, 'agent' | 'version' | 'script'>) {
  return join(FOLDER, agent, version, `${script}.json`);
}

export function writeRecord(record: OracleRecord): void {
  const path = recordPath(record);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, jsonText(record));
}

/** All records, by agent, release and script. */
export function readRecords(): readonly OracleRecord[] {
  if (!existsSync(FOLDER)) return [];
  const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.json'))
    .toSorted()
    .map((file) => readRecord(join(FOLDER, file)));
}

export function readRecord(path: string): OracleRecord {
  return RecordSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
}
