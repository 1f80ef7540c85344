import {
  type AssistantMessage,
  type FilePart,
  type ModelContent,
  type Part,
  renderPart,
  type ToolPart,
  type UserMessage,
} from '../../../engine/index.ts';

import { type CountText, RECORDED } from '../../replay/count.ts';
import { FILLER_CHARACTERS } from '../../scenario/file/filler.ts';
import { isFiller } from '../../scenario/file/is-filler.ts';
import { MEDIA_TYPE } from '../../scenario/file/schema/session.ts';
import { createToolNames, writtenName } from './outline-names.ts';
import { createInputs, type InputOf } from './measure-input.ts';
import type {
  OutlineCall,
  OutlineImage,
  OutlineOptions,
  OutlinePart,
  OutlineText,
} from './outline.ts';

/** Makes pieces of messages into those of an outline. */
export interface Measure {
  /** Texts of a message of the user, of which there may be none. */
  readonly asked: (message: UserMessage) => readonly OutlineText[];
  /** Images and documents as far as they are sent as such. */
  readonly images: (parts: readonly Part[]) => readonly OutlineImage[];
  /** What a step holds: thoughts, words, then calls. */
  readonly done: (message: AssistantMessage) => readonly OutlinePart[];
}

type Sized = (words: string) => OutlineText;

const BASE64 = /^data:[^,]{0,200};base64,/;
/** Bytes to each character of base64. */
const BASE64_BYTES = 3 / 4;

/** A measure by what is counted; it keeps texts where they are wanted. */
export function createMeasure(count: CountText, { withTexts }: OutlineOptions): Measure {
  const sized: Sized = (words) => {
    const tokens = count(words);
    if (withTexts && words !== '' && !isFiller(words)) return { tokens, text: words };
    const isUsual = words.length === FILLER_CHARACTERS * tokens;
    return isUsual ? { tokens } : { tokens, characters: words.length };
  };
  const nameOf = withTexts ? writtenName : createToolNames();
  const inputOf = createInputs(count, { withTexts });
  return {
    asked: ({ parts }) => parts.flatMap((part) => textsOf(part, 'user', sized)),
    images: (parts) => parts.filter((part) => part.type === 'file').flatMap(imagesOf),
    done: ({ parts }) => {
      const ofType = (type: 'text' | 'reasoning') =>
        parts
          .filter((part) => part.type === type)
          .flatMap((part) => textsOf(part, 'assistant', sized))
          .map((text): OutlinePart => ({ type, ...text }));
      const tools = parts.filter((part) => part.type === 'tool');
      const calls = tools.map((part) => callOf(part, { name: nameOf(part.tool), inputOf, sized }));
      return [...ofType('reasoning'), ...ofType('text'), ...calls];
    },
  };
}

function textsOf(part: Part, role: 'user' | 'assistant', sized: Sized): readonly OutlineText[] {
  const kind = part.type === 'text' && part.synthetic === true ? { isSynthetic: true } : {};
  return renderPart(part, role, RECORDED).flatMap((content) =>
    'text' in content ? [{ ...sized(content.text), ...kind }] : [],
  );
}

function callOf(
  part: ToolPart,
  {
    name,
    inputOf,
    sized,
  }: { readonly name: string; readonly inputOf: InputOf; readonly sized: Sized },
): OutlineCall {
  const { status, input } = part.state;
  const isOpen = status === 'pending' || status === 'running';
  const result = renderPart(part, 'assistant', RECORDED).find(isResult);
  const images = (result?.attachments ?? []).flatMap(imagesOf);
  return {
    type: 'tool',
    tool: name,
    status: isOpen ? 'pending' : status,
    input: inputOf({ tool: part.tool, name, input }),
    output: isOpen ? { tokens: 0 } : sized(result?.output ?? ''),
    ...(images.length > 0 && { images }),
  };
}

function isResult(
  content: ModelContent,
): content is ModelContent & { readonly type: 'tool-result' } {
  return content.type === 'tool-result';
}

/** Nothing of a file that stands in a text of its own. */
function imagesOf(file: FilePart): readonly OutlineImage[] {
  if (renderPart(file, 'user', RECORDED).length === 0) return [];
  const { mime, url } = file;
  const head = BASE64.exec(url)?.[0];
  const bytes = head === undefined ? 0 : Math.floor((url.length - head.length) * BASE64_BYTES);
  return [{ bytes, ...(MEDIA_TYPE.test(mime) && { mime }) }];
}
