import {
  isSent,
  isSummary,
  type Message,
  type SummaryRequest,
  type ToolPart,
} from '../../../engine/index.ts';

/** What somebody wrote in one message. */
export interface Passage {
  readonly text: string;
  /** Index of the message in the head. */
  readonly at: number;
  /** How many requests of the user came up to here. */
  readonly turn: number;
}

/** A tool call with the index of its message. */
export interface Call {
  readonly part: ToolPart;
  readonly at: number;
}

/** What a head holds, sorted by who wrote it. */
export interface Head {
  /** What the user asked, without what programs put in their place. */
  readonly requests: readonly Passage[];
  /** What programs put in the place of the user, such as the rules of a project. */
  readonly notes: readonly Passage[];
  /** What the model answered. */
  readonly answers: readonly Passage[];
  readonly calls: readonly Call[];
  /** The text of the summary that the head builds on; empty where there is none. */
  readonly previous: string;
  /** Whether the newest request has its final answer. */
  readonly isAnswered: boolean;
}

const PREVIOUS_START = '<previous-summary>';
const PREVIOUS_END = '</previous-summary>';

/** Sorts the messages of a request. Messages and texts that are never sent count for nothing. */
export function readHead({ messages, prompt }: SummaryRequest): Head {
  const previous = messages.findLast(isUsableSummary);
  const [requests, answers] = readPassages(messages);
  return {
    requests,
    notes: readNotes(messages),
    answers,
    calls: messages.flatMap((message, at) =>
      isSent(message) ? toolParts(message).map((part) => ({ part, at })) : [],
    ),
    previous: previous === undefined ? quotedSummary(prompt) : writtenText(previous),
    isAnswered: isAnswered(messages),
  };
}

/** The summary that an instruction quotes, as a policy does that hides earlier ones from the head; empty where there is none. */
export function quotedSummary(prompt: string): string {
  const start = prompt.indexOf(PREVIOUS_START);
  const end = prompt.lastIndexOf(PREVIOUS_END);
  return start < 0 || end < start ? '' : prompt.slice(start + PREVIOUS_START.length, end);
}

function readPassages(messages: readonly Message[]) {
  const requests: Passage[] = [];
  const answers: Passage[] = [];
  for (const [at, message] of messages.entries()) {
    const text = isSummary(message) || !isSent(message) ? '' : writtenText(message);
    if (text.trim() === '') continue;
    if (message.role === 'user') requests.push({ text, at, turn: requests.length + 1 });
    else answers.push({ text, at, turn: requests.length });
  }
  return [requests, answers] as const;
}

function readNotes(messages: readonly Message[]): readonly Passage[] {
  return messages.flatMap((message, at) =>
    message.role !== 'user' || !isSent(message)
      ? []
      : message.parts.flatMap((part) =>
          part.type === 'text' && part.synthetic === true && part.ignored !== true
            ? [{ text: part.text, at, turn: 0 }]
            : [],
        ),
  );
}

function isUsableSummary(message: Message): boolean {
  return isSummary(message) && message.error === undefined && writtenText(message).trim() !== '';
}

function isAnswered(messages: readonly Message[]): boolean {
  const last = messages.findLast((message) =>
    message.role === 'user' ? writtenText(message) !== '' : !isSummary(message),
  );
  return last?.role === 'assistant' && last.finish === 'stop';
}

function toolParts(message: Message): readonly ToolPart[] {
  return message.parts.filter((part) => part.type === 'tool');
}

function writtenText(message: Message): string {
  return message.parts
    .flatMap((part) => {
      if (part.type === 'subtask') return [part.prompt];
      return part.type === 'text' && !part.synthetic && !part.ignored ? [part.text] : [];
    })
    .join('\n');
}
