import type { RecordedCall } from '../reading/dialogue.ts';
import type { SdkInvocation, SdkPart } from './message.ts';
import { type SdkOutput, toPlainOutput, toSentOutput } from './output.ts';

/** A call with its result, where it has one. */
export interface SdkCall extends RecordedCall {
  readonly result?: SdkOutput;
}

const TOOL_PREFIX = 'tool-';
/** Pieces whose types begin like those of a tool and are none. */
const NO_TOOLS = new Set(['tool-approval-request', 'tool-approval-response', 'tool-result']);

/** The call that a piece of a message is; `undefined` if it is none. */
export function toCall(part: SdkPart): SdkCall | undefined {
  const { type = '', toolInvocation: older } = part;
  if (type === 'tool-invocation') return older && toInvocation(older);
  if (NO_TOOLS.has(type)) return undefined;
  if (type === 'tool-call') return { ...toBareCall(part, part.toolName) };
  if (type === 'dynamic-tool') return toShownCall(part, part.toolName);
  return type.startsWith(TOOL_PREFIX)
    ? toShownCall(part, type.slice(TOOL_PREFIX.length))
    : undefined;
}

/** The result that a piece of a message brings for a call in another. */
export function toResult(part: SdkPart): SdkOutput | undefined {
  if (part.type !== 'tool-result') return undefined;
  if (part.output !== undefined) return toSentOutput(part.output);
  return { ...toPlainOutput(part.result), isError: part.isError === true };
}

function toInvocation(older: SdkInvocation): SdkCall {
  const call = { callId: older.toolCallId, tool: older.toolName ?? 'unknown', input: older.args };
  return older.state === 'result' ? { ...call, result: toPlainOutput(older.result) } : call;
}

function toShownCall(part: SdkPart, name: string | undefined): SdkCall {
  const call = toBareCall(part, name);
  const { state, output, errorText } = part;
  if (state === 'output-available') return { ...call, result: toPlainOutput(output) };
  const isError = state === 'output-error' || state === 'output-denied';
  return isError ? { ...call, result: { ...toPlainOutput(errorText), isError } } : call;
}

function toBareCall({ toolCallId: callId, input, args }: SdkPart, name = 'unknown'): SdkCall {
  return { callId, tool: name, input: input ?? args ?? {} };
}
