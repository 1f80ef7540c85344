import type { SessionFormat, SourceFile } from '../format.ts';
import { finishSession } from '../reading/finish-session.ts';
import { noConversation } from '../reading/no-conversation.ts';
import { countLineFaults } from '../reading/record-lines.ts';
import type { Session } from '../session.ts';
import { createTally, type Tally } from '../reading/tally.ts';
import { dropUnknown } from '../reading/unknown-records.ts';
import { activeBranch, messagesBeside } from './branch.ts';
import { type PiConversation, readConversation } from './conversation.ts';
import { isHeader, isMessage, isUnknown, NO_RECORD, parseRecord, type PiRecord } from './record.ts';

/** Sessions of pi, and of agents that are built on it: a line, or a tree, of entries. */
export const pi: SessionFormat = {
  label: 'pi session (JSON lines)',
  detect: (file) => {
    const records = file.lines().records.flatMap((line) => parseRecord(line) ?? []);
    return records.some(isHeader) && records.some(isMessage);
  },
  read: (file) => [readSession(file)],
};

function readSession(file: SourceFile): Session {
  const tally = createTally();
  const records = readRecords(file, tally);
  const branch = activeBranch(records);
  tally.drop('message of another branch', messagesBeside(records, branch));
  const conversation = readConversation(branch, tally);
  if (conversation.drafts.length === 0)
    throw noConversation(file.name, 'a pi session without messages');
  return { name: file.name, ...toSession(records, conversation, tally) };
}

/** A line that is no record keeps its place, for entries are also known by it. */
function readRecords(file: SourceFile, tally: Tally): readonly PiRecord[] {
  const lines = file.lines();
  const parsed = lines.records.map(parseRecord);
  const records = parsed.flatMap((record) => record ?? []);
  countLineFaults(lines, tally);
  tally.drop('line that is no object', parsed.length - records.length);
  dropUnknown(
    tally,
    records.filter(isUnknown).map(({ type }) => type),
  );
  return parsed.map((record) => record ?? NO_RECORD);
}

function toSession(
  records: readonly PiRecord[],
  { drafts, compactions, costs, isPartial }: PiConversation,
  tally: Tally,
): Omit<Session, 'name'> {
  const finished = finishSession(drafts, tally, openedWith(records));
  const sessionId = records.find(isHeader)?.id;
  const recordedCosts = new Map(
    finished.messages.flatMap(({ id }, index) => {
      const cost = costs.get(index);
      return cost === undefined ? [] : [[id, cost] as const];
    }),
  );
  return {
    format: 'pi',
    ...(sessionId !== undefined && { sessionId }),
    isSide: false,
    isPartial,
    recordedCompactions: compactions,
    isOutputFinal: true,
    ...(recordedCosts.size > 0 && { recordedCosts }),
    ...finished,
  };
}

/** The model that the session was opened with, where no step names one. */
function openedWith(records: readonly PiRecord[]): string | undefined {
  const opened = records.find(({ modelId }) => modelId !== undefined);
  return opened && `${opened.provider ?? 'unknown'}/${opened.modelId}`;
}
