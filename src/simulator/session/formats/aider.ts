import type { SessionFormat } from '../format.ts';
import { toLocalTime, toModel } from '../reading/fields.ts';
import { type Facts, readRecordings, type Recording } from '../reading/recording.ts';
import { type DraftMessage, splitCount } from '../reading/transcript.ts';

interface Passage {
  readonly kind: 'start' | 'person' | 'program' | 'model';
  readonly lines: string[];
}

interface Chat {
  /** When it started, in ms; 0 if unknown. */
  readonly createdAt: number;
  readonly model: string | undefined;
  readonly passages: Passage[];
}

const KINDS = [
  ['start', /^# aider chat started at (.*)$/],
  ['person', /^####(?: (.*))?$/],
  ['program', /^>(?: (.*))?$/],
] as const;
const [[, START]] = KINDS;

const ASKING = /^\/(?:architect|ask|code|context)\s+/;
const COMMAND = /^[/!]/;
const FORGETTING = /^\/(?:clear|reset)\b/;
const MODEL = /^(?:Main model|Model): (\S+)/;
const COUNT = /^Tokens: /;
const COUNTS = /([\d,.]+)(k?) (sent|received|cache write|cache hit)/g;
const THOUSAND = 1000;

/** Chat histories of Aider: Markdown with the chats of a project, without outputs of tools. */
export const aider: SessionFormat = {
  label: 'Aider chat history (Markdown)',
  detect: (file) =>
    [...file.linesWith('# aider chat')].some(({ text }) => START.test(text.trimEnd())),
  read: readRecordings({
    empty: 'a history without messages',
    items: ({ text }, tally) => {
      // The program ends all that it writes with a line end.
      if (!text.endsWith('\n')) tally.drop('broken line');
      // Most chats hold neither a prompt nor an answer.
      return chatsIn(text).filter(({ passages }) => passages.some(isSaid));
    },
    read: readChat,
  }),
};

function chatsIn(text: string) {
  const chats: Chat[] = [{ createdAt: 0, model: undefined, passages: [] }];
  let model: string | undefined;
  for (const passage of passagesIn(text)) {
    const [first = ''] = passage.lines;
    const createdAt =
      passage.kind === 'start' ? toLocalTime(first) : (chats.at(-1)?.createdAt ?? 0);
    if (passage.kind === 'start') chats.push({ createdAt, model: undefined, passages: [] });
    else if (passage.kind === 'person' && FORGETTING.test(first)) {
      chats.push({ createdAt, model, passages: [] });
    } else chats.at(-1)?.passages.push(passage);
    model = passage.kind === 'start' ? undefined : (modelIn(passage) ?? model);
  }
  return chats;
}

function passagesIn(text: string) {
  const passages: Passage[] = [];
  for (const line of text.split('\n').map((each) => each.trimEnd())) {
    const [kind, mark] = KINDS.find(([, each]) => each.test(line)) ?? ['model' as const];
    const said = mark === undefined ? line : (mark.exec(line)?.[1] ?? '');
    const last = passages.at(-1);
    const isAlone = [said, last?.lines[0] ?? ''].some((each) => FORGETTING.test(each));
    if (last?.kind === kind && !isAlone) last.lines.push(said);
    else passages.push({ kind, lines: [said] });
  }
  return passages;
}

function modelIn({ kind, lines }: Passage) {
  if (kind !== 'program') return undefined;
  return toModel(lines.flatMap((line) => MODEL.exec(line)?.[1] ?? []).at(-1));
}

function isSaid({ kind, lines }: Passage) {
  const text = lines.join('\n').trim();
  const isSent = kind === 'model' || (kind === 'person' && !COMMAND.test(text.replace(ASKING, '')));
  return isSent && text !== '';
}

function readChat(recording: Recording, { createdAt, model: before, passages }: Chat): Facts {
  let model = before;
  let step: DraftMessage | undefined;
  for (const passage of passages) {
    const { kind, lines } = passage;
    const text = lines.join('\n').trim();
    if (kind === 'person') {
      step = undefined;
      if (isSaid(passage))
        recording.readPrompt({ content: text.replace(ASKING, ''), time: createdAt });
      // A command is done by the program, unless it asks the model.
      else if (text !== '') recording.tally.drop('command that was not sent');
    } else if (kind === 'model' && text !== '') {
      // A notice in the middle of an answer does not end it; its count does.
      step ??= recording.addStep({ createdAt, model, parts: [] });
      step.parts.push({ type: 'text', text });
    } else if (kind === 'program') {
      model = modelIn(passage) ?? model;
      const count = lines.findLast((line) => COUNT.test(line));
      if (count === undefined) continue;
      if (step !== undefined) step.usage = usageIn(count);
      step = undefined;
    }
  }
  return { model, isOutputFinal: true };
}

/** Rounded from 1,000 tokens on; what was sent includes what a cache held. */
function usageIn(line: string) {
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
