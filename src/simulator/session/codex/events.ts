import { contextTokensOf, type RecordedCompaction } from '../session.ts';
import { type Reading, endTurn } from './reading.ts';
import { type CodexPayload, piecesOf } from './record.ts';
import { rollBack } from './rollback.ts';
import { toUsage } from './usage.ts';

/** Reads an event; besides counts, compactions, interruptions and rollbacks, events only repeat what items say. */
export function readEvent(reading: Reading, payload: CodexPayload): void {
  if (payload.type === 'token_count') readCount(reading, payload);
  else if (payload.type === 'context_compacted') addCompaction(reading, {});
  else if (payload.type === 'turn_aborted') readAbort(reading);
  else if (payload.type === 'thread_rolled_back') rollBack(reading, payload.num_turns);
}

/** Reads the record of a compaction, which says what replaced the history. */
export function readCompacted(reading: Reading, payload: CodexPayload): void {
  const summary = reading.expander.toText(payload.message ?? '');
  if (reading.drafts.length === 0) return startFromReplacement(reading, summary, payload);
  addCompaction(reading, summary === '' ? {} : { summary });
}

/** A count comes when the answer is complete, and again whenever the screen wants it. */
function readCount(reading: Reading, { info }: CodexPayload): void {
  const usage = toUsage(info?.last_token_usage);
  const totalTokens = info?.total_token_usage?.total_tokens;
  const isRepeated = totalTokens !== undefined && totalTokens === reading.totalTokens;
  if (usage === undefined || isRepeated) return;
  reading.totalTokens = totalTokens;
  const { step } = reading;
  if (step === undefined || step.usage !== undefined) return;
  step.usage = usage;
  reading.lastUsage = usage;
  reading.isStepOpen = false;
}

/** What the model had written so far is kept, and sent again. */
function readAbort(reading: Reading): void {
  const { drafts, step, isStepOpen } = reading;
  if (step !== undefined && isStepOpen && drafts.at(-1) === step) {
    drafts.pop();
    drafts.push({ ...step, error: { name: 'MessageAbortedError', message: 'Aborted' } });
  }
  endTurn(reading);
}

/** The record and the event of one compaction stand at one place, in either order. */
function addCompaction(reading: Reading, told: Pick<RecordedCompaction, 'summary'>): void {
  const { compactions, drafts, lastUsage } = reading;
  endTurn(reading);
  if (drafts.length === 0) return;
  const last = compactions.at(-1);
  const isTold = last?.messageIndex === drafts.length;
  if (isTold) compactions.pop();
  compactions.push({
    kind: 'full',
    messageIndex: drafts.length,
    ...(lastUsage !== undefined && { tokensBefore: contextTokensOf(lastUsage) }),
    ...(isTold && last),
    ...told,
  });
}

/** A compaction that nothing precedes is where the session starts, not something that happened in it. */
function startFromReplacement(reading: Reading, summary: string, payload: CodexPayload): void {
  const { replacement_history: items } = payload;
  reading.isPartial = true;
  reading.pending.inject(summary);
  for (const item of Array.isArray(items) ? items : []) {
    for (const { text = '' } of piecesOf(item?.content)) {
      reading.pending.inject(reading.expander.toText(text));
    }
  }
}
