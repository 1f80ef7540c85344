import { countEach } from '../../lib/collections.ts';
import { createTouches } from '../../replay/references/touches.ts';
import type { Answer } from '../../report/answer-schema.ts';
import { createOpener, type SessionPlace } from '../../session/load.ts';
import type { Session } from '../../session/session.ts';
import { NO_STORY, type SessionStory, storyOf } from '../../session/story.ts';

type Expensive = NonNullable<Answer['mostExpensive']>;

/** Reads a session again to say what it was about; nothing of one that is gone. */
export function tellExpensive(place: SessionPlace): SessionStory & Pick<Expensive, 'readAgain'> {
  const opened = createOpener().open(place);
  if (opened.state === 'unread') return { ...NO_STORY, readAgain: null };
  return { ...storyOf(opened.session), readAgain: findReadAgain(opened.session) };
}

/** The file that was read most often again after a recorded compaction; `null` where there is none. */
function findReadAgain({ messages, recordedCompactions }: Session): Expensive['readAgain'] {
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
