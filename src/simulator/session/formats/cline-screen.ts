/** Messages on the screen of Cline or Roo Code. */

import { parseJson } from '../../lib/json.ts';
import type { SourceFile } from '../format.ts';
import { type Fields, fieldsOf, objectsIn, toId, toList, toTokens } from '../reading/lenient.ts';
import { known, type RecordedUsage } from '../reading/transcript.ts';
import { countKinds, countsIn, splitCount } from '../reading/usage.ts';

/** Facts about a task that only its screen tells. */
export interface Screen {
  /** The usage of each request that was answered, in order, with the time when it was sent, in ms. */
  readonly requests: readonly { readonly sentMs: number; readonly usage: RecordedUsage }[];
  /** Tokens around condensations and truncations, by their ids. */
  readonly sizes: ReadonlyMap<string, ScreenSizes>;
  /** Ranges of messages that requests leave out from then on: messages of the history when it was made, and the last left out. */
  readonly cuts: readonly { readonly historyCount: number; readonly lastIndex: number }[];
}

interface ScreenSizes {
  readonly atMs: number;
  readonly tokensBefore?: number;
  readonly tokensAfter?: number;
}

const FILE = 'ui_messages.json';
export const REQUEST = 'api_req_started';
const COUNTS = {
  input: 'tokensIn',
  output: 'tokensOut',
  cacheRead: 'cacheReads',
  cacheWrite: 'cacheWrites',
};

/** The messages of a task's screen, from the file beside its history; none where there is none. */
export function readScreen({ surroundings }: SourceFile): Screen {
  const [file] = surroundings.filesIn({ up: 0, names: [] }).filter(({ name }) => name === FILE);
  const values = file === undefined ? [] : parseJson(file.readText());
  const messages = objectsIn(values).filter(isScreenMessage);
  return {
    requests: messages.flatMap((message) => {
      const usage = message['say'] === REQUEST ? usageOfRequest(message) : undefined;
      return usage === undefined ? [] : [{ sentMs: Number(message['ts']), usage }];
    }),
    sizes: new Map(
      messages.flatMap((message) => {
        const { condenseId, truncationId } = resizeOf(message);
        const id = toId(condenseId ?? truncationId);
        return id === undefined ? [] : [[id, sizesOn(message)]];
      }),
    ),
    cuts: cutsIn(messages),
  };
}

/** Recognizes a message by its time and by who speaks. */
export function isScreenMessage({ ts, type }: Fields): boolean {
  return typeof ts === 'number' && (type === 'ask' || type === 'say');
}

/** The usage of a request; absent where it was not answered. Roo Code names a protocol; its input includes what a cache held. */
export function usageOfRequest({ text }: Fields): RecordedUsage | undefined {
  const told = fieldsIn(text);
  const counts = countsIn(told, COUNTS);
  return told['apiProtocol'] === undefined ? countKinds(counts) : splitCount(counts);
}

/** When a condensation or a truncation happened, with the tokens around it. */
export function sizesOn(message: Fields): ScreenSizes {
  const { prevContextTokens, newContextTokens, newContextTokensAfterTruncation } =
    resizeOf(message);
  return {
    atMs: Number(message['ts']),
    ...known({
      tokensBefore: toTokens(prevContextTokens),
      tokensAfter: toTokens(newContextTokens ?? newContextTokensAfterTruncation),
    }),
  };
}

/** The fields of a text that is JSON; none where it is not. */
export function fieldsIn(text: unknown): Fields {
  return typeof text === 'string' ? fieldsOf(parseJson(text)) : {};
}

function resizeOf({ contextCondense, contextTruncation }: Fields): Fields {
  return fieldsOf(contextTruncation ?? contextCondense);
}

/** Changes of the range that stands on each message. */
function cutsIn(messages: readonly Fields[]): Screen['cuts'] {
  let last = -1;
  return messages.flatMap((message) => {
    const [, lastIndex] = toList(message['conversationHistoryDeletedRange']);
    const index = toTokens(message['conversationHistoryIndex']);
    if (typeof lastIndex !== 'number' || lastIndex <= last || index === undefined) return [];
    last = lastIndex;
    return [{ historyCount: index + 1, lastIndex }];
  });
}
