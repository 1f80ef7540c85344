import { isObject } from '../../lib/json.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import { type Fields, fieldsOf, objectsIn, toId, toModel, toText } from '../reading/lenient.ts';
import { readRecording } from '../reading/recording.ts';
import { readContents } from './gemini-turns.ts';

/** Contents of the Gemini API: a request, or a list. */
export const geminiContents: SessionFormat = {
  label: 'Gemini contents (JSON)',
  certainty: 'shape',
  detect: (file) => findRequest(file) !== undefined,
  read: readRecording(
    { format: 'gemini-contents', empty: 'contents without messages', atPrompt: 'in-front' },
    (recording, file) => {
      const { contents = [], system, model } = findRequest(file) ?? {};
      readContents(recording, contents);
      const texts = objectsIn(fieldsOf(system)['parts']).flatMap(({ text }) => toId(text) ?? []);
      return {
        model: toModel(toText(model)?.replace(/^models\//, ''), 'google'),
        system: toId(system) ?? (texts.join('\n\n') || undefined),
      };
    },
  ),
};

/** The request of a file; `undefined` if it has no contents. */
function findRequest(file: SourceFile) {
  const document = file.json();
  if (Array.isArray(document)) return isAnswered(document) ? { contents: document } : undefined;
  const { contents, model, systemInstruction, ...rest } = fieldsOf(document);
  const { system_instruction: system = systemInstruction } = rest;
  if (!Array.isArray(contents) || !contents.some(isContent)) return undefined;
  return { contents, system, model };
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
