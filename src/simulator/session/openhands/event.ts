import { z } from 'zod';
import { isObject } from '../../lib/json.ts';
import { recordOf } from '../reading/any-keys.ts';
import { list, maybeId, maybeNumber, maybeObject, maybeText } from '../reading/lenient.ts';

/** What the editor of files is observed to do; what it shows of a file stands under a line of its own. */
const EDITOR_OBSERVATIONS: ReadonlySet<string> = new Set(['read', 'edit']);
/** Begins what it says where it does nothing. */
const EDITOR_REFUSES = 'ERROR:\n';

const calledSchema = z.object({
  id: maybeId,
  function: maybeObject({ name: maybeText, arguments: z.unknown().optional() }),
});

const answerSchema = maybeObject({
  content: z.unknown().optional(),
  reasoning_content: maybeText,
  tool_calls: list.transform((calls) =>
    calls.flatMap((call) => calledSchema.safeParse(call).data ?? []),
  ),
});

const metadataSchema = maybeObject({
  function_name: maybeText,
  tool_call_id: maybeId,
  model_response: maybeObject({
    id: maybeId,
    model: maybeText,
    usage: z.unknown().optional(),
    choices: list.transform((choices) =>
      choices.flatMap((choice) =>
        isObject(choice) ? [answerSchema.parse(choice['message'])] : [],
      ),
    ),
  }),
});

const eventSchema = z.object({
  id: maybeNumber,
  timestamp: z.unknown().optional(),
  source: maybeText,
  action: maybeText,
  observation: maybeText,
  cause: maybeNumber,
  content: z.unknown().optional(),
  args: recordOf(z.unknown()).catch({}),
  extras: recordOf(z.unknown()).catch({}),
  tool_call_metadata: metadataSchema,
});

/** An action of somebody, or what came of one. */
export type HandsEvent = z.infer<typeof eventSchema>;

/** An event, or `undefined` if it is none. */
export function parseEvent(value: unknown): HandsEvent | undefined {
  const event = eventSchema.safeParse(value).data;
  return event?.action === undefined && event?.observation === undefined ? undefined : event;
}

/** A text among the arguments of an action; empty where there is none. */
export function argument({ args }: HandsEvent, key: string): string {
  const value = args[key];
  return typeof value === 'string' ? value : '';
}

/** Whether an observation tells of a failure, a command that ended with another code than 0, or a file that its editor left alone. */
export function hasFailed({ observation = '', content, extras }: HandsEvent): boolean {
  const metadata = extras['metadata'];
  const code = isObject(metadata) ? metadata['exit_code'] : undefined;
  if (typeof code === 'number' && code !== 0) return true;
  return (
    observation === 'error' ||
    (EDITOR_OBSERVATIONS.has(observation) && toText(content).startsWith(EDITOR_REFUSES))
  );
}

/** What a model wrote beside its calls; `undefined` where its answer is not kept. */
export function answerOf({ tool_call_metadata: metadata }: HandsEvent) {
  return metadata?.model_response?.choices[0];
}

/** A content as text: itself, or its pieces one below the other. */
export function toText(content: unknown): string {
  if (typeof content === 'string') return content;
  return list
    .parse(content)
    .flatMap((piece) => (isObject(piece) && typeof piece['text'] === 'string' ? piece['text'] : []))
    .join('\n');
}
