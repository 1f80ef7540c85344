import { opensTurn } from '../claude-code/blocks.ts';
import { isStep } from '../claude-code/conversation.ts';
import { type ClaudeRecord, isConversation, LOST_PROMPT } from '../claude-code/record.ts';
import { type StreamRecord, textOf } from './record.ts';

interface Reading {
  readonly records: ClaudeRecord[];
  /** Whether the steps that come belong to a prompt that is known. */
  isTurnOpen: boolean;
  /** Whether no step has followed a compaction. */
  isCompacting: boolean;
  /** Whether nobody has spoken since a boundary. */
  isAfterBoundary: boolean;
  release: string | undefined;
}

const SUMMARY_START = 'This session is being continued from a previous conversation';

/** The records with what a stream does not say: which prompt is a summary, and where a turn began without its prompt. */
export function completeTurns(stream: readonly StreamRecord[]): readonly ClaudeRecord[] {
  const reading: Reading = {
    records: [],
    isTurnOpen: false,
    isCompacting: false,
    isAfterBoundary: false,
    release: undefined,
  };
  for (const record of stream) readRecord(reading, record);
  return reading.records;
}

function readRecord(reading: Reading, stream: StreamRecord): void {
  const { record, isInit, isResult, isBoundary, isCompacting, release } = stream;
  reading.release = release ?? reading.release;
  const isRunStart = isInit && !reading.isCompacting;
  if (isRunStart || isResult) reading.isTurnOpen = false;
  reading.isAfterBoundary ||= isBoundary;
  reading.isCompacting ||= isCompacting;
  const isMain = isConversation(record) && !record.isSidechain;
  reading.records.push(isMain ? readMain(reading, stream) : withRelease(reading, record));
}

function readMain(reading: Reading, stream: StreamRecord): ClaudeRecord {
  const { record } = stream;
  const isCompactSummary = isSummary(reading, stream);
  if (isStep(record)) openTurn(reading, record);
  else if (opensTurn({ ...record, isCompactSummary })) reading.isTurnOpen = true;
  reading.isAfterBoundary = false;
  return { ...withRelease(reading, record), isCompactSummary };
}

/** Where no prompt is told, the stream of a run begins with its first step. */
function openTurn(reading: Reading, { timestamp }: ClaudeRecord): void {
  if (!reading.isTurnOpen) reading.records.push({ ...LOST_PROMPT, timestamp });
  reading.isTurnOpen = true;
  reading.isCompacting = false;
}

function isSummary({ isAfterBoundary }: Reading, stream: StreamRecord): boolean {
  if (!isAfterBoundary || stream.record.type !== 'user') return false;
  return stream.isSynthetic || textOf(stream).startsWith(SUMMARY_START);
}

function withRelease({ release }: Reading, record: ClaudeRecord): ClaudeRecord {
  return { ...record, version: release };
}
