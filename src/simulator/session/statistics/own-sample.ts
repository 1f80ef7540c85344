import type { Session } from '../session.ts';
import { byTextKind, CONTENT_KINDS, type ContentKind, type SessionSample } from './sample.ts';

/** A session up to some message, with the compactions before it. */
export function headOf(session: Session, messages: number): Session {
  return {
    ...session,
    messages: session.messages.slice(0, messages),
    recordedCompactions: session.recordedCompactions.filter(
      ({ messageIndex }) => messageIndex < messages,
    ),
  };
}

/** What the sample of a session holds beyond that of its head. */
export function withoutHead(whole: SessionSample, head: SessionSample): SessionSample {
  const { textTokens, gaps, reuse } = head;
  return {
    ...whole,
    messages: whole.messages - head.messages,
    tokensByKind: subtractKinds(whole.tokensByKind, head.tokensByKind),
    textTokens: byTextKind((kind) => rest(whole.textTokens[kind], textTokens[kind])),
    calls: rest(whole.calls, head.calls),
    turns: rest(whole.turns, head.turns),
    steps: rest(whole.steps, head.steps),
    gaps: {
      beforeUser: rest(whole.gaps.beforeUser, gaps.beforeUser),
      model: rest(whole.gaps.model, gaps.model),
      toolsAndModel: rest(whole.gaps.toolsAndModel, gaps.toolsAndModel),
    },
    reuse: {
      reads: whole.reuse.reads - reuse.reads,
      repeatedReads: whole.reuse.repeatedReads - reuse.repeatedReads,
      rereads: rest(whole.reuse.rereads, reuse.rereads),
      changes: rest(whole.reuse.changes, reuse.changes),
    },
    compactions: rest(whole.compactions, head.compactions),
    growth: rest(whole.growth, head.growth),
  };
}

/** What is left of a list of which some others come first. */
function rest<Item>(all: readonly Item[], first: readonly Item[]): readonly Item[] {
  return all.slice(first.length);
}

function subtractKinds(
  whole: SessionSample['tokensByKind'],
  head: SessionSample['tokensByKind'],
): SessionSample['tokensByKind'] {
  const left: Record<ContentKind, number> = { ...whole };
  for (const kind of CONTENT_KINDS) left[kind] -= head[kind];
  return left;
}
