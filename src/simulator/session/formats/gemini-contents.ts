import { isObject } from '../../lib/json.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import { type Block, blocksOf } from '../reading/content.ts';
import { toId, toList, toModelName, toText } from '../reading/lenient.ts';
import { type Facts, readRecording, type Recording } from '../reading/recording.ts';
import { readContents } from './gemini-turns.ts';

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
  read: readRecording(
    { format: 'gemini-contents', empty: 'contents without messages', atPrompt: 'in-front' },
    (recording, file) => readRequest(recording, findRequest(file) ?? { contents: [] }),
  ),
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
function isContent(value: unknown): value is Block {
  if (!isObject(value) || !Array.isArray(value['parts'])) return false;
  return value['parts'].every((part) => isObject(part) && !('type' in part));
}

function readRequest(recording: Recording, request: GeminiRequest): Facts {
  const { contents, system, model } = request;
  readContents(recording, withCallIds(contents));
  const label = toText(model)?.replace(/^models\//, '');
  const parts = isObject(system) ? blocksOf(toList(system['parts'])) : [];
  const texts = parts.flatMap(({ text }) => toId(text) ?? []).join('\n\n');
  return {
    model: label && toModelName(label, 'google'),
    system: (toText(system) ?? texts) || undefined,
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
