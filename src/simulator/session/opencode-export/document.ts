import { z } from 'zod';
import type { SourceFile } from '../format.ts';
import { endOfValue, parseJson } from '../json-text.ts';
import {
  flag,
  isObject,
  list,
  maybeNumber,
  maybeTokens,
  maybeObject,
  maybeText,
} from '../lenient.ts';

const tokensSchema = maybeObject({
  total: maybeTokens,
  input: maybeTokens,
  output: maybeTokens,
  reasoning: maybeTokens,
  cache: maybeObject({ read: maybeTokens, write: maybeTokens }),
});

const fileShape = { id: maybeText, mime: maybeText, filename: maybeText, url: maybeText };

const stateSchema = maybeObject({
  status: maybeText,
  input: z.unknown().optional(),
  output: z.unknown().optional(),
  error: z.unknown().optional(),
  metadata: maybeObject({ interrupted: flag, output: maybeText }),
  time: maybeObject({ compacted: maybeNumber }),
  attachments: list,
});

const partSchema = z.object({
  type: maybeText,
  ...fileShape,
  text: maybeText,
  synthetic: flag,
  ignored: flag,
  metadata: maybeObject({ compaction_continue: flag }),
  callID: maybeText,
  tool: maybeText,
  state: stateSchema,
  snapshot: maybeText,
  reason: maybeText,
  tokens: tokensSchema,
  auto: flag,
  overflow: flag,
  prompt: maybeText,
});

const messageSchema = z.object({
  info: z.object({
    id: maybeText,
    role: z.enum(['user', 'assistant']),
    parentID: maybeText,
    providerID: maybeText,
    modelID: maybeText,
    summary: flag,
    finish: maybeText,
    error: maybeObject({ name: maybeText, data: maybeObject({ message: maybeText }) }),
    tokens: tokensSchema,
    time: maybeObject({ created: maybeNumber }),
  }),
  parts: list.transform(parseParts),
});

const exportSchema = z.object({
  info: z.object({ id: maybeText, parentID: maybeText }),
  messages: z.array(z.unknown()),
});

/** A session with its messages, as `opencode export` prints it. */
export type OpencodeExport = z.infer<typeof exportSchema>;

/** A message with its parts. */
export type OpencodeMessage = z.infer<typeof messageSchema>;

/** One piece of a message. */
export type OpencodePart = z.infer<typeof partSchema>;

/** The counts of a request. */
export type OpencodeTokens = z.infer<typeof tokensSchema>;

/** How many braces may stand in log lines before the export without being closed. */
const MAX_FALSE_STARTS = 16;

/** The export that a file holds, also behind lines of a log; `undefined` if it holds none. */
export function findExport(file: SourceFile): OpencodeExport | undefined {
  const document = file.json();
  if (document !== undefined) return toExport(document);
  if (!file.text.includes('"messages"') || !file.text.includes('"parts"')) return undefined;
  return searchExport(file.text);
}

/** A message, or `undefined` if it has no role. */
export function parseMessage(value: unknown): OpencodeMessage | undefined {
  return messageSchema.safeParse(value).data;
}

/** The parts among some values; what is no object is left out. */
export function parseParts(values: readonly unknown[]): readonly OpencodePart[] {
  return values.flatMap((value) => partSchema.safeParse(value).data ?? []);
}

function searchExport(text: string): OpencodeExport | undefined {
  let falseStarts = 0;
  let start = text.indexOf('{');
  while (start !== -1 && falseStarts < MAX_FALSE_STARTS) {
    const end = endOfValue(text, start);
    const value = end === -1 ? undefined : parseJson(text.slice(start, end));
    const found = toExport(value);
    if (found !== undefined) return found;
    if (value === undefined) falseStarts++;
    start = text.indexOf('{', value === undefined ? start + 1 : end);
  }
  return undefined;
}

/** Messages of that shape tell the export from documents of others that also have `info` and `messages`. */
function toExport(value: unknown): OpencodeExport | undefined {
  const document = exportSchema.safeParse(value).data;
  if (document === undefined) return undefined;
  const { info, messages } = document;
  const isOwn = messages.length === 0 ? info.id !== undefined : messages.some(isMessage);
  return isOwn ? document : undefined;
}

function isMessage(value: unknown): boolean {
  return isObject(value) && isObject(value['info']) && Array.isArray(value['parts']);
}
