import { z } from 'zod';
import {
  flag,
  list,
  maybeId,
  maybeMoment,
  maybeObject,
  maybeText,
  maybeTokens,
} from '../reading/lenient.ts';

const tokensSchema = maybeObject({
  total: maybeTokens,
  input: maybeTokens,
  output: maybeTokens,
  reasoning: maybeTokens,
  cache: maybeObject({ read: maybeTokens, write: maybeTokens }),
});

const fileShape = { id: maybeId, mime: maybeText, filename: maybeText, url: maybeText };

const stateSchema = maybeObject({
  status: maybeText,
  input: z.unknown().optional(),
  output: z.unknown().optional(),
  error: z.unknown().optional(),
  metadata: maybeObject({ interrupted: flag, output: maybeText, sessionId: maybeId }),
  time: maybeObject({ start: maybeMoment, compacted: maybeMoment }),
  attachments: list,
});

const partSchema = z.object({
  type: maybeText,
  ...fileShape,
  text: maybeText,
  synthetic: flag,
  ignored: flag,
  metadata: maybeObject({ compaction_continue: flag }),
  callID: maybeId,
  tool: maybeText,
  state: stateSchema,
  snapshot: maybeText,
  reason: maybeText,
  tokens: tokensSchema,
  auto: flag,
  overflow: flag,
  tail_start_id: maybeId,
  prompt: maybeText,
  time: maybeObject({ start: maybeMoment }),
});

const messageSchema = z.object({
  info: z.object({
    id: maybeId,
    role: z.enum(['user', 'assistant']),
    parentID: maybeId,
    providerID: maybeText,
    modelID: maybeText,
    model: maybeObject({ providerID: maybeText, modelID: maybeText }),
    summary: flag,
    finish: maybeText,
    error: maybeObject({ name: maybeText, data: maybeObject({ message: maybeText }) }),
    tokens: tokensSchema,
    time: maybeObject({ created: maybeMoment, completed: maybeMoment }),
  }),
  parts: list.transform(parseParts),
});

const infoSchema = z.object({
  id: maybeId,
  parentID: maybeId,
  revert: maybeObject({ messageID: maybeId, partID: maybeId }),
});

/** What OpenCode notes of a session beside its messages. */
export type OpencodeInfo = z.infer<typeof infoSchema>;

/** A message with its parts. */
export type OpencodeMessage = z.infer<typeof messageSchema>;

/** One piece of a message. */
export type OpencodePart = z.infer<typeof partSchema>;

/** The counts of a request. */
export type OpencodeTokens = z.infer<typeof tokensSchema>;

/** What is noted of a session; all of it is absent where the value is no object. */
export function parseInfo(value: unknown): OpencodeInfo {
  return infoSchema.safeParse(value).data ?? infoSchema.parse({});
}

/** A message, or `undefined` if it has no role. */
export function parseMessage(value: unknown): OpencodeMessage | undefined {
  return messageSchema.safeParse(value).data;
}

/** The parts among some values; what is no object is left out. */
export function parseParts(values: readonly unknown[]): readonly OpencodePart[] {
  return values.flatMap((value) => partSchema.safeParse(value).data ?? []);
}
