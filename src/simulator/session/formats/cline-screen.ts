import { z } from 'zod';
import { isObject, parseJson } from '../../lib/json.ts';
import type { SourceFile } from '../format.ts';
import {
  flag,
  list,
  maybeId,
  maybeObject,
  maybeText,
  maybeTokens,
  toText,
} from '../reading/lenient.ts';
import { known, type RecordedUsage } from '../reading/transcript.ts';
import { countKinds, splitCount } from '../reading/usage.ts';

/** A message on the screen of Cline or Roo Code. */
export type ScreenMessage = z.infer<typeof messageSchema>;

/** Facts about a task that only its screen tells. */
export interface Screen {
  /** The usage of each request that was answered, in order. */
  readonly requests: readonly ScreenRequest[];
  /** Tokens around condensations and truncations, by their ids. */
  readonly sizes: ReadonlyMap<string, ScreenSizes>;
  readonly cuts: readonly ScreenCut[];
}

interface ScreenRequest {
  /** When it was sent, in ms. */
  readonly sentMs: number;
  readonly usage: RecordedUsage;
}

interface ScreenSizes {
  readonly atMs: number;
  readonly tokensBefore?: number;
  readonly tokensAfter?: number;
}

/** A range of messages that requests leave out from then on. */
interface ScreenCut {
  /** Messages of the history when it was made. */
  readonly historyCount: number;
  /** Index of the last message that is left out. */
  readonly lastIndex: number;
}

const resizeSchema = maybeObject({
  condenseId: maybeId,
  truncationId: maybeId,
  prevContextTokens: maybeTokens,
  newContextTokens: maybeTokens,
  newContextTokensAfterTruncation: maybeTokens,
  summary: maybeText,
});

const messageSchema = z.object({
  ts: z.number(),
  type: z.enum(['ask', 'say']),
  ask: maybeText,
  say: maybeText,
  text: maybeText,
  images: list,
  partial: flag,
  modelInfo: maybeObject({ modelId: maybeText, providerId: maybeText }),
  conversationHistoryIndex: maybeTokens,
  conversationHistoryDeletedRange: z.unknown().optional(),
  contextCondense: resizeSchema,
  contextTruncation: resizeSchema,
});

const requestSchema = z.object({
  tokensIn: maybeTokens,
  tokensOut: maybeTokens,
  cacheReads: maybeTokens,
  cacheWrites: maybeTokens,
  /** Roo Code writes it; its input includes what a cache held. */
  apiProtocol: maybeText,
});

const FILE = 'ui_messages.json';
const REQUEST = 'api_req_started';

/** A message; `undefined` if the value is none. */
export function parseScreenMessage(value: unknown): ScreenMessage | undefined {
  return messageSchema.safeParse(value).data;
}

/** The messages of a task's screen, from the file beside its history; none where there is none. */
export function readScreen({ surroundings }: SourceFile): Screen {
  const [file] = surroundings.filesIn({ up: 0, names: [] }).filter(({ name }) => name === FILE);
  const values = file === undefined ? [] : parseJson(file.readText());
  const messages = list.parse(values).flatMap((value) => parseScreenMessage(value) ?? []);
  return {
    requests: messages.flatMap((message) => {
      const usage = isRequest(message) ? usageOfRequest(message) : undefined;
      return usage === undefined ? [] : [{ sentMs: message.ts, usage }];
    }),
    sizes: new Map(messages.flatMap(sizesById)),
    cuts: cutsIn(messages),
  };
}

/** Recognizes the start of a request. */
export function isRequest({ say }: ScreenMessage): boolean {
  return say === REQUEST;
}

/** The usage of a request; absent where it was not answered. */
export function usageOfRequest({ text = '' }: ScreenMessage): RecordedUsage | undefined {
  const told = requestSchema.safeParse(parseJson(text)).data;
  const count = {
    input: told?.tokensIn,
    output: told?.tokensOut,
    cacheRead: told?.cacheReads,
    cacheWrite: told?.cacheWrites,
  };
  return told?.apiProtocol === undefined ? countKinds(count) : splitCount(count);
}

/** When a condensation or a truncation happened, with the tokens around it; absent in other messages. */
export function sizesOn(message: ScreenMessage): ScreenSizes | undefined {
  const { ts: atMs } = message;
  const told = resizeOf(message);
  if (told === undefined) return undefined;
  const { prevContextTokens: tokensBefore } = told;
  const tokensAfter = told.newContextTokens ?? told.newContextTokensAfterTruncation;
  return { atMs, ...known({ tokensBefore, tokensAfter }) };
}

/** The fields of a text that is JSON; none where it is not. */
export function fieldsIn(text = ''): Readonly<Record<string, unknown>> {
  const fields = parseJson(text);
  return isObject(fields) ? fields : {};
}

/** A text among fields; empty where there is none. */
export function textAt(fields: Readonly<Record<string, unknown>>, key: string): string {
  return toText(fields[key]) ?? '';
}

function resizeOf({ contextCondense, contextTruncation }: ScreenMessage) {
  return contextTruncation ?? contextCondense;
}

function sizesById(message: ScreenMessage): readonly (readonly [string, ScreenSizes])[] {
  const told = resizeOf(message);
  const id = told?.condenseId ?? told?.truncationId;
  const sizes = sizesOn(message);
  return id === undefined || sizes === undefined ? [] : [[id, sizes]];
}

/** Changes of the range that stands on each message. */
function cutsIn(messages: readonly ScreenMessage[]): readonly ScreenCut[] {
  let last = -1;
  return messages.flatMap((message): readonly ScreenCut[] => {
    const { conversationHistoryDeletedRange: range, conversationHistoryIndex: index } = message;
    const [, lastIndex] = list.parse(range);
    if (typeof lastIndex !== 'number' || lastIndex <= last || index === undefined) return [];
    last = lastIndex;
    return [{ historyCount: index + 1, lastIndex }];
  });
}
