import type { FilePart, Part, ToolPart } from '../message.ts';
import type { RenderPolicy } from '../policy.ts';

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

/** What a sub-agent task says to the model. */
const SUBTASK_NOTE = 'The following tool was executed by the user';
/** Result of a call that never came back; a call without a result is refused by providers. */
const INTERRUPTED = '[Tool execution was interrupted]';

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

/** Whether a program put the part into a step after the model had written it; it is sent in the user's place. */
export function isInjected(part: Part): boolean {
  return part.type === 'text' && part.synthetic === true;
}

/** A part of a user message. */
export function renderUserPart(part: Part, policy: RenderPolicy): readonly ModelContent[] {
  switch (part.type) {
    case 'text':
      return part.ignored || part.text === '' ? [] : [{ type: 'text', text: part.text }];
    case 'file':
      return isInlined(part) ? [] : [renderFile(part)];
    case 'compaction':
      return policy.markerQuestion === '' ? [] : [{ type: 'text', text: policy.markerQuestion }];
    case 'subtask':
      return [{ type: 'text', text: SUBTASK_NOTE }];
    default:
      return [];
  }
}

/** A file as it is sent. */
export function renderFile({ mime, filename, url }: FilePart): ModelContent {
  return { type: 'file', mime, url, ...(filename === undefined ? {} : { filename }) };
}

/** A part that the model wrote; a tool part gives its call. */
export function renderAssistantPart(part: Part): readonly ModelContent[] {
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

/** The text of plain files and the listing of folders already stand in text parts of their own. */
function isInlined(part: FilePart): boolean {
  return part.mime === 'text/plain' || part.mime === 'application/x-directory';
}

function resultOf({ state }: ToolPart, policy: RenderPolicy) {
  switch (state.status) {
    case 'completed':
      return state.compactedAt === undefined
        ? { output: state.output, isError: false, attachments: state.attachments ?? [] }
        : { output: policy.clearedOutput, isError: false, attachments: [] };
    case 'error':
      return state.partialOutput === undefined
        ? { output: state.error, isError: true, attachments: [] }
        : { output: state.partialOutput, isError: false, attachments: [] };
    default:
      return { output: INTERRUPTED, isError: true, attachments: [] };
  }
}
