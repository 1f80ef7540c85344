import { known } from '../../lib/collections.ts';
import { isObject, parseJson } from '../../lib/json.ts';
import type { SessionFormat } from '../format.ts';
import * as kit from '../reading/fields.ts';
import { type Facts, readRecordings, type Recording } from '../reading/recording.ts';
import type { DraftMessage } from '../reading/transcript.ts';

interface Piece {
  readonly kind: 'heading' | 'rule' | 'text' | 'thought' | 'tool';
  readonly lines: string[];
}

interface Transcript {
  readonly pieces: Piece[];
  readonly isSide: boolean;
  /** The comment with the agent and the id of the session. */
  readonly comment: string;
}

const HEADING = /^_\*\*(User|Agent|Assistant|)( - sidechain)?(?: \((.*)\))?\*\*_$/;
const COMMENT = /^<!-- .+ Session \S+ \(.*-->/m;
const SESSION = /^<!-- (.+) Session (\S+) \(/;
const PROVIDERS: Readonly<Record<string, string>> = {
  'Claude Code': 'anthropic',
  'Codex CLI': 'openai',
  'Gemini CLI': 'google',
};
const TIME = /\d{4}-\d\d-\d\d[ T][\d:.]+(?:Z|[+-]\d{4})?$/;
const NO_MODEL = /^(?:mode .*|<synthetic>|)$/;
const TOOL =
  /^<tool-use data-tool-type="([^"]*)" data-tool-name="([^"]*)">|^Tool use: \*\*(.+)\*\*$/;
const TOOL_END = /^(?:<\/details>)?\s*<\/tool-use>/;
const THOUGHT_MARKUP = /<\/?(?:think|details)>|<summary>Thought Process<\/summary>/g;
const HEAD = /^\s*(?:<details>)?\s*<summary>(.*?)<\/summary>\n?/;
const FOOT = /\s*(?:<\/details>)?\s*(?:<\/tool-use>)?\s*$/;
const LABEL = /^(?:\*\*(?:Result|Error):\*\*|(?:Output|Result|Error):)/;
const FENCED = /^(`{3,})([\w+-]*)\n([\s\S]*?)\n?\1$/m;
const FENCE = /^(`{3,})([\w+-]*)$/;
const OUTPUT_LANGUAGES = new Set(['', 'text']);
const FAILED = /^<tool_use_error>/;
/** Arguments as they are shown: a value in backquotes, with or without its name. */
const ARGUMENT = /(?:(\w+):? )?`([^`]+)`/g;
const FILE = /^(?:Read|Edit|Create|Delete) file: (.+)$/;
/** Names of arguments that are shown without one, by type of tool. */
const UNNAMED: Readonly<Record<string, string>> = {
  read: 'file_path',
  search: 'pattern',
  shell: 'command',
  write: 'content',
};

/** Transcripts of SpecStory: Markdown, without usage. */
export const specstory: SessionFormat = {
  label: 'SpecStory history (Markdown)',
  detect: (file) =>
    [...file.linesWith('_**')].some(({ text }) => HEADING.test(text.trimEnd())) &&
    file.text.includes('_**User'),
  read: readRecordings({
    empty: 'a transcript without messages',
    numbersSpoken: true,
    items: ({ text }) => transcriptsIn(text),
    read: readTranscript,
  }),
};

/** The transcript of the agent, and behind it those of its sub-agents. */
function transcriptsIn(text: string): readonly Transcript[] {
  const comment = COMMENT.exec(text)?.[0] ?? '';
  const main: Transcript = { pieces: [], isSide: false, comment };
  const all = [main];
  let own = main;
  for (const piece of piecesIn(text)) {
    const [, role, side] =
      HEADING.exec(piece.kind === 'heading' ? (piece.lines[0] ?? '') : '') ?? [];
    if (side !== undefined && (role === 'User' || all.length === 1))
      all.push({ pieces: [], isSide: true, comment });
    if (role !== undefined) own = side === undefined ? main : (all.at(-1) ?? main);
    own.pieces.push(piece);
  }
  return all;
}

function piecesIn(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let end: RegExp | undefined;
  let fence = '';
  for (const line of text.split('\n').map((each) => each.trimEnd())) {
    const last = pieces.at(-1);
    const kind = end === undefined ? kindOf(line, fence) : 'text';
    const goesOn =
      end !== undefined || (kind === 'text' && (last?.kind === 'text' || last?.kind === 'tool'));
    if (goesOn && last !== undefined) last.lines.push(line);
    else pieces.push({ kind, lines: [line] });
    if (kind === 'tool' && line.startsWith('<')) end = TOOL_END;
    if (kind === 'thought') end = /<\/think>/;
    if (end?.test(line)) {
      end = undefined;
      pieces.push({ kind: 'text', lines: [] });
    }
    const [, ticks = '', language] = FENCE.exec(line) ?? [];
    if (kind !== 'text') fence = '';
    else if (fence === '') fence = ticks;
    else if (ticks.startsWith(fence) && language === '') fence = '';
  }
  return pieces;
}

/** The kind of a line; inside a fence only a heading with a time or a model is one. */
function kindOf(line: string, fence: string): Piece['kind'] {
  const heading = HEADING.exec(line);
  if (heading !== null && (fence === '' || heading[3] !== undefined)) return 'heading';
  if (fence !== '') return 'text';
  if (line === '---') return 'rule';
  if (TOOL.test(line)) return 'tool';
  return line.startsWith('<think>') ? 'thought' : 'text';
}

function readTranscript(recording: Recording, { pieces, isSide, comment }: Transcript): Facts {
  const [, agent = '', sessionId] = SESSION.exec(comment) ?? [];
  const asked: string[] = [];
  let [role, told] = ['', ''];
  let step: DraftMessage | undefined;
  let isApart = false;
  const ask = () => {
    const content = asked.splice(0).join('\n\n---\n\n');
    if (content !== '') recording.readPrompt({ content, time: TIME.exec(told)?.[0] });
  };
  for (const { kind, lines } of pieces) {
    const text = lines.join('\n').trim();
    if (kind === 'heading') {
      ask();
      [, role = '', , told = ''] = HEADING.exec(text) ?? [];
      if (role === 'User') step = undefined;
      role ||= 'Agent';
    } else if (role === 'User') {
      if (kind !== 'rule' && text !== '') asked.push(text);
    } else if (role !== '' && kind !== 'rule' && text !== '') {
      // A step ends with its calls; what was written before them is of the same one.
      const hasCalls = step?.parts.some(({ type }) => type === 'tool') === true;
      if (hasCalls && (isApart || kind !== 'tool')) step = undefined;
      const model = toModel(told, PROVIDERS[agent]);
      step ??= recording.readStep({ time: TIME.exec(told)?.[0], model });
      if (kind === 'tool') readUse(recording, step, lines);
      else {
        const thinking = text.replace(THOUGHT_MARKUP, '').trim();
        step.parts.push(...recording.partsOf(kind === 'thought' ? [{ thinking }] : text));
      }
    }
    isApart = kind === 'heading' || kind === 'rule' || (isApart && text === '');
  }
  ask();
  return { sessionId, isSide };
}

function toModel(told: string, provider: string | undefined): string | undefined {
  const [name = ''] = told
    .replace(TIME, '')
    .replace(/^model /, '')
    .split(', ');
  return NO_MODEL.test(name.trim()) ? undefined : kit.toModel(name.trim(), provider);
}

function readUse(recording: Recording, step: DraftMessage, lines: readonly string[]): void {
  const [first = '', ...rest] = lines;
  const [, type = '', named, bare] = TOOL.exec(first) ?? [];
  const text = rest.join('\n');
  const [, summary = ''] = HEAD.exec(text) ?? [];
  const [, description] = / • (.*)$/.exec(summary) ?? [];
  const body = text.replace(HEAD, '').replace(FOOT, '').split('\n');
  const { start, output, isError } = outputIn(body, description !== undefined && type !== 'write');
  const [, file] = FILE.exec(description ?? '') ?? [];
  const id = `use-${recording.drafts.length}-${step.parts.length}`;
  const args = argumentsIn(body.slice(0, start).join('\n'), type);
  const told = known({ description, file_path: file });
  recording.readCall(step, { id, name: named ?? bare, args: { ...told, ...args } });
  if (output !== undefined) recording.readResult({ id, output, isError });
}

/** The output of a tool and the line that it begins at: behind its label, in a fence of text, or all that is not written. */
function outputIn(body: readonly string[], isAll: boolean) {
  let fence = '';
  let found = { start: body.length, output: undefined as string | undefined, isError: false };
  for (const [start, line] of body.entries()) {
    const [label] = fence === '' ? (LABEL.exec(line) ?? []) : [];
    if (label !== undefined) {
      const text = [line.slice(label.length), ...body.slice(start + 1)].join('\n').trim();
      const [whole, , , inside] = FENCED.exec(text) ?? [];
      const output = whole === text ? inside : text;
      return { start, output, isError: label.includes('Error') };
    }
    const [, ticks = '', language = ''] = FENCE.exec(line) ?? [];
    if (
      found.output === undefined &&
      fence === '' &&
      ticks !== '' &&
      OUTPUT_LANGUAGES.has(language)
    ) {
      const end = body.lastIndexOf(ticks);
      const output = body.slice(start + 1, end > start ? end : undefined).join('\n');
      found = { start, output, isError: FAILED.test(output) };
    }
    if (fence === '') fence = ticks;
    else if (line === fence) fence = '';
  }
  const all = body.join('\n').trim();
  if (!isAll || found.output !== undefined || all === '') return found;
  return { start: 0, output: all, isError: false };
}

function argumentsIn(text: string, type: string): kit.Fields {
  const [fenced = '', , language, code] = FENCED.exec(text) ?? [];
  const value = language === 'json' ? parseJson(code ?? '') : undefined;
  if (isObject(value)) return value;
  const plain = text.replace(fenced, '');
  const [, command] = type === 'shell' ? (/^`(.+)`$/m.exec(plain) ?? []) : [];
  const written = language === 'diff' ? 'diff' : type === 'shell' ? 'command' : 'content';
  const shown = [...plain.matchAll(ARGUMENT)].map(([, name, told]) => {
    return [name?.toLowerCase() ?? UNNAMED[type] ?? 'input', told] as const;
  });
  return known({
    ...(command === undefined ? Object.fromEntries(shown) : { command }),
    ...(code !== undefined && { [written]: code }),
  });
}
