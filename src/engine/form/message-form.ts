import type {
  AssistantMessage,
  FilePart,
  Message,
  MessageError,
  Part,
  ToolState,
  Usage,
  UserMessage,
} from '../message.ts';
import { being, finite, flag, having, id, kindOf, listOf, oneOf, optional, text } from './check.ts';

type Kind<Type extends Part['type']> = Extract<Part, { readonly type: Type }>;
type State<Status extends ToolState['status']> = ToolState & { readonly status: Status };

/** Tokens as a provider told them. Releases stored outputs below 0, so that these are taken. */
const tokens = being('a finite number of tokens', Number.isFinite);

/** What a provider told of one request; what is no number would switch every check off. */
export const usageForm = having<Usage>({
  input: tokens,
  output: tokens,
  reasoning: tokens,
  cacheRead: tokens,
  cacheWrite: tokens,
  total: optional(tokens),
});

/** Why something ended without an answer. */
export const errorForm = having<MessageError>({ name: text, message: text });

const file = having<FilePart>({ id, mime: text, filename: optional(text), url: text });
const written = having<Kind<'text' | 'reasoning'>>({ id, text });

const state = kindOf<ToolState['status']>('status', {
  pending: having<State<'pending'>>({}),
  running: having<State<'running'>>({}),
  completed: having<State<'completed'>>({
    output: text,
    attachments: optional(listOf(file)),
    compactedAt: optional(finite),
  }),
  error: having<State<'error'>>({ error: text, partialOutput: optional(text) }),
});

const part = kindOf<Part['type']>('type', {
  text: written,
  reasoning: written,
  file,
  tool: having<Kind<'tool'>>({ id, callId: id, tool: text, state }),
  'step-start': having<Kind<'step-start'>>({ id }),
  'step-finish': having<Kind<'step-finish'>>({ id }),
  compaction: having<Kind<'compaction'>>({ id, auto: flag }),
  subtask: having<Kind<'subtask'>>({ id, prompt: text }),
});

const message = { id, createdAt: finite, parts: listOf(part) };

/** What a person wrote. */
export const userForm = having<UserMessage>({ ...message, role: oneOf({ user: true }) });

/** A step, or as much of it as there was. */
export const stepForm = having<AssistantMessage>({
  ...message,
  role: oneOf({ assistant: true }),
  parentId: id,
  summary: optional(flag),
  finish: optional(text),
  error: optional(errorForm),
  usage: optional(usageForm),
  model: optional(text),
});

/** Either of the two. */
export const messageForm = kindOf<Message['role']>('role', {
  user: userForm,
  assistant: stepForm,
});
