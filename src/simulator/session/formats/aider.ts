import type { SessionFormat, SourceFile } from '../format.ts';
import { createDialogue, type Dialogue } from '../reading/dialogue.ts';
import { toLocalTime, toModelName } from '../reading/lenient.ts';
import { createTally, type Tally } from '../reading/tally.ts';
import {
  type DraftMessage,
  finishSession,
  noConversation,
  type RecordedUsage,
} from '../reading/transcript.ts';
import { splitCount } from '../reading/usage.ts';
import { type Session, withNames } from '../session.ts';

/** A chat being read. */
interface Reading {
  readonly tally: Tally;
  readonly dialogue: Dialogue;
  /** When the chat started, in ms; 0 if unknown. */
  readonly createdAt: number;
  /** Lines of one kind that stand together. */
  lines: string[];
  kind: Kind;
  /** The model that the program named last. */
  model: string | undefined;
  /** The newest step, while its usage may still come. */
  step: DraftMessage | undefined;
}

/** Who wrote a line: a person, the program, or the model. */
type Kind = 'person' | 'program' | 'model';

/** A chat that ended, before the file is known to hold several. */
type Chat = Omit<Session, 'name'>;

const START = /^# aider chat started at (.*)$/;
const PERSON = /^####(?: (.*))?$/;
const PROGRAM = /^>(?: (.*))?$/;

/** Commands that are questions to the model, with their text behind. */
const ASKING = /^\/(?:architect|ask|code|context)\s+/;
const COMMAND = /^[/!]/;
/** Commands that forget the conversation. */
const FORGETTING = /^\/(?:clear|reset)\b/;

const MODEL = /^(?:Main model|Model): (\S+)/;
const COUNT = /^Tokens: /;
const COUNTS = /([\d,.]+)(k?) (sent|received|cache write|cache hit)/g;
const THOUSAND = 1000;

/** Chat histories of Aider: Markdown, with the chats of a project one behind another. They hold no outputs of tools. */
export const aider: SessionFormat = {
  label: 'Aider chat history (Markdown)',
  certainty: 'mark',
  detect: (file) => [...file.linesWith('# aider chat')].some(({ text }) => START.test(trim(text))),
  read: readHistory,
  keeps: {
    reasons: 'command sent',
  },
};

/** Chats with a prompt or an answer; most hold none. */
function readHistory(file: SourceFile): readonly Session[] {
  const chats: Chat[] = [];
  const { text } = file;
  let reading = startChat({ createdAt: 0 });
  for (const line of text.split('\n')) {
    const [, started] = START.exec(trim(line)) ?? [];
    if (started !== undefined) {
      chats.push(...endChat(reading));
      reading = startChat({ createdAt: toLocalTime(started) });
    } else if (isForgetting(line)) {
      chats.push(...endChat(reading));
      const { createdAt, model } = reading;
      reading = startChat({ createdAt, model });
    } else readLine(reading, line);
  }
  chats.push(...endChat(reading));
  const last = chats.pop();
  if (last === undefined) throw noConversation(file.name, 'a history without messages');
  // The program ends all that it writes with a line end.
  const whole = text.endsWith('\n') ? last : withBrokenLine(last);
  return withNames(file.name, [...chats, whole]);
}

function withBrokenLine(chat: Chat): Chat {
  const { dropped, repaired } = chat.report;
  return { ...chat, report: { dropped: { ...dropped, 'broken line': 1 }, repaired } };
}

function trim(line: string): string {
  return line.trimEnd();
}

function isForgetting(line: string): boolean {
  const [, said = ''] = PERSON.exec(trim(line)) ?? [];
  return FORGETTING.test(said);
}

function startChat(known: {
  readonly createdAt: number;
  readonly model?: string | undefined;
}): Reading {
  const tally = createTally();
  const dialogue = createDialogue(tally);
  return { model: undefined, ...known, tally, dialogue, lines: [], kind: 'model', step: undefined };
}

function endChat(reading: Reading): readonly Chat[] {
  endBlock(reading);
  const { tally, dialogue, model } = reading;
  const drafts = dialogue.end();
  if (drafts.length === 0) return [];
  return [
    {
      format: 'aider',
      isSide: false,
      isPartial: false,
      recordedCompactions: [],
      isOutputFinal: true,
      ...finishSession(drafts, tally, model),
    },
  ];
}

function readLine(reading: Reading, line: string): void {
  const text = trim(line);
  const person = PERSON.exec(text);
  const program = person === null ? PROGRAM.exec(text) : null;
  const kind = person === null ? (program === null ? 'model' : 'program') : 'person';
  const isGap = kind === 'model' && text === '' && reading.kind !== 'model';
  if (isGap) return endBlock(reading);
  if (kind !== reading.kind) endBlock(reading);
  reading.kind = kind;
  reading.lines.push((person ?? program)?.[1] ?? (kind === 'model' ? text : ''));
}

function endBlock(reading: Reading): void {
  const { kind, lines } = reading;
  reading.lines = [];
  reading.kind = 'model';
  const text = lines.join('\n').trim();
  if (text === '') return;
  if (kind === 'person') readPrompt(reading, text);
  else if (kind === 'program') for (const line of lines) readNotice(reading, line);
  else readAnswer(reading, text);
}

/** Reads a prompt; a command is done by the program, unless it asks the model. */
function readPrompt(reading: Reading, said: string): void {
  const { dialogue, tally, createdAt } = reading;
  const text = said.replace(ASKING, '');
  reading.step = undefined;
  if (COMMAND.test(text)) tally.drop('command that was not sent');
  else dialogue.addPrompt({ createdAt, parts: [{ type: 'text', text }] });
}

function readAnswer(reading: Reading, text: string): void {
  const { dialogue, createdAt, model, step } = reading;
  const part = { type: 'text' as const, text };
  // A notice in the middle of an answer does not end it; its count does.
  if (step !== undefined) step.parts.push(part);
  else reading.step = dialogue.addStep({ createdAt, model, parts: [part] });
}

function readNotice(reading: Reading, line: string): void {
  const model = MODEL.exec(line)?.[1];
  if (model !== undefined) reading.model = toModelName(model);
  if (!COUNT.test(line)) return;
  if (reading.step !== undefined) reading.step.usage = usageIn(line);
  reading.step = undefined;
}

/** The count behind an answer, which is rounded from 1,000 tokens on. What was sent includes what a cache held. */
function usageIn(line: string): RecordedUsage | undefined {
  const counts = new Map(
    [...line.matchAll(COUNTS)].map(([, number = '', unit, name]) => {
      const tokens = Number(number.replaceAll(',', '')) * (unit === 'k' ? THOUSAND : 1);
      return [name, Number.isFinite(tokens) ? Math.round(tokens) : undefined] as const;
    }),
  );
  return splitCount({
    input: counts.get('sent'),
    output: counts.get('received'),
    cacheRead: counts.get('cache hit'),
    cacheWrite: counts.get('cache write'),
  });
}
