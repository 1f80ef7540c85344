import type { Message, Part, ToolPart, ToolState } from '../../../engine/index.ts';
import type { FactKind, PlantedFact } from '../../session/facts.ts';
import { commandOf } from '../../session/tool-calls.ts';
import { USER_RULE, withoutLineNumbers } from '../../summarizer/extractive/cues.ts';
import { leavesOf } from '../../summarizer/summarizer.ts';
import { hasBan } from './cues.ts';
import { type EntityType, findEntities } from './words.ts';

/** Something that a session names, with who names it and when. */
interface Mention {
  readonly kind: FactKind;
  readonly value: string;
  readonly source: PlantedFact['source'];
  readonly step: number;
  /** The first position, as a share of the session's characters. */
  readonly position: number;
  readonly criticality: PlantedFact['criticality'];
  /** Steps that name it. */
  readonly steps: Set<number>;
}

/** A text of a session with who wrote it. */
interface Said {
  readonly text: string;
  readonly source: PlantedFact['source'];
  readonly step: number;
  readonly before: number;
  /** The command that a call runs. */
  readonly command?: string | undefined;
}

/** A sentence of a user, and where it starts. */
interface UserRule {
  readonly sentence: string;
  readonly start: number;
}

const MOST_FACTS = 200;
const PERCENT = 100;
const KINDS: Readonly<Record<EntityType, FactKind>> = {
  url: 'id',
  path: 'path',
  version: 'number',
  error: 'error',
  id: 'id',
  hash: 'id',
  symbol: 'symbol',
  number: 'number',
};
const LONGEST_COMMAND = 120;
const ESCAPE = /\\[nrt]/g;
const ESCAPES = /(?:\\[nrt]){2}/;
const CONSTRAINT_WEIGHT = 3;

/** A sentence, up to its end or that of the line. */
const SENTENCE = /[^\n。！？]+?(?:[.!?](?=\s|$)|[。！？]|$|(?=\n))/gu;
const SHORTEST = 6;
const LONGEST = 300;

/**
 * Facts of a recorded session that may be needed later: names and numbers of more than one step, commands, and user rules. Rarer and
 * later ones weigh more.
 */
export function extractFacts(messages: readonly Message[]): readonly PlantedFact[] {
  const all = [...saidIn(messages)];
  const total = all.reduce((sum, { text }) => sum + text.length, 0);
  const steps = all.at(-1)?.step ?? 1;
  const mentions = new Map<string, Mention>();
  for (const said of all) addMentions(mentions, said, total);
  const weighed = [...mentions.values()]
    .filter(({ kind, steps: own }) => kind === 'constraint' || own.size > 1)
    .map((mention) => ({ mention, weight: weigh(mention, steps) }));
  const kept = new Set(weighed.toSorted((a, b) => b.weight - a.weight).slice(0, MOST_FACTS));
  return weighed.filter((one) => kept.has(one)).map(toFact);
}

/** Sentences that say what must or must not be done. */
export function rulesIn(text: string): readonly UserRule[] {
  return [...text.matchAll(SENTENCE)].flatMap(({ index, 0: found }) => {
    const sentence = found.trim();
    const fits = sentence.length >= SHORTEST && sentence.length <= LONGEST;
    return fits && USER_RULE.test(sentence) ? [{ sentence, start: index }] : [];
  });
}

/** All that a model still sees of a session: summary, tail and outputs that were not cleared, one text a line. */
export function viewText(view: readonly Message[]): string {
  return view.flatMap(({ parts }) => parts.flatMap(partTexts)).join('\n');
}

/** All that a text may be made from: what the messages say, with the names of tools, of what they were given, and of files. */
export function sourceText(messages: readonly Message[]): string {
  return messages.flatMap(({ parts }) => parts.flatMap(sourceTexts)).join('\n');
}

function* saidIn(messages: readonly Message[]): Generator<Said, void, undefined> {
  let step = 0;
  let before = 0;
  for (const message of messages) {
    if (message.role === 'assistant') step += 1;
    for (const part of message.parts) {
      const own = message.role === 'user' ? Math.max(1, step + 1) : step;
      const source = message.role === 'user' ? 'user' : sourceOf(part);
      const command = part.type === 'tool' ? shortCommandOf(part) : undefined;
      for (const text of partTexts(part)) {
        yield { text, source, step: own, before, ...(text === command && { command }) };
        before += text.length;
      }
    }
  }
}

function sourceOf(part: Part): PlantedFact['source'] {
  return part.type === 'tool' ? 'tool' : 'assistant';
}

/** The command that a call runs, where it is short enough to be kept to the letter. */
function shortCommandOf(part: ToolPart): string | undefined {
  const command = commandOf(part);
  return command !== undefined && command.length <= LONGEST_COMMAND ? command : undefined;
}

/** The texts of a part; empty where it is not sent. */
function partTexts(part: Part): readonly string[] {
  if (part.type === 'text') return part.ignored === true ? [] : [part.text];
  if (part.type === 'reasoning') return [part.text];
  if (part.type === 'subtask') return [part.prompt];
  if (part.type !== 'tool') return [];
  return [...stringsOf(part.state.input), ...resultTexts(part.state)];
}

/** Every text and number in a value, however deep. */
function stringsOf(value: unknown): readonly string[] {
  const found: string[] = [];
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === 'string') found.push(next);
    else if (typeof next === 'number') found.push(String(next));
    else if (typeof next === 'object' && next !== null)
      waiting.push(...Object.values(next).toReversed());
  }
  return found;
}

function resultTexts(state: ToolState): readonly string[] {
  if (state.status === 'error') return [state.error, state.partialOutput ?? ''];
  return state.status === 'completed' && state.compactedAt === undefined ? [state.output] : [];
}

function addMentions(mentions: Map<string, Mention>, said: Said, total: number): void {
  const { text, source, step, before, command } = said;
  const add = (kind: FactKind, value: string, start: number) => {
    const key = `${kind} ${value.toLowerCase()}`;
    const known = mentions.get(key);
    if (known !== undefined) known.steps.add(step);
    else {
      const position = (before + start) / Math.max(1, total);
      const criticality = kind === 'constraint' ? 'must' : 'should';
      mentions.set(key, {
        kind,
        value,
        source,
        step,
        position,
        criticality,
        steps: new Set([step]),
      });
    }
  };
  const own = source === 'tool' ? withoutLineNumbers(unescaped(text)) : text;
  for (const { type, text: value, start } of findEntities(own)) add(KINDS[type], value, start);
  if (command !== undefined) add('command', command, 0);
  if (source !== 'user') return;
  for (const { sentence, start } of rulesIn(text)) add('constraint', sentence, start);
}

/** A text in which ends of lines and tabs are written as in code: they are no folders. */
function unescaped(text: string): string {
  return ESCAPES.test(text) ? text.replaceAll(ESCAPE, ' ') : text;
}

/** By rarity and by how near to the end it was named last. */
function weigh({ kind, steps }: Mention, count: number): number {
  const rarity = Math.log1p(count / steps.size) / Math.log1p(count);
  const last = Math.max(...steps) / count;
  const weight = rarity * (1 + last);
  return kind === 'constraint' ? CONSTRAINT_WEIGHT * weight : weight;
}

function toFact(
  { mention, weight }: { readonly mention: Mention; readonly weight: number },
  index: number,
): PlantedFact {
  const { kind, value, source, step, position, criticality, steps } = mention;
  return {
    id: `fact-${index + 1}`,
    serial: index + 1,
    kind,
    subject: '',
    value,
    polarity: kind === 'constraint' && hasBan(value.toLowerCase()) ? 'dont' : 'do',
    criticality,
    weight,
    source,
    step,
    posPct: Math.round(PERCENT * PERCENT * position) / PERCENT,
    neededAt: [...steps].filter((other) => other > step),
  };
}

function sourceTexts(part: Part): readonly string[] {
  if (part.type === 'file') return [part.filename ?? ''];
  if (part.type !== 'tool') return partTexts(part);
  return [part.tool, ...leavesOf(part.state.input), ...resultTexts(part.state)];
}
