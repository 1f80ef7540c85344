import { isObject } from '../../lib/json.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import { toId, toList, toModelName, toText } from '../reading/lenient.ts';
import { createTally } from '../reading/tally.ts';
import { noConversation, toSession } from '../reading/transcript.ts';
import type { Session } from '../session.ts';
import { readContents } from './gemini-turns.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A request with its contents. */
interface GeminiRequest {
  readonly contents: readonly unknown[];
  readonly system?: unknown;
  readonly model?: unknown;
}

/** A call without a result so far. */
interface OpenCall {
  readonly id: string;
  readonly name: unknown;
}

/** Contents of the Gemini API: a request, or a list. */
export const geminiContents: SessionFormat = {
  label: 'Gemini contents (JSON)',
  certainty: 'shape',
  detect: (file) => findRequest(file) !== undefined,
  read: (file) => [readRequest(file)],
};

/** The request of a file; `undefined` if it has no contents. */
function findRequest(file: SourceFile): GeminiRequest | undefined {
  const document = file.json();
  if (Array.isArray(document)) return isAnswered(document) ? { contents: document } : undefined;
  if (!isObject(document)) return undefined;
  const {
    contents,
    model,
    systemInstruction,
    system_instruction: system = systemInstruction,
  } = document;
  return Array.isArray(contents) && contents.some(isContent)
    ? { contents, system, model }
    : undefined;
}

/** Recognizes a list by an answer of a model; other libraries call it the assistant. */
function isAnswered(values: readonly unknown[]): boolean {
  return (
    isContent(values[0]) && values.some((value) => isContent(value) && value['role'] === 'model')
  );
}

/** Recognizes a content: parts of other libraries have a type. */
function isContent(value: unknown): value is Fields {
  if (!isObject(value) || !Array.isArray(value['parts'])) return false;
  return value['parts'].every((part) => isObject(part) && !('type' in part));
}

function readRequest(file: SourceFile): Session {
  const tally = createTally();
  const { contents = [], system: instruction, model } = findRequest(file) ?? {};
  const { drafts } = readContents(withCallIds(contents), tally);
  if (drafts.length === 0) throw noConversation(file.name, 'contents without messages');
  const system = systemOf(instruction);
  const label = toText(model)?.replace(/^models\//, '');
  return {
    ...toSession(file.name, 'gemini-contents', {
      drafts,
      tally,
      model: label && toModelName(label, 'google'),
    }),
    ...(system !== '' && { system }),
  };
}

/** Gives ids to calls that have none, and each to the next result of the same function. */
function withCallIds(contents: readonly unknown[]): readonly unknown[] {
  let open: readonly OpenCall[] = [];
  let count = 0;
  const identify = (part: unknown): unknown => {
    if (!isObject(part)) return part;
    const { functionCall: call, functionResponse: response } = part;
    if (isObject(call)) {
      const id = toId(call['id']) ?? `call-${++count}`;
      open = [...open, { id, name: call['name'] }];
      return { ...part, functionCall: { ...call, id } };
    }
    if (!isObject(response)) return part;
    const recorded = toId(response['id']);
    const answered = open.find(({ id, name }) =>
      recorded === undefined ? name === response['name'] : id === recorded,
    );
    open = open.filter((each) => each !== answered);
    return { ...part, functionResponse: { ...response, id: answered?.id ?? recorded } };
  };
  return contents.map((content) =>
    isContent(content) ? { ...content, parts: toList(content['parts']).map(identify) } : content,
  );
}

function systemOf(instruction: unknown): string {
  if (typeof instruction === 'string') return instruction;
  const parts = toList(isObject(instruction) ? instruction['parts'] : undefined);
  return parts.flatMap((part) => (isObject(part) ? (toText(part['text']) ?? []) : [])).join('\n\n');
}
