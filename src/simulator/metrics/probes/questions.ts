import {
  type Message,
  type ModelContent,
  plainToolName,
  render,
  type ToolPart,
} from '../../../engine/index.ts';
import { readField } from '../../../engine/internal.ts';
import type { FactKind, PlantedFact } from '../../session/facts.ts';
import { commandOf, operationOf, pathsOf, textField } from '../../session/tool-calls.ts';
import {
  holds,
  normalise,
  type Permission,
  type Probe,
  PROBE_KINDS,
  type ProbeKind,
  READER_SYSTEM,
} from './probe.ts';

interface QuestionSource {
  readonly head: readonly Message[];
  readonly tail: readonly Message[];
  readonly later: readonly Message[];
  readonly facts: readonly PlantedFact[];
  readonly atStep: number;
}

interface LaterCall {
  readonly part: ToolPart;
  readonly said: string;
  readonly index: number;
  readonly isOnlyInHead: (text: string) => boolean;
}

const SHOWN = { clearedOutput: '[cleared]', markerQuestion: '', summaryAs: 'assistant' } as const;

const MOST_OF_KIND = 3;

const NOUNS: Readonly<Partial<Record<FactKind, string>>> = {
  preference: 'preferred way',
  error: 'error code',
  id: 'id',
  number: 'number',
  symbol: 'symbol',
  command: 'command',
  state: 'state',
};
const DECIDED: readonly FactKind[] = ['decision', 'rationale', 'rejected'];

/** Later calls that are looked at: their needs are near. */
const MOST_CALLS = 40;
const MASK = '____';
const CLUE_CHARS = 160;
const SAID_CHARS = 300;
const LEAST_CLUE = 20;
const PROMPT_CHARS = 600;
/** A name or number that nobody guesses: with a digit, or of several words written as one. */
const RARE =
  /(?=\S*\d)[\p{L}\p{N}][\p{L}\p{N}_.-]{3,60}|\p{L}[\p{L}\p{N}]*(?:[_-][\p{L}\p{N}]+){2,}|\p{L}?\p{Ll}+(?:\p{Lu}\p{Ll}+){2,}/gu;
/** A value that stands more often in the head is no detail. */
const MOST_PLACES = 6;
const TARGET_KEYS = ['url', 'query', 'pattern', 'skill', 'subagent_type'];
const COMMAND_WORDS = 3;

/** Answers to other texts are not comparable. */
export const QUESTION_TEXTS = { version: 5, reader: READER_SYSTEM } as const;

/** Questions on what later steps need and only the head says. */
export function buildProbes(source: QuestionSource): readonly Probe[] {
  const facts = factsInHead(source);
  const all = [
    ...facts.flatMap((fact) => askFact(fact, source.facts)),
    ...askPermissions(facts, source),
    ...findChoices(source.head),
    ...findGaps(source),
    ...findNextStep(source),
  ];
  // The first of each kind, each once; permissions come in pairs.
  return PROBE_KINDS.flatMap((kind) => {
    const own = all.filter((probe) => probe.kind === kind);
    const each = new Map(own.map((probe) => [probe.question, probe]));
    return [...each.values()].slice(0, kind === 'forbidden' ? 2 * MOST_OF_KIND : MOST_OF_KIND);
  });
}

/** Messages as a reader sees them: one paragraph a piece, each after who said it. */
export function transcriptOf(messages: readonly Message[]): string {
  return render(messages, SHOWN)
    .flatMap(({ role, content }) => content.map((piece) => paragraphOf(role, piece)))
    .filter((paragraph) => paragraph !== '')
    .join('\n\n');
}

function factsInHead({ facts, atStep, head, tail }: QuestionSource): readonly PlantedFact[] {
  const [headText, tailText] = [head, tail].map((own) => normalise(transcriptOf(own)));
  const said = facts.filter(({ step, role }) => role === undefined && step <= atStep);
  const replaced = new Set(said.map(({ supersedes }) => supersedes));
  const isNeeded = ({ neededAt }: PlantedFact) => neededAt.some((step) => step > atStep);
  return said
    .filter(({ id, subject }) => !replaced.has(id) && subject !== '')
    .filter(({ dependsOn = [] }) => !dependsOn.some((id) => replaced.has(id)))
    .filter(({ value }) => holds(headText ?? '', normalise(value)))
    .filter(({ value }) => !holds(tailText ?? '', normalise(value)))
    .toReversed()
    .toSorted((a, b) => Number(isNeeded(b)) - Number(isNeeded(a)));
}

function askFact(fact: PlantedFact, all: readonly PlantedFact[]): readonly Probe[] {
  const { id, kind, subject, value, aliases = [], polarity } = fact;
  if (polarity === 'dont') return [];
  const old = earlierOf(fact, all);
  const rivals = all.filter((other) => other.subject === subject && other.kind === kind);
  if (rivals.some((other) => other.value !== value && !old.includes(other))) return [];
  const refused = old.map((earlier) => earlier.value).filter((one) => one !== value);
  const expected = { type: 'text', accepted: [value, ...aliases], refused } as const;
  const of = (own: ProbeKind, question: string): readonly Probe[] => [
    { id: `${own} ${id}`, kind: own, question, expected },
  ];
  if (DECIDED.includes(kind)) return of('decision', `What was settled about "${subject}"?`);
  if (kind === 'path') return of('file', `Which file has to do with "${subject}"? Give its path.`);
  const noun = NOUNS[kind];
  const now = refused.length === 0 ? 'was given' : 'holds by now';
  return noun === undefined ? [] : of('value', `Which ${noun} ${now} for "${subject}"?`);
}

function earlierOf({ supersedes }: PlantedFact, all: readonly PlantedFact[]) {
  const earlier: PlantedFact[] = [];
  let next = all.find(({ id }) => id === supersedes);
  while (next !== undefined && !earlier.includes(next)) {
    earlier.push(next);
    const { supersedes: before } = next;
    next = all.find(({ id }) => id === before);
  }
  return earlier;
}

/** With as many allowed calls: who forbids all knows nothing. */
function askPermissions(facts: readonly PlantedFact[], { later }: QuestionSource) {
  const bans = facts.filter(({ polarity }) => polarity === 'dont').slice(0, MOST_OF_KIND);
  const calls = describeLaterCalls(later, bans.length);
  return bans.flatMap(({ subject, value }, index) => {
    const call = calls[index];
    const ban = `to use "${value}" for "${subject}"`;
    return [
      askPermission(`ban ${index}`, ban, 'FORBIDDEN'),
      ...(call === undefined ? [] : [askPermission(`call ${index}`, `to call ${call}`, 'ALLOWED')]),
    ];
  });
}

function askPermission(id: string, deed: string, answer: Permission): Probe {
  return {
    id: `forbidden ${id}`,
    kind: 'forbidden',
    question: `The agent is about ${deed}. May it, by what the user said? Answer ALLOWED or FORBIDDEN.`,
    expected: { type: 'permission', answer },
  };
}

function findGaps({ head, tail, later }: QuestionSource): readonly Probe[] {
  const headText = normalise(transcriptOf(head));
  const paths = [...new Set(callsIn(head).flatMap(pathsOf))];
  return laterCalls(tail, later, headText).flatMap((call) => [
    ...askFile(call, paths),
    ...askValue(call, headText),
  ]);
}

function findNextStep({ head, tail, later }: QuestionSource): readonly Probe[] {
  const at = later.findIndex((message) => callsIn([message]).some((part) => hasTarget(part)));
  const part = callsIn(later.slice(at, at + 1)).find(hasTarget);
  if (part === undefined) return [];
  const prompts = later.slice(0, at).filter(({ role }) => role === 'user');
  const prompt = transcriptOf(prompts)
    .replace(/^user: /, '')
    .slice(0, PROMPT_CHARS);
  const tools = [...new Set(callsIn([...head, ...tail]).map(({ tool }) => tool)), part.tool];
  return [
    {
      id: 'next-step',
      kind: 'next-step',
      question: `${prompt === '' ? '' : `The user now says: "${prompt}"\n`}Which tool call does the agent make next? Answer with the tool and its target, a file or the beginning of a command, as in: TOOL TARGET\nTools: ${[...new Set(tools)].toSorted().join(', ')}`,
      expected: { type: 'call', tool: part.tool, targets: targetsOf(part) },
    },
  ];
}

function findChoices(head: readonly Message[]): readonly Probe[] {
  return callsIn(head).flatMap((part, index) => {
    const questions = readField(part.state.input, 'questions');
    const output = part.state.status === 'completed' ? part.state.output : '';
    if (!Array.isArray(questions) || output === '') return [];
    return questions.flatMap((asked, nth) => askChoice(asked, output, `${index}.${nth}`));
  });
}

function describeLaterCalls(later: readonly Message[], most: number): readonly string[] {
  const calls = callsIn(later).filter(hasTarget).slice(0, most);
  return calls.map((part) => `${part.tool} ${targetsOf(part)[0] ?? ''}`);
}

function callsIn(messages: readonly Message[]): readonly ToolPart[] {
  return messages.flatMap(({ parts }) => parts.filter((part) => part.type === 'tool'));
}

function laterCalls(
  tail: readonly Message[],
  later: readonly Message[],
  headText: string,
): readonly LaterCall[] {
  const calls: LaterCall[] = [];
  // All that a reader after the compaction would know by then.
  let known = normalise(transcriptOf(tail));
  for (const message of later) {
    const texts = message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
    const said = texts.join(' ');
    if (message.role === 'user') known += ` ${normalise(said)}`;
    const before = known;
    const isOnlyInHead = (text: string) =>
      holds(headText, normalise(text)) && !holds(before, normalise(text));
    for (const part of callsIn([message]))
      calls.push({ part, said, index: calls.length, isOnlyInHead });
    known += ` ${normalise(transcriptOf([message]))}`;
    if (calls.length >= MOST_CALLS) break;
  }
  return calls;
}

function askFile(
  { part, said, index, isOnlyInHead }: LaterCall,
  paths: readonly string[],
): readonly Probe[] {
  const [path] = operationOf(part) === undefined ? [] : pathsOf(part);
  if (path === undefined || !isOnlyInHead(path)) return [];
  const base = path.split('/').at(-1) ?? path;
  const clue = [said.slice(0, SAID_CHARS), ...otherInputs(part, path)].join('\n');
  const masked = maskAll(clue, [path, base, base.replace(/\.\w+$/, '')]);
  if (!isTelling(masked)) return [];
  return [
    {
      id: `file ${index}`,
      kind: 'file',
      question: `Later the agent calls ${part.tool} on a file, with this:\n${masked}\nWhich file is it? Answer with its path.`,
      expected: { type: 'path', path, least: leastEnd(path, paths) },
    },
  ];
}

function leastEnd(path: string, paths: readonly string[]): string {
  const folders = path.split('/');
  const ends = folders.map((_, index) => folders.slice(-1 - index).join('/'));
  const others = paths.filter((other) => other !== path && !path.endsWith(`/${other}`));
  return ends.find((end) => others.every((other) => !other.endsWith(`/${end}`))) ?? path;
}

function askValue(
  { part, said, index, isOnlyInHead }: LaterCall,
  headText: string,
): readonly Probe[] {
  const texts = [commandOf(part), ...otherInputs(part)].filter((text) => text !== undefined);
  for (const text of texts) {
    const value = text
      .match(RARE)
      ?.find(
        (one) => isOnlyInHead(one) && headText.split(normalise(one)).length - 1 <= MOST_PLACES,
      );
    if (value === undefined) continue;
    const at = text.indexOf(value);
    const window = text.slice(Math.max(0, at - CLUE_CHARS), at + value.length + CLUE_CHARS);
    const clue = maskAll(window, [value]);
    const asked = [maskAll(said.slice(0, SAID_CHARS), [value]), clue].join('\n').trim();
    if (!isTelling(clue)) continue;
    return [
      {
        id: `value ${index}`,
        kind: 'value',
        question: `Later the agent calls ${part.tool} with this, where ${MASK} stands for one value:\n${asked}\nWhich value is it?`,
        expected: { type: 'text', accepted: [value], refused: [] },
      },
    ];
  }
  return [];
}

function otherInputs({ state: { input } }: ToolPart, path?: string): readonly string[] {
  if (typeof input !== 'object' || input === null) return [];
  return Object.values(input)
    .filter((value) => typeof value === 'string' && value !== path)
    .map((value) => String(value).slice(0, 20 * CLUE_CHARS));
}

function maskAll(text: string, values: readonly string[]): string {
  return values
    .filter((value) => value.length > 2)
    .reduce((masked, value) => masked.replaceAll(value, MASK), text.slice(0, 4 * CLUE_CHARS));
}

function isTelling(clue: string): boolean {
  return (clue.replaceAll(MASK, '').match(/[\p{L}\p{N}]/gu) ?? []).length >= LEAST_CLUE;
}

function hasTarget(part: ToolPart): boolean {
  return targetsOf(part).length > 0;
}

function targetsOf(part: ToolPart): readonly string[] {
  const command = commandOf(part);
  if (command !== undefined) return [commandName(command)].filter((name) => name !== '');
  if (plainToolName(part.tool).startsWith('todo')) return [];
  const paths = pathsOf(part);
  const field = textField(part.state.input, TARGET_KEYS);
  return field === undefined ? paths : [...paths, field];
}

/** With its verb, as in `npm run build`, without folder changes before it. */
function commandName(command: string): string {
  const last = command.split(/&&|;|\n/).find((one) => !/^\s*cd\s/.test(one)) ?? '';
  const words = last.trim().split(/\s+/);
  const end = words.findIndex((word) => /^[-"'$<>|&(]/.test(word));
  return words.slice(0, Math.min(COMMAND_WORDS, end < 0 ? words.length : end)).join(' ');
}

function askChoice(asked: unknown, output: string, id: string): readonly Probe[] {
  const question = textField(asked, ['question']);
  const options = readField(asked, 'options');
  if (question === undefined || !Array.isArray(options)) return [];
  const labels = options.map((one) => textField(one, ['label']) ?? '').filter((one) => one !== '');
  const answer = output.slice(Math.max(0, output.indexOf(question)) + question.length);
  const chosen = labels.filter((label) => answer.includes(`"${label}"`));
  const [value] = chosen;
  if (value === undefined || chosen.length > 1) return [];
  return [
    {
      id: `decision ${id}`,
      kind: 'decision',
      question: `The user was asked: "${question}" with these options: ${labels.join(' | ')}. Which one was chosen?`,
      expected: { type: 'text', accepted: [value], refused: labels.filter((one) => one !== value) },
    },
  ];
}

function paragraphOf(role: string, content: ModelContent): string {
  switch (content.type) {
    case 'text':
      return content.text.trim() === '' ? '' : `${role}: ${content.text}`;
    case 'reasoning':
      return '';
    case 'file':
      return `${role}: [file ${content.filename ?? ''}]`;
    case 'tool-call':
      return `call: ${content.tool} ${jsonOf(content.input)}`;
    case 'tool-result':
      return `result: ${content.output}`;
  }
}

function jsonOf(input: unknown): string {
  try {
    return JSON.stringify(input) ?? '';
  } catch {
    return '';
  }
}
