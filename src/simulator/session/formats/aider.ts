import type { SessionFormat, SourceFile } from '../format.ts';
import { toLocalTime, toModelName } from '../reading/lenient.ts';
import { createRecording, type Recording } from '../reading/recording.ts';
import { type DraftMessage, noConversation, type RecordedUsage } from '../reading/transcript.ts';
import { splitCount } from '../reading/usage.ts';
import { type Session, withNames } from '../session.ts';

/** A chat being read. */
interface Reading {
  readonly recording: Recording;
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
  const readings = [startChat(0)];
  const { text } = file;
  for (const line of text.split('\n')) {
    const reading = readings.at(-1);
    if (reading === undefined) continue;
    const [, started] = START.exec(trim(line)) ?? [];
    const isEnd = started !== undefined || isForgetting(line);
    if (!isEnd) readLine(reading, line);
    else {
      endBlock(reading);
      const { createdAt, model } = reading;
      readings.push(
        started === undefined ? startChat(createdAt, model) : startChat(toLocalTime(started)),
      );
    }
  }
  for (const reading of readings) endBlock(reading);
  const spoken = readings.filter(({ recording }) => recording.drafts.length > 0);
  // The program ends all that it writes with a line end.
  if (!text.endsWith('\n')) spoken.at(-1)?.recording.tally.drop('broken line');
  if (spoken.length === 0) throw noConversation(file.name, 'a history without messages');
  return withNames(
    file.name,
    spoken.map(({ recording, model }) => recording.finish('aider', { model, isOutputFinal: true })),
  );
}

function trim(line: string): string {
  return line.trimEnd();
}

function isForgetting(line: string): boolean {
  const [, said = ''] = PERSON.exec(trim(line)) ?? [];
  return FORGETTING.test(said);
}

function startChat(createdAt: number, model?: string): Reading {
  const recording = createRecording();
  return { recording, createdAt, model, lines: [], kind: 'model', step: undefined };
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
  const { recording, createdAt } = reading;
  const text = said.replace(ASKING, '');
  reading.step = undefined;
  if (COMMAND.test(text)) recording.tally.drop('command that was not sent');
  else recording.addPrompt({ createdAt, parts: [{ type: 'text', text }] });
}

function readAnswer(reading: Reading, text: string): void {
  const { recording, createdAt, model, step } = reading;
  const part = { type: 'text' as const, text };
  // A notice in the middle of an answer does not end it; its count does.
  if (step !== undefined) step.parts.push(part);
  else reading.step = recording.addStep({ createdAt, model, parts: [part] });
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
