import type {
  Message,
  ModelContent,
  ModelMessage,
  Part,
  RenderPolicy,
  ToolPart,
} from '../../../engine/index.ts';
import { renderPart } from '../../../engine/index.ts';

/** A message of the session with what it was sent as. */
export interface Fed {
  readonly message: Message;
  readonly sent: readonly ModelMessage[];
}

/** What a list holds, by kind. */
interface Shown {
  readonly words: ReadonlySet<string>;
  readonly calls: ReadonlySet<string>;
  readonly outputs: ReadonlyMap<string, string>;
}

/**
 * What a list of messages still shows of a session, as a view: parts that are gone are left out, outputs that
 * were changed count as cleared, and what the compactor wrote comes first.
 */
export function toShownView(
  fed: readonly Fed[],
  list: readonly ModelMessage[],
  render: RenderPolicy,
): readonly Message[] {
  const own = new Set(fed.flatMap(({ sent }) => sent));
  const shown = indexContents(list);
  const kept = fed.flatMap(({ message }) => {
    const parts = message.parts.flatMap((part) => shownPart(part, { message, shown, render }));
    return parts.length === 0 ? [] : [{ ...message, parts }];
  });
  const written = list.filter((message) => !own.has(message)).map(toWritten);
  return [...written, ...kept];
}

function indexContents(list: readonly ModelMessage[]): Shown {
  const words = new Set<string>();
  const calls = new Set<string>();
  const outputs = new Map<string, string>();
  for (const content of list.flatMap((message) => message.content)) {
    if (content.type === 'tool-call') calls.add(content.callId);
    else if (content.type === 'tool-result') outputs.set(content.callId, content.output);
    else words.add(wordsOf(content));
  }
  return { words, calls, outputs };
}

function wordsOf(content: ModelContent): string {
  if (content.type === 'file') return `file ${content.url}`;
  return 'text' in content ? `${content.type} ${content.text}` : '';
}

function shownPart(
  part: Part,
  about: { readonly message: Message; readonly shown: Shown; readonly render: RenderPolicy },
): readonly Part[] {
  const { message, shown, render } = about;
  if (part.type === 'tool') return shownTool(part, shown, render);
  const contents = renderPart(part, message.role, render);
  if (contents.length === 0) return [part];
  return contents.every((content) => shown.words.has(wordsOf(content))) ? [part] : [];
}

function shownTool(part: ToolPart, shown: Shown, render: RenderPolicy): readonly Part[] {
  if (!shown.calls.has(part.callId) || !shown.outputs.has(part.callId)) return [];
  const { state } = part;
  const result = renderPart(part, 'assistant', render).find(({ type }) => type === 'tool-result');
  const isWhole =
    result?.type === 'tool-result' && shown.outputs.get(part.callId) === result.output;
  if (isWhole || state.status !== 'completed') return [part];
  return [{ ...part, state: { ...state, compactedAt: 0 } }];
}

/** What nobody but the compactor has said. */
function toWritten(message: ModelMessage, index: number): Message {
  const id = `written-${index}`;
  const texts = message.content.flatMap((content) => {
    if (content.type === 'tool-result') return [content.output];
    return 'text' in content ? [content.text] : [];
  });
  const parts = texts.map((text, at): Part => ({ type: 'text', id: `${id}-${at}`, text }));
  return { id, role: 'user', createdAt: 0, parts };
}
