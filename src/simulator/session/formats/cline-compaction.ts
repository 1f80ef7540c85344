import { z } from 'zod';
import { parseJson } from '../../lib/json.ts';
import type { SourceFile } from '../format.ts';
import { list, maybeTokens } from '../reading/lenient.ts';
import { type ClineMessage, parseMessage } from './cline-messages.ts';

/** The newest compaction of a session, as the file beside its messages tells it. */
export interface KeptCompaction {
  /** Messages of the session when it was made. */
  readonly historyCount: number;
  readonly summary: ClineMessage;
  /** Id of the first message that stayed; absent where none did. */
  readonly firstKeptId?: string | undefined;
}

const stateSchema = z.object({ source_message_count: maybeTokens, messages: list });

const MESSAGES = /([^/\\]+)\.messages\.json$/;

/** The newest compaction of a session by Cline, whose messages stay whole; `undefined` where there was none. */
export function readKeptCompaction({ name, surroundings }: SourceFile): KeptCompaction | undefined {
  const [, stem] = MESSAGES.exec(name) ?? [];
  if (stem === undefined) return undefined;
  const beside = surroundings
    .filesIn({ up: 0, names: [] })
    .find((file) => file.name === `${stem}.compaction.json`);
  const state = stateSchema.safeParse(parseJson(beside?.readText() ?? '')).data;
  const messages = state?.messages.flatMap((value) => parseMessage(value) ?? []) ?? [];
  const summary = messages.find(({ metadata }) => metadata?.kind === 'compaction_summary');
  const historyCount = state?.source_message_count;
  if (summary === undefined || historyCount === undefined) return undefined;
  const firstKeptId = messages.find(({ id }) => id !== undefined)?.id;
  return { historyCount, summary, firstKeptId };
}
