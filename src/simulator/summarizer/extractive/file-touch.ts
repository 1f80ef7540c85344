import type { ToolPart } from '../../../engine/index.ts';
import type { FileTouch } from '../../session/statistics/sample-session.ts';
import { operationOf, pathsOf } from '../../session/tool-calls.ts';

/** The files that a call reads or changes; searching touches none. */
export function touchesOf(part: ToolPart): readonly FileTouch[] {
  const operation = operationOf(part);
  if (operation === undefined || operation === 'searched') return [];
  return pathsOf(part).map((path) => ({ path, isChange: operation !== 'read' }));
}
