import type { ToolPart } from '../../engine/index.ts';

/** Where a provider searched itself, recordings have no output. */
const PROVIDER_SEARCH = 'web_search';

/** What a call gave back; nothing while it runs. */
export function outputOf({ state }: ToolPart): string | undefined {
  if (state.status === 'completed') return state.output;
  return state.status === 'error' ? state.error : undefined;
}

/** What a call was given, as it was sent: a text as it stands, anything else as JSON. */
export function argumentsOf({ state: { input } }: ToolPart): string {
  return typeof input === 'string' ? input : (JSON.stringify(input) ?? '');
}

/** What a call gave back, as far as it was recorded: what is not there is unknown, not empty. */
export function recordedOutputOf(part: ToolPart): string | undefined {
  const output = outputOf(part);
  return output === '' && part.tool === PROVIDER_SEARCH ? undefined : output;
}
