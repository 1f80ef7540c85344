import type {
  AssistantMessage,
  FilePart,
  Part,
  TextPart,
  ToolPart,
  ToolState,
  Usage,
  UserMessage,
} from '../../src/engine/index.ts';

/** Any fields of a value; `undefined` takes a default away. */
export type Overrides<Value> = { readonly [Key in keyof Value]?: Value[Key] | undefined };

/** A user message of texts and parts; its id is its text where nothing is given. */
export function user(id: string, ...content: readonly (string | Part)[]): UserMessage {
  const parts = content.length === 0 ? [id] : content;
  return {
    id,
    role: 'user',
    createdAt: 0,
    parts: parts.map((part, index) =>
      typeof part === 'string' ? text(`${id}-${index}`, part) : part,
    ),
  };
}

/** A step that answered `u1` and ended the turn, unless the overrides say otherwise. */
export function step(
  id: string,
  parts: readonly Part[] = [],
  overrides: Overrides<AssistantMessage> = {},
): AssistantMessage {
  const defaults = { id, role: 'assistant', createdAt: 0, parentId: 'u1', finish: 'stop', parts };
  return overlay(defaults, overrides) as AssistantMessage;
}

/** A user message that queues a compaction, by a trigger unless told otherwise. */
export function marker(
  id: string,
  options: {
    readonly auto?: boolean;
    readonly overflow?: boolean;
    readonly tailStartId?: string;
    readonly headEndId?: string;
  } = {},
): UserMessage {
  return user(id, { type: 'compaction', id: `${id}-0`, auto: true, overflow: false, ...options });
}

/** A finished summary that answers the message `parentId`. */
export function summary(
  id: string,
  parentId: string,
  overrides: Overrides<AssistantMessage> = {},
): AssistantMessage {
  return step(id, [text(`${id}-0`, `summary ${id}`)], { parentId, summary: true, ...overrides });
}

/** A text part. */
export function text(id: string, value: string, overrides: Overrides<TextPart> = {}): TextPart {
  return overlay({ type: 'text', id, text: value }, overrides) as TextPart;
}

/** An attached file named after its id. */
export function file(id: string, mime: string, overrides: Overrides<FilePart> = {}): FilePart {
  const defaults = { type: 'file', id, mime, filename: `${id}.bin`, url: `data:${mime};base64,AA` };
  return overlay(defaults, overrides) as FilePart;
}

/** A completed call of `bash`; a number as output means that many characters. */
export function tool(
  id: string,
  output: string | number,
  options: {
    readonly tool?: string;
    readonly compactedAt?: number;
    readonly attachments?: readonly FilePart[];
  } = {},
): ToolPart {
  const { tool: name = 'bash', ...rest } = options;
  const written = typeof output === 'string' ? output : 'x'.repeat(output);
  return toolIn(id, { status: 'completed', input: { id }, output: written, ...rest }, name);
}

/** A tool call in any state. */
export function toolIn(id: string, state: ToolState, name = 'bash'): ToolPart {
  return { type: 'tool', id, callId: `call-${id}`, tool: name, state };
}

/** Usage without any tokens but those given. */
export function usage(overrides: Partial<Usage> = {}): Usage {
  return { input: 0, output: 0, reasoning: 0, cacheRead: 0, cacheWrite: 0, ...overrides };
}

function overlay(defaults: object, overrides: object): unknown {
  const entries = Object.entries({ ...defaults, ...overrides });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}
