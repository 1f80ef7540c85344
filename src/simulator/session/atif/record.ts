import { z } from 'zod';
import { isObject } from '../../lib/json.ts';
import { toJsonText } from '../files/nesting.ts';
import {
  list,
  maybeId,
  maybeNumber,
  maybeObject,
  maybeText,
  maybeTokens,
} from '../reading/lenient.ts';
import { toModelName } from '../reading/model-name.ts';

/** The provider's count for a step. */
export type AtifMetrics = AtifStep['metrics'];

const callSchema = z.object({
  tool_call_id: maybeId,
  function_name: maybeText,
  id: maybeId,
  name: maybeText,
  arguments: z.unknown().optional(),
});

const referenceSchema = z.object({ trajectory_id: maybeId, session_id: maybeId });

const resultSchema = z.object({
  source_call_id: maybeId,
  content: z.unknown().optional(),
  result: maybeObject({ success: z.unknown().optional() }),
  subagent_trajectory_ref: list.transform((references) =>
    references.flatMap((reference) => referenceSchema.safeParse(reference).data ?? []),
  ),
});

const observationSchema = maybeObject({
  ...resultSchema.shape,
  results: z.array(z.unknown()).optional().catch(undefined),
});

const metricsSchema = maybeObject({
  prompt_tokens: maybeTokens,
  completion_tokens: maybeTokens,
  cached_tokens: maybeTokens,
  extra: maybeObject({
    cache_creation_input_tokens: maybeTokens,
    reasoning_tokens: maybeTokens,
  }),
});

const stepSchema = z.object({
  step_id: maybeNumber,
  timestamp: z.unknown().optional(),
  source: z.enum(['user', 'agent', 'system']),
  model_name: maybeText,
  message: z.unknown().optional(),
  reasoning_content: maybeText,
  tool_calls: list.transform((calls) =>
    calls.flatMap((call) => callSchema.safeParse(call).data ?? []),
  ),
  observation: observationSchema,
  metrics: metricsSchema,
});

const agentSchema = z.object({
  name: maybeText,
  model_name: maybeText,
  model: maybeText,
  provider: maybeText,
});

/** One step of a trajectory: what a user, an agent or the system said, and what came of it. */
export type AtifStep = z.infer<typeof stepSchema>;

/** A call that an agent asked for. */
export type AtifCall = z.infer<typeof callSchema>;

/** What came back from a call. */
export type AtifResult = z.infer<typeof resultSchema>;

/** How a result names the trajectory of the sub-agent that gave it. */
export type AtifReference = z.infer<typeof referenceSchema>;

/** What a trajectory says about the agent. */
export type AtifAgent = z.infer<typeof agentSchema>;

/** A step, or `undefined` if it is none. */
export function parseStep(value: unknown): AtifStep | undefined {
  return stepSchema.safeParse(value).data;
}

/** What a trajectory says about the agent; nothing where it says nothing that can be read. */
export function parseAgent(value: unknown): AtifAgent {
  return agentSchema.safeParse(value).data ?? agentSchema.parse({});
}

/** `provider/model` of a step, which is the agent's where the step names none. Names are free; one without a provider gets the agent's. */
export function modelNameOf(
  { provider, model_name: usual, model: early }: AtifAgent,
  name = usual ?? early,
): string | undefined {
  return name === undefined ? undefined : toModelName(name, provider);
}

/** The results of an observation; one that is no list of results is a result itself. */
export function resultsOf({ observation }: AtifStep): readonly AtifResult[] {
  if (observation === undefined) return [];
  const { results, ...only } = observation;
  if (results !== undefined)
    return results.flatMap((each) => resultSchema.safeParse(each).data ?? []);
  return only.content === undefined ? [] : [only];
}

/** The id of a call, by either of the names that it has. */
export function idOf(call: AtifCall): string | undefined {
  return call.tool_call_id ?? call.id;
}

/** A content as text: itself, its pieces one below the other, or the JSON of what is neither. */
export function toText(content: unknown): string {
  if (content === undefined || content === null) return '';
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return toJsonText(content);
  return content.flatMap(textOfPiece).join('\n');
}

/** Whether a piece of a content is a picture. */
export function isImage(piece: unknown): piece is Readonly<Record<string, unknown>> {
  return isObject(piece) && piece['type'] === 'image';
}

function textOfPiece(piece: unknown): readonly string[] {
  if (typeof piece === 'string') return [piece];
  if (!isObject(piece) || isImage(piece)) return [];
  return [typeof piece['text'] === 'string' ? piece['text'] : toJsonText(piece)];
}
