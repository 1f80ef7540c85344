import type { ToolPart } from '../../../engine/index.ts';
import type { FileTouch } from '../../session/statistics/reuse.ts';
import { operationOf, pathOf } from '../../session/calls/tool-calls.ts';

/** The file that a call reads or changes; searching touches none. */
export function touchOf(part: ToolPart): FileTouch | undefined {
  const operation = operationOf(part);
  const path = pathOf(part);
  if (operation === undefined || operation === 'searched' || path === undefined) return undefined;
  return { path, isChange: operation !== 'read' };
}
