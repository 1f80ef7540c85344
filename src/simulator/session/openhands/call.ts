/** Actions of OpenHands as tool calls. */

import type { RecordedCall } from '../reading/dialogue.ts';
import type { Tally } from '../reading/tally.ts';
import { toInput } from '../reading/tool-input.ts';
import { answerOf, type HandsEvent } from './event.ts';

/** What stands among the arguments of an action and was no argument of the call. */
const ADDED_ARGUMENTS = new Set([
  'blocking',
  'confirmation_state',
  'hidden',
  'is_static',
  'thought',
]);

/** The call that an action is; a message is none. */
export function toCall(event: HandsEvent, tally: Tally): RecordedCall | undefined {
  const { action = 'unknown', tool_call_metadata: metadata } = event;
  if (metadata === undefined) return action === 'message' ? undefined : toPlainCall(event, action);
  const { tool_call_id: callId, function_name: name } = metadata;
  const calls = answerOf(event)?.tool_calls ?? [];
  const called = calls.find(({ id }) => id === callId)?.function;
  const tool = name ?? called?.name ?? action;
  if (called === undefined) return { ...toPlainCall(event, tool), callId };
  return { callId, tool, input: toInput(called.arguments, tally) };
}

function toPlainCall({ args }: HandsEvent, tool: string): RecordedCall {
  const input = Object.entries(args).filter(([key]) => !ADDED_ARGUMENTS.has(key));
  return { tool, input: Object.fromEntries(input) };
}
