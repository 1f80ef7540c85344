import type { Message } from '../../../engine/index.ts';
import type { Artifact } from '../../metrics/quality/measures/artifacts.ts';
import type { FileOperation } from '../../session/facts.ts';
import { type DatedTouch, readTouches } from '../../summarizer/extractive/touches.ts';

/** A file, what was done to it, and the step that did it. */
export interface DatedArtifact extends Artifact {
  readonly step: number;
}

/** What was searched was not touched. */
const OPERATIONS: Readonly<Partial<Record<DatedTouch['operation'], FileOperation>>> = {
  created: 'create',
  edited: 'edit',
  deleted: 'delete',
  read: 'read',
};

/** What the calls of a session did to files, in order. */
export function artifactsOfSession(
  messages: readonly Message[],
  stepOf: ReadonlyMap<string, number>,
): readonly DatedArtifact[] {
  const calls = messages.flatMap(({ parts }, at) =>
    parts.flatMap((part) => (part.type === 'tool' ? [{ part, at }] : [])),
  );
  return readTouches(messages, calls).flatMap(({ path, operation, at }) => {
    const own = OPERATIONS[operation];
    const step = stepOf.get(messages[at]?.id ?? '');
    return own === undefined || step === undefined ? [] : [{ path, operation: own, step }];
  });
}
