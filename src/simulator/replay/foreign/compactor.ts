import type { FilePart, Limits, ModelContent, ModelMessage, Usage } from '../../../engine/index.ts';
import { countEach } from '../../lib/collections.ts';
import { HarnessError } from '../../lib/errors.ts';
import { isObject } from '../../lib/json.ts';
import { type CheckName, findFault } from '../../provider/checks.ts';

/** The input of a compactor before each request. */
export interface CompactorInput {
  /** The whole conversation as the last call left it, with what has been added since. */
  readonly messages: readonly ModelMessage[];
  /** Of the model that is asked next; a context of 0 tokens is without limit. */
  readonly limits: Limits;
  /** Tokens of the newest step as the provider reported them; absent before the first, or where it reports none. */
  readonly usage?: Usage;
  /** The provider's error message when it refused the request for its size; absent otherwise. */
  readonly refused?: string;
}

/**
 * A foreign compaction: receives the conversation before each request and returns the messages to send, or the same list. It must
 * not change its input.
 */
export type Compactor = (
  input: CompactorInput,
) => readonly ModelMessage[] | Promise<readonly ModelMessage[]>;

/** The same as a type. */
export type AdapterPlace = typeof adapterPlace;

type Fields = Readonly<Record<string, unknown>>;

/** A conversation on both sides of a compactor that changed it. */
export interface ListChange {
  readonly before: readonly ModelMessage[];
  readonly after: readonly ModelMessage[];
  /** True tokens of the next request. */
  readonly contextBeforeTokens: number;
  readonly contextAfterTokens: number;
  /** The newest user message; absent where the session began without one. */
  readonly newestRequest?: ModelMessage | undefined;
  /** The newest step and its results, where the model has not answered to them yet. */
  readonly unanswered: readonly ModelMessage[];
  /** True if the provider had refused the request. */
  readonly isRefused: boolean;
}

interface ListLaw {
  readonly says: string;
  readonly check: (change: ListChange) => string | undefined;
}

/** The name of a law of lists. */
export type ListLawName = keyof typeof listLaws;

const PAIRING: readonly CheckName[] = ['calls-paired', 'ids-unique'];

/** Laws for every compaction of a list of messages, named like the engine's laws of the same idea. */
export const listLaws = {
  'calls-paired': {
    says: 'Each call in a request is followed by its one result, each result has its call, and no id is used twice.',
    check: findUnpaired,
  },
  'pivot-lowers-context': {
    says: 'A compaction that changes something makes the next request smaller.',
    check: ({ contextBeforeTokens: before, contextAfterTokens: after }) =>
      after < before ? undefined : `the request grew from ${before} to ${after} tokens`,
  },
  'newest-request-visible': {
    says: 'What the person asked last is still there, word for word.',
    check: findLostRequest,
  },
  'no-message-twice': {
    says: 'No message stands in a request more often than before.',
    check: findRepeated,
  },
  'ordered-by-time': {
    says: 'What is kept stands in the order in which it was.',
    check: findDisorder,
  },
  'newest-step-kept': {
    says: 'A step whose results the model has not seen yet stays as it is, unless the request was refused.',
    check: findChangedStep,
  },
} satisfies Record<string, ListLaw>;

/** The name of somebody's own compaction. It stands beside policies, and none is behind it. */
export const ADAPTER_NAME = 'adapter';

/** Stands in the place of a policy where a run is of somebody's own compaction. */
export const adapterPlace = {
  name: ADAPTER_NAME,
  describes: "Somebody's own compaction.",
} as const;

/** Summarizer name of runs whose compactor writes its own summaries, at an unknown price. */
export const OWN_SUMMARIES = 'own';

const ROLES: readonly ModelMessage['role'][] = ['user', 'assistant', 'tool'];
const TYPES = 'text, reasoning, file, tool-call or tool-result';

/** Checks the messages that a compactor returned, without repeating their text. */
export function readMessages(
  value: unknown,
  find: (message: unknown) => ModelMessage | undefined = () => undefined,
): readonly ModelMessage[] {
  if (!Array.isArray(value)) throw bad('a list of messages', describe(value));
  return value.map((message: unknown, index) => find(message) ?? readMessage(message, index));
}

/** The laws that a change violates, with a description of each violation. */
export function checkChange(
  change: ListChange,
): readonly { readonly law: ListLawName; readonly message: string }[] {
  const all = Object.entries<ListLaw>(listLaws) as readonly [ListLawName, ListLaw][];
  return all.flatMap(([law, { check }]) => {
    const message = check(change);
    return message === undefined ? [] : [{ law, message }];
  });
}

function bad(expected: string, got: string): HarnessError {
  return new HarnessError(
    'BAD_ADAPTER',
    `In the compactor's answer: expected ${expected}, got ${got}.`,
  );
}

function describe(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return 'another text';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function readMessage(value: unknown, index: number): ModelMessage {
  const place = `message ${index}`;
  const { role, content } = fieldsOf(value, place);
  const known = ROLES.find((name) => name === role);
  if (known === undefined)
    throw bad(`${place} to have a role of ${ROLES.join(', ')}`, describe(role));
  if (typeof content === 'string')
    return { role: known, content: [{ type: 'text', text: content }] };
  if (!Array.isArray(content)) throw bad(`${place} to have a list as content`, describe(content));
  return {
    role: known,
    content: content.map((one, at) => readContent(one, `content ${at} of ${place}`)),
  };
}

function fieldsOf(value: unknown, place: string): Fields {
  if (isObject(value)) return value;
  throw bad(`${place} to be an object`, describe(value));
}

function readContent(value: unknown, place: string): ModelContent {
  const fields = fieldsOf(value, place);
  const text = (name: string) => readText(fields, name, place);
  switch (fields['type']) {
    case 'text':
    case 'reasoning':
      return { type: fields['type'], text: text('text') };
    case 'file':
      return { type: 'file', ...readFile(fields, place) };
    case 'tool-call':
      return {
        type: 'tool-call',
        callId: text('callId'),
        tool: text('tool'),
        input: fields['input'] ?? {},
      };
    case 'tool-result':
      return {
        type: 'tool-result',
        callId: text('callId'),
        tool: text('tool'),
        output: text('output'),
        isError: fields['isError'] === true,
        attachments: readAttachments(fields['attachments'], place),
      };
    default:
      throw bad(`${place} to have a type of ${TYPES}`, describe(fields['type']));
  }
}

function readText(fields: Fields, name: string, place: string): string {
  const value = fields[name];
  if (typeof value === 'string') return value;
  throw bad(`'${name}' of ${place} to be a text`, describe(value));
}

function readFile(fields: Fields, place: string) {
  const { filename } = fields;
  return {
    mime: readText(fields, 'mime', place),
    ...(typeof filename === 'string' && { filename }),
    url: readText(fields, 'url', place),
  };
}

function readAttachments(value: unknown, place: string): readonly FilePart[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw bad(`attachments of ${place} to be a list`, describe(value));
  return value.map((one, index) => {
    const at = `attachment ${index} of ${place}`;
    const fields = fieldsOf(one, at);
    return { type: 'file', id: readText(fields, 'id', at), ...readFile(fields, at) };
  });
}

function findUnpaired({ before, after }: ListChange): string | undefined {
  const names = PAIRING.filter((name) => findFault(before, [name]) === undefined);
  return findFault(after, names);
}

function findLostRequest({ before, after, newestRequest }: ListChange): string | undefined {
  if (newestRequest === undefined || !before.includes(newestRequest)) return undefined;
  if (after.includes(newestRequest)) return undefined;
  const said = after.filter(({ role }) => role === 'user').flatMap(textsOf);
  const isThere = textsOf(newestRequest).every((text) => said.some((one) => one.includes(text)));
  const isOnlyText = newestRequest.content.every(({ type }) => type === 'text');
  return isThere && isOnlyText ? undefined : 'the newest request of the person is gone';
}

function findRepeated({ before, after }: ListChange): string | undefined {
  const allowed = countEach(before);
  const more = [...countEach(after)].filter(
    ([message, count]) => count > Math.max(1, allowed.get(message) ?? 0),
  );
  return more.length === 0 ? undefined : `${more.length} messages stand there more often`;
}

function findDisorder({ before, after }: ListChange): string | undefined {
  const [earlier, later] = [countEach(before), countEach(after)];
  const isSingle = (one: ModelMessage) => earlier.get(one) === 1 && later.get(one) === 1;
  const places = new Map(before.map((message, index) => [message, index]));
  const kept = after.filter(isSingle).map((message) => places.get(message) ?? 0);
  const late = kept.filter((place, index) => place < (kept[index - 1] ?? 0)).length;
  return late === 0 ? undefined : `${late} messages stand after newer ones`;
}

function findChangedStep({ after, unanswered, isRefused }: ListChange): string | undefined {
  if (isRefused || unanswered.length === 0) return undefined;
  const gone = unanswered.filter((message) => !after.includes(message)).length;
  return gone === 0 ? undefined : `${gone} of ${unanswered.length} messages of the newest step`;
}

function textsOf({ content }: ModelMessage): readonly string[] {
  return content.flatMap((one: ModelContent) => (one.type === 'text' ? [one.text] : []));
}
