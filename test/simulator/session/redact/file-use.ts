import { createTouches } from '../../../../src/simulator/replay/references/calls.ts';
import { findReferences } from '../../../../src/simulator/replay/references/find-references.ts';
import type { Session } from '../../../../src/simulator/session/session.ts';
import { isChange } from '../../../../src/simulator/session/shell.ts';

/** How the calls of a session use files, in counts. */
export function fileUseOf({ messages, system }: Session) {
  const files = createTouches(messages);
  const touches = messages.flatMap(({ parts }) => parts.flatMap(files.of));
  const references = findReferences({ messages, system, facts: [], weigh: () => 1 });
  const activity = [...references.activity.values()];
  const sumOf = (count: 'fileReads' | 'fileRereads') =>
    activity.reduce((sum, each) => sum + each[count], 0);
  return {
    reads: touches.filter(({ operation }) => operation === 'read').length,
    writes: touches.filter(isChange).length,
    touches: touches.length,
    files: new Set(touches.map(({ path }) => path)).size,
    readOutputs: sumOf('fileReads'),
    reReads: sumOf('fileRereads'),
    staleOutputs: activity.flatMap(({ stale }) => stale).length,
  };
}
