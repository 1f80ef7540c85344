import type { AssistantMessage, Message, Part, ToolPart } from '../../../engine/index.ts';

import { countPart, countWritten, RECORDED } from '../../replay/count.ts';
import type { Trace } from '../../replay/trace.ts';
import { isFiller } from '../../scenario/file/filler.ts';
import { outputOf } from '../../session/output-of.ts';
import { isAllowedValue } from '../../session/redact/allowed.ts';
import { MS_PER_SECOND } from '../../units.ts';

/** A session by its sizes, in true tokens; texts and names of one's own tools only where they are wanted. */
export interface Outline {
  readonly turns: readonly OutlineTurn[];
}

/** What a person says, and the steps until they say more. */
export interface OutlineTurn {
  readonly idleSeconds: number;
  readonly user: OutlineText;
  readonly steps: readonly OutlineStep[];
}

/** One step. */
export interface OutlineStep {
  readonly idleSeconds: number;
  readonly parts: readonly OutlinePart[];
}

/** A piece of a step. */
export type OutlinePart =
  | ({ readonly type: 'text' | 'reasoning' } & OutlineText)
  | {
      readonly type: 'tool';
      readonly tool: string;
      readonly status: 'completed' | 'error' | 'pending';
      readonly input: OutlineText;
      readonly output: OutlineText;
    };

/** A text by its size, or itself. */
export interface OutlineText {
  readonly tokens: number;
  /** Absent where only the size is wanted, and once the size was changed. */
  readonly text?: string;
}

/** Gaps below this make no difference to any cache or rule. */
const LEAST_IDLE_SECONDS = 240;
const TOOL_NAME = /^[\w.:/-]+$/;

/** The outline of a trace; with texts where whoever asks may see them. */
export function outlineOf(trace: Trace, withTexts: boolean): Outline {
  const measure = createMeasure(trace, withTexts);
  let lastMs: number | undefined;
  const idleBefore = ({ createdAt }: Message): number => {
    const seconds = lastMs === undefined ? 0 : Math.round((createdAt - lastMs) / MS_PER_SECOND);
    lastMs = createdAt;
    return seconds < LEAST_IDLE_SECONDS ? 0 : seconds;
  };
  return {
    turns: trace.turns.map(({ message, steps }) => ({
      idleSeconds: idleBefore(message),
      user: joined(message.parts.flatMap((part) => measure.said(part, 'user'))),
      steps: steps.map((step) => ({
        idleSeconds: idleBefore(step.message),
        parts: partsOf(step.message, measure),
      })),
    })),
  };
}

interface Measure {
  readonly said: (part: Part, role: Message['role']) => readonly OutlineText[];
  readonly tool: (part: ToolPart) => OutlinePart;
}

function createMeasure({ basis, count }: Trace, withTexts: boolean): Measure {
  const scaled = (tokens: number) => Math.max(0, Math.round(basis.factor * tokens));
  const options = { render: RECORDED, count };
  const nameOf = withTexts ? writtenName : createToolNames();
  const text = (tokens: number, words: string): OutlineText =>
    withTexts && words !== '' && !isFiller(words) ? { tokens, text: words } : { tokens };
  const inputOf = (input: unknown, called: number): OutlineText => {
    const filler = fillerOf(input);
    if (filler !== undefined) return { tokens: scaled(count(filler)) };
    return text(called, JSON.stringify(input) ?? '');
  };
  return {
    said: (part, role) => {
      const tokens = scaled(countPart(part, role, options));
      if (tokens === 0) return [];
      return [text(tokens, 'text' in part ? part.text : '')];
    },
    tool: (part) => {
      const whole = scaled(countPart(part, 'assistant', options));
      const called = scaled(countWritten(part, options));
      const { status } = part.state;
      const isOpen = status === 'pending' || status === 'running';
      return {
        type: 'tool',
        tool: nameOf(part.tool),
        status: isOpen ? 'pending' : status,
        input: inputOf(part.state.input, called),
        output: text(Math.max(0, whole - called), outputOf(part) ?? ''),
      };
    },
  };
}

/** The filler that an input is nothing but, as a scenario builds one of a size: without what a call has around it. */
function fillerOf(input: unknown): string | undefined {
  const [value, ...others] = Object.values(Object(input));
  const isSize = others.length === 0 && typeof value === 'string' && isFiller(value);
  return isSize ? value : undefined;
}

/** A name as it can stand in a scenario. */
function writtenName(tool: string): string {
  return TOOL_NAME.test(tool) ? tool : 'tool';
}

/** Known tools keep their names; each of the others has one that tells nothing. */
function createToolNames(): (tool: string) => string {
  const own = new Map<string, string>();
  return (tool) => {
    if (isAllowedValue('tool', tool)) return tool;
    const name = own.get(tool) ?? `tool-${own.size + 1}`;
    own.set(tool, name);
    return name;
  };
}

function partsOf({ parts }: AssistantMessage, measure: Measure): readonly OutlinePart[] {
  const ofType = (type: 'text' | 'reasoning') =>
    parts
      .filter((part) => part.type === type)
      .flatMap((part) => measure.said(part, 'assistant'))
      .map((text): OutlinePart => ({ type, ...text }));
  const tools = parts.filter((part) => part.type === 'tool').map(measure.tool);
  return [...ofType('reasoning'), ...ofType('text'), ...tools];
}

function joined(texts: readonly OutlineText[]): OutlineText {
  const tokens = texts.reduce((total, text) => total + text.tokens, 0);
  const words = texts.flatMap(({ text }) => (text === undefined ? [] : [text]));
  return words.length === 0 ? { tokens } : { tokens, text: words.join('\n') };
}

/** Texts as one; a size alone where one of them is. */
export function joinTexts(texts: readonly OutlineText[]): OutlineText {
  const words = texts.flatMap(({ text }) => (text === undefined ? [] : [text]));
  const tokens = texts.reduce((total, text) => total + text.tokens, 0);
  return words.length === texts.length ? { tokens, text: words.join('\n') } : { tokens };
}

/** How much an outline holds. */
export function sizeOf({ turns }: Outline): {
  readonly turns: number;
  readonly steps: number;
  readonly tokens: number;
} {
  const steps = turns.flatMap((turn) => turn.steps);
  const tokens = steps
    .flatMap(({ parts }) => parts)
    .reduce((total, part) => total + tokensOf(part), 0);
  const asked = turns.reduce((total, { user }) => total + user.tokens, 0);
  return { turns: turns.length, steps: steps.length, tokens: tokens + asked };
}

function tokensOf(part: OutlinePart): number {
  return part.type === 'tool' ? part.input.tokens + part.output.tokens : part.tokens;
}
