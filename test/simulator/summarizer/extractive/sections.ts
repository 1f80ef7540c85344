import type { Message, SummaryRequest } from '../../../../src/engine/index.ts';
import { fillTemplate } from '../../../../src/simulator/summarizer/extractive/extractive.ts';
import { step, text, toolIn } from '../../../support/history.ts';
import { toolsWith } from '../counters.ts';

/** Fields of a summary request that a test cares about. */
export type RequestFields = Partial<Omit<SummaryRequest, 'messages'>>;

/** The answer of `extractive` to a head. */
export function summarise(
  messages: readonly Message[],
  fields: RequestFields = {},
  countTokens = toolsWith().countTokens,
): string {
  const request = { system: '', prompt: '', messages, ...fields };
  const answer = fillTemplate(request, toolsWith(countTokens));
  return answer.state === 'finished' ? answer.text : '';
}

/** The bullets under the heading that begins with those letters, without their dashes. */
export function section(
  heading: string,
  messages: readonly Message[],
  fields: RequestFields = {},
): readonly string[] {
  const own = `\n${summarise(messages, fields)}`
    .split('\n## ')
    .find((block) => block.startsWith(heading));
  return (own ?? '')
    .split('\n- ')
    .slice(1)
    .map((line) => line.trim());
}

/** A step in which the model said something and went on with tools. */
export function says(value: string): Message {
  return step('says', [text('t', value)], { finish: 'tool-calls' });
}

/** A step in which the model said something and stopped. */
export function ends(value: string): Message {
  return step('ends', [text('t', value)]);
}

/** A step with a completed call. */
export function calls(name: string, input: unknown, output = ''): Message {
  return step('calls', [toolIn('c', { status: 'completed', input, output }, name)], {
    finish: 'tool-calls',
  });
}

/** A step with a failed call. */
export function fails(name: string, input: unknown, error: string): Message {
  return step('fails', [toolIn('c', { status: 'error', input, error }, name)], {
    finish: 'tool-calls',
  });
}
