import type { ToolPart } from '../../engine/index.ts';

/** What a call gave back; nothing while it runs. */
export function outputOf({ state }: ToolPart): string | undefined {
  if (state.status === 'completed') return state.output;
  return state.status === 'error' ? state.error : undefined;
}
