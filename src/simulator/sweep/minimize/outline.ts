import type { TokenScale } from '../../events.ts';

/** What an outline is made with. */
export interface OutlineOptions {
  /** Whether it keeps texts, where whoever asks may see them. */
  readonly withTexts: boolean;
}

/** A session by its sizes; texts and names of one's own tools only where they are wanted. */
export interface Outline {
  /** What its tokens come to; they are true ones where it is absent. */
  readonly scale?: TokenScale;
  readonly turns: readonly OutlineTurn[];
}

/** What a person says, and the steps until they say more. */
export interface OutlineTurn {
  readonly idleSeconds: number;
  readonly user: OutlineText;
  /** Further texts of the same message. */
  readonly more?: readonly OutlineText[];
  readonly images?: readonly OutlineImage[];
  readonly steps: readonly OutlineStep[];
}

/** One step. */
export interface OutlineStep extends StepReport {
  readonly idleSeconds: number;
  readonly parts: readonly OutlinePart[];
}

/** What a recording says of a step that its parts and its place do not tell. */
export interface StepReport {
  /** True tokens that the model wrote. */
  readonly outputTokens?: number;
  /** Those of them that it thought. */
  readonly reasoningTokens?: number;
  readonly finish?: string;
  /** Name of the error that it ended with. */
  readonly error?: string;
}

/** A piece of a step. */
export type OutlinePart = ({ readonly type: 'text' | 'reasoning' } & OutlineText) | OutlineCall;

/** A call with its result. */
export interface OutlineCall {
  readonly type: 'tool';
  readonly tool: string;
  readonly status: 'completed' | 'error' | 'pending';
  /** What stands in the one argument that a size is given as. */
  readonly input: OutlineText;
  readonly output: OutlineText;
  readonly images?: readonly OutlineImage[];
}

/** A text by its size, or itself. */
export interface OutlineText {
  readonly tokens: number;
  /** Absent where they are as many as filler has, and once the size was changed. */
  readonly characters?: number;
  /** Absent where only the size is wanted, and once the size was changed. */
  readonly text?: string;
  /** Written by a program. */
  readonly isSynthetic?: boolean;
}

/** An attached image or document. */
export interface OutlineImage {
  readonly bytes: number;
  /** Absent of one that no scenario can name. */
  readonly mime?: string;
}

/** Tokens up to which an input is the one that every call has of which nothing is said. */
const PLAIN_INPUT_TOKENS = 15;

/** Whether a scenario says nothing of an input. */
export function isPlainInput({ tokens, characters, text }: OutlineText): boolean {
  return text === undefined && characters === undefined && tokens <= PLAIN_INPUT_TOKENS;
}

/** How much an outline holds, in true tokens. */
export function sizeOf({ scale, turns }: Outline): {
  readonly turns: number;
  readonly steps: number;
  readonly tokens: number;
} {
  const steps = turns.flatMap((turn) => turn.steps);
  const said = turns.flatMap(({ user, more = [] }) => [user, ...more]);
  const written = steps.flatMap(({ parts }) => parts.flatMap(textsOf));
  const tokens = [...said, ...written].reduce((total, text) => total + text.tokens, 0);
  return {
    turns: turns.length,
    steps: steps.length,
    tokens: Math.round((scale?.factor ?? 1) * tokens),
  };
}

function textsOf(part: OutlinePart): readonly OutlineText[] {
  return part.type === 'tool' ? [part.input, part.output] : [part];
}
