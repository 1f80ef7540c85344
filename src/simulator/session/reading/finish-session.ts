import type { Session } from '../session.ts';
import { cacheMarkOf } from './cache-mark.ts';
import type { Tally } from './tally.ts';
import { type DraftMessage, finishMessages, modelOf } from './transcript.ts';

/** What the messages of a session make of it, and all that was counted; `otherwise` is its model where no step names one. */
export function finishSession(
  drafts: readonly DraftMessage[],
  tally: Tally,
  otherwise?: string,
): Pick<Session, 'model' | 'messages' | 'isCacheUnknown' | 'report'> {
  const model = modelOf(drafts) ?? otherwise;
  return {
    ...(model !== undefined && { model }),
    messages: finishMessages(drafts, tally),
    ...cacheMarkOf(drafts),
    report: tally.toReport(),
  };
}
