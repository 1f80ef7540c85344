import { countEach } from '../../lib/collections.ts';
import { createTouches } from '../../replay/references/touches.ts';
import type { Answer } from '../../report/answer-schema.ts';
import { createOpener, type SessionPlace } from '../../session/load.ts';

/** The file that was read most often again after a recorded compaction; `null` where there is none, or the session is gone. */
export function findReadAgain(
  place: SessionPlace,
): NonNullable<Answer['mostExpensive']>['readAgain'] {
  const opened = createOpener().open(place);
  if (opened.state === 'unread') return null;
  const { messages, recordedCompactions } = opened.session;
  const [start] = recordedCompactions.filter(({ kind }) => kind === 'full');
  if (start === undefined) return null;
  const touches = createTouches(messages);
  const readsIn = (from: number, to: number) =>
    messages
      .slice(from, to)
      .flatMap(({ parts }) => parts)
      .flatMap((part) => touches.of(part))
      .flatMap(({ path, operation }) => (operation === 'read' ? [path] : []));
  const before = new Set(readsIn(0, start.messageIndex));
  const again = readsIn(start.messageIndex, messages.length).filter((path) => before.has(path));
  const [most] = [...countEach(again)].toSorted(([, one], [, other]) => other - one);
  return most === undefined ? null : { file: most[0], times: most[1] };
}
