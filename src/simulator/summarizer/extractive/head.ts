import {
  isSent,
  isSummary,
  type Message,
  type SummaryRequest,
  type ToolPart,
} from '../../../engine/index.ts';
import type { Call } from '../../session/touches.ts';
import { quotedSummary } from '../summarizer.ts';

/** A text of one message. */
export interface Passage {
  readonly text: string;
  /** Index of the message in the head. */
  readonly at: number;
}

/** A head, sorted by who wrote what. */
export interface Head {
  /** User requests, without synthetic ones. */
  readonly requests: readonly Passage[];
  /** The last answer of each turn. */
  readonly reports: readonly Passage[];
  /** The other answers of the model. */
  readonly remarks: readonly Passage[];
  readonly calls: readonly Call[];
  /** The text of the summary that the head builds on; empty where there is none. */
  readonly previous: string;
  /** True if the newest request has its final answer. */
  readonly isAnswered: boolean;
}

/** Sorts the messages of a request. Messages and texts that are never sent count for nothing. */
export function readHead({ messages, prompt }: SummaryRequest): Head {
  const sent = messages.map((message, at) => ({ message, at })).filter(isOwn);
  const written = sent
    .map(({ message, at }) => ({ at, role: message.role, text: writtenText(message) }))
    .filter(({ text }) => text.trim() !== '');
  const isReport = (index: number) => written[index + 1]?.role !== 'assistant';
  const answers = written
    .map((one, index) => ({ ...one, isReport: isReport(index) }))
    .filter(({ role }) => role === 'assistant');
  const previous = messages.findLast(isUsableSummary);
  return {
    requests: written.filter(({ role }) => role === 'user'),
    reports: answers.filter((answer) => answer.isReport),
    remarks: answers.filter((answer) => !answer.isReport),
    calls: sent.flatMap(({ message, at }) => toolParts(message).map((part) => ({ part, at }))),
    previous: previous === undefined ? quotedSummary(prompt) : writtenText(previous),
    isAnswered: isAnswered(messages),
  };
}

function isOwn({ message }: { readonly message: Message }): boolean {
  return isSent(message) && !isSummary(message);
}

function isUsableSummary(message: Message): boolean {
  return isSummary(message) && message.error === undefined && writtenText(message).trim() !== '';
}

function writtenText(message: Message): string {
  return message.parts
    .flatMap((part) => {
      if (part.type === 'subtask') return [part.prompt];
      return part.type === 'text' && !part.synthetic && !part.ignored ? [part.text] : [];
    })
    .join('\n');
}

function toolParts({ parts }: Message): readonly ToolPart[] {
  return parts.filter((part) => part.type === 'tool');
}

function isAnswered(messages: readonly Message[]): boolean {
  const last = messages.findLast((message) =>
    message.role === 'user' ? writtenText(message) !== '' : !isSummary(message),
  );
  return last?.role === 'assistant' && last.finish === 'stop';
}
