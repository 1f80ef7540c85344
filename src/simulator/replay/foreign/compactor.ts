import type { FilePart, Limits, ModelContent, ModelMessage, Usage } from '../../../engine/index.ts';
import { HarnessError } from '../../lib/errors.ts';
import { isObject } from '../../lib/json.ts';

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

/** The name of somebody's own compaction. It stands beside policies, and none is behind it. */
export const ADAPTER_NAME = 'adapter';

/** Stands in the place of a policy where a run is of somebody's own compaction. */
export const adapterPlace = {
  name: ADAPTER_NAME,
  describes: "Somebody's own compaction.",
} as const;

/** The same as a type. */
export type AdapterPlace = typeof adapterPlace;

type Fields = Readonly<Record<string, unknown>>;

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
