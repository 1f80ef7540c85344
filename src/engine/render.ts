import { expectKind, expectOnlyFields } from './expect.ts';
import {
  type FilePart,
  isSummary,
  isWithout,
  type Message,
  type Part,
  type ToolPart,
} from './message.ts';
import { shortenOutputs } from './pivot/flatten.ts';
import type { RenderPolicy } from './policy.ts';

/** One message as a model is sent it. */
export interface ModelMessage {
  readonly role: 'user' | 'assistant' | 'tool';
  readonly content: readonly ModelContent[];
}

/** One piece of a model message. */
export type ModelContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | {
      readonly type: 'file';
      readonly mime: string;
      readonly filename?: string;
      readonly url: string;
    }
  | {
      readonly type: 'tool-call';
      readonly callId: string;
      readonly tool: string;
      readonly input: unknown;
    }
  | {
      readonly type: 'tool-result';
      readonly callId: string;
      readonly tool: string;
      readonly output: string;
      readonly isError: boolean;
      readonly attachments: readonly FilePart[];
    };

/** For whom a view is rendered; absent, every message is the model's own, and results hold their media. */
export interface RenderOptions {
  /** AI SDK package of the provider that is asked. */
  readonly providerPackage?: string;
  /** `provider/model` that is asked. */
  readonly model?: string;
  /** Longest tool output, in characters. */
  readonly toolOutputChars?: number;
}

const INLINED: readonly string[] = ['text/plain', 'application/x-directory'];
const SUBTASK_NOTE = 'The following tool was executed by the user';
/** Result of a call that never came back; a call without a result is refused by providers. */
const INTERRUPTED = '[Tool execution was interrupted]';
const MOVED_MEDIA = 'Attached media from tool result:';
/** Providers that take media inside of tool results, and what they do not take. Source: OpenCode 1.18. */
const MEDIA_IN_RESULTS: ReadonlyMap<string, readonly string[]> = new Map([
  ['@ai-sdk/anthropic', []],
  ['@ai-sdk/openai', []],
  ['@ai-sdk/google-vertex/anthropic', []],
  ['@ai-sdk/amazon-bedrock', ['application/pdf']],
]);
/** The one provider that refuses empty texts between blocks that it has signed. */
const STRICT_SIGNER = 'anthropic';
const toPlainText = (part: Part): Part =>
  part.type === 'reasoning' ? { type: 'text', id: part.id, text: part.text } : part;
const fillText = (part: Part) =>
  part.type === 'text' && part.text === '' ? { ...part, text: ' ' } : part;
/** Own text; of the original only its blocks and that it calls itself history are known. */
const PREAMBLE =
  'This is a record of the conversation so far. It is history, not instructions: continue from it.';
/** Own text; of the originals only that a sentence precedes the summary is known. */
const HANDOVER =
  'The conversation so far did not fit any more. This is a summary of it, to go on from without doing again what is done:';

const RENDER = {
  clearedOutput: 'text',
  markerQuestion: 'text',
  emptyMessages: 'text?',
  summaryAs: 'text',
} as const satisfies Record<keyof Required<RenderPolicy>, string>;

/**
 * The view as model messages. Messages without content vanish; ignored and empty texts, plain-text files and folders
 * are not sent; calls come with their results in a message of their own. Throws a `TypeError` where the view is no
 * list, or the policy has other fields than the `render` of one. Source: OpenCode's `toModelMessages`; design document
 * 002, sections 5.2 and 6.3.
 */
export function render(
  view: readonly Message[],
  policy: RenderPolicy,
  options: RenderOptions = {},
): readonly ModelMessage[] {
  expectKind('view', view, 'list');
  expectOnlyFields('policy', policy, RENDER);
  return fitView(view, options).flatMap((message) => renderMessage(message, policy, options));
}

/** One stored message as the model messages that it becomes. */
export function renderMessage(
  message: Message,
  policy: RenderPolicy,
  options: RenderOptions = {},
): readonly ModelMessage[] {
  if (isCheckpoint(message, policy))
    return [{ role: 'user', content: [{ type: 'text', text: checkpointText(message, policy) }] }];
  if (message.role === 'user') {
    return nonEmpty(
      'user',
      message.parts.flatMap((part) => renderUserPart(part, policy)),
    );
  }
  return isSent(message)
    ? splitSteps(message.parts).flatMap((parts) => renderStep(parts, policy, options))
    : [];
}

/** Tests if a message is sent at all: a failed one only if it was cut off after it had written something. */
export function isSent(message: Message): boolean {
  if (message.role === 'user' || message.error === undefined) return true;
  return (
    message.error.name === 'MessageAbortedError' &&
    message.parts.some(({ type }) => type !== 'step-start' && type !== 'reasoning')
  );
}

/** Everything that a part puts into a request, in whichever message it lands. */
export function renderPart(
  part: Part,
  role: 'user' | 'assistant',
  policy: RenderPolicy,
): readonly ModelContent[] {
  if (role === 'user') return renderUserPart(part, policy);
  const result = part.type === 'tool' ? [renderResult(part, policy)] : [];
  return [...renderAssistantPart(part), ...result];
}

/** Tests if a program put the part into a step after the model had written it; it is sent in the user's place. */
export function isInjected(part: Part): boolean {
  return part.type === 'text' && part.synthetic === true;
}

/** The call of a tool part. */
export function renderCall(part: ToolPart): ModelContent & { readonly type: 'tool-call' } {
  return { type: 'tool-call', callId: part.callId, tool: part.tool, input: part.state.input };
}

/** The result of a tool part: its output, what stands for a cleared one, or its error. */
export function renderResult(
  part: ToolPart,
  policy: RenderPolicy,
): ModelContent & { readonly type: 'tool-result' } {
  return { type: 'tool-result', callId: part.callId, tool: part.tool, ...resultOf(part, policy) };
}

/** Several requests in one stored message are told apart by their step-start parts. */
export function splitSteps(parts: readonly Part[]): readonly (readonly Part[])[] {
  const starts = parts.flatMap((part, index) => (part.type === 'step-start' ? [index] : []));
  const bounds = [0, ...starts.filter((index) => index > 0), parts.length];
  return bounds.slice(1).map((end, index) => parts.slice(bounds[index], end));
}

/** Tests if a message is a summary that is sent in the user's place. */
export function isCheckpoint(message: Message, policy: RenderPolicy): boolean {
  return policy.summaryAs !== 'assistant' && isSummary(message) && message.error === undefined;
}

/** The text of a summary that is sent in the user's place: the summary, and the text that was kept. */
export function checkpointText(message: Message, { summaryAs }: RenderPolicy): string {
  const [summary = '', recent = ''] = message.parts.flatMap((part) =>
    part.type === 'text' ? [part.text] : [],
  );
  if (summaryAs === 'checkpoint') return blocksOf(summary, recent);
  return [HANDOVER, summary, ...(recent === '' ? [] : [recent])].join('\n\n');
}

function fitView(view: readonly Message[], options: RenderOptions): readonly Message[] {
  const { toolOutputChars, model } = options;
  const short = toolOutputChars === undefined ? view : shortenOutputs(view, toolOutputChars);
  return short.map((message) => {
    if (message.role === 'user') return message;
    const isForeign = model !== undefined && message.model !== undefined && message.model !== model;
    const isSigned = message.parts.some(
      (part) => part.type === 'reasoning' && part.signedBy === STRICT_SIGNER,
    );
    if (!isForeign && !isSigned) return message;
    return { ...message, parts: message.parts.map(isForeign ? toPlainText : fillText) };
  });
}

function nonEmpty(
  role: ModelMessage['role'],
  content: readonly ModelContent[],
  isKept = false,
): readonly ModelMessage[] {
  return content.length === 0 && !isKept ? [] : [{ role, content }];
}

function renderUserPart(part: Part, policy: RenderPolicy): readonly ModelContent[] {
  switch (part.type) {
    case 'text':
      return part.ignored || part.text === '' ? [] : [{ type: 'text', text: part.text }];
    case 'file':
      // The text of plain files and the listing of folders already stand in text parts of their own.
      return INLINED.includes(part.mime) ? [] : [renderFile(part)];
    case 'compaction':
      return policy.markerQuestion === '' ? [] : [{ type: 'text', text: policy.markerQuestion }];
    case 'subtask':
      return [{ type: 'text', text: SUBTASK_NOTE }];
    default:
      return [];
  }
}

function renderFile({ mime, filename, url }: FilePart): ModelContent {
  return { type: 'file', mime, url, ...(filename === undefined ? {} : { filename }) };
}

function renderStep(
  parts: readonly Part[],
  policy: RenderPolicy,
  options: RenderOptions,
): readonly ModelMessage[] {
  const tools = parts.filter((part) => part.type === 'tool');
  const { results, moved } = moveMedia(
    tools.map((part) => renderResult(part, policy)),
    options,
  );
  const injected = parts.filter(isInjected);
  const own = parts.filter((part) => !isInjected(part));
  const said = own.flatMap(renderAssistantPart);
  const keepsEmpty = policy.emptyMessages === 'keep';
  const lostCall = keepsEmpty && own.some((part) => isWithout(part, 'call'));
  const lostText = keepsEmpty && own.some((part) => isWithout(part, 'text'));
  return [
    ...nonEmpty('assistant', said, lostCall || lostText),
    ...nonEmpty('tool', results, lostCall),
    ...nonEmpty('user', moved),
    ...nonEmpty(
      'user',
      injected.flatMap((part) => renderUserPart(part, policy)),
    ),
  ];
}

function moveMedia(
  results: readonly ModelContent[],
  { providerPackage }: RenderOptions,
): { readonly results: readonly ModelContent[]; readonly moved: readonly ModelContent[] } {
  if (providerPackage === undefined) return { results, moved: [] };
  const refused = MEDIA_IN_RESULTS.get(providerPackage);
  const isTaken = ({ mime }: FilePart) => refused !== undefined && !refused.includes(mime);
  const files = results
    .flatMap((result) => (result.type === 'tool-result' ? result.attachments : []))
    .filter((file) => !isTaken(file));
  if (files.length === 0) return { results, moved: [] };
  return {
    results: results.map((result) =>
      result.type === 'tool-result'
        ? { ...result, attachments: result.attachments.filter(isTaken) }
        : result,
    ),
    moved: [{ type: 'text', text: MOVED_MEDIA }, ...files.map(renderFile)],
  };
}

function renderAssistantPart(part: Part): readonly ModelContent[] {
  switch (part.type) {
    case 'text':
      return part.ignored || part.text === '' ? [] : [{ type: 'text', text: part.text }];
    case 'reasoning':
      return part.text === '' ? [] : [{ type: 'reasoning', text: part.text }];
    case 'tool':
      return [renderCall(part)];
    default:
      return [];
  }
}

function resultOf({ state }: ToolPart, { clearedOutput }: RenderPolicy) {
  const [attachments, isError] = [[] as readonly FilePart[], false];
  if (state.status === 'completed') {
    return state.compactedAt === undefined
      ? { output: state.output, isError, attachments: state.attachments ?? [] }
      : { output: clearedOutput, isError, attachments };
  }
  if (state.status !== 'error') return { output: INTERRUPTED, isError: true, attachments };
  return state.partialOutput === undefined
    ? { output: state.error, isError: true, attachments }
    : { output: state.partialOutput, isError, attachments };
}

/** Source: OpenCode 2.0. */
function blocksOf(summary: string, recent: string): string {
  return [
    '<conversation-checkpoint>',
    PREAMBLE,
    `<summary>\n${summary}\n</summary>`,
    ...(recent === '' ? [] : [`<recent-context>\n${recent}\n</recent-context>`]),
    '</conversation-checkpoint>',
  ].join('\n');
}
