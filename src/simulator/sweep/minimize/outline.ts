import type { TokenScale } from '../../events.ts';
import { FILLER_CHARACTERS } from '../../scenario/file/contents.ts';

export interface OutlineOptions {
  /** True to keep texts, if they may be shown. */
  readonly withTexts: boolean;
}

/** A session by its sizes; texts and names of one's own tools only where they are wanted. */
export interface Outline {
  /** Scale of its tokens; true tokens if absent. */
  readonly scale?: TokenScale;
  readonly turns: readonly OutlineTurn[];
}

/** A request of the user, and the steps until the next. */
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

/** Recorded facts of a step that its parts and place do not tell. */
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
  /** The one argument that a size is given as. */
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

/** A number somewhere in an outline. */
interface Size {
  readonly value: number;
  readonly set: (outline: Outline, value: number) => Outline;
}

/** Tokens up to which an input is the one that every call has of which nothing is said. */
const PLAIN_INPUT_TOKENS = 15;

/** Returns true if a scenario needs to say nothing of an input. */
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

/** Texts as one; a size alone where one of them is. */
export function joinTexts(texts: readonly OutlineText[]): OutlineText {
  const words = texts.flatMap(({ text }) => (text === undefined ? [] : [text]));
  const tokens = texts.reduce((total, text) => total + text.tokens, 0);
  const kind = texts.some(({ isSynthetic }) => isSynthetic) ? { isSynthetic: true } : {};
  return words.length === texts.length && words.length > 0
    ? { tokens, text: words.join('\n'), ...kind }
    : { tokens, ...joinedCharacters(texts), ...kind };
}

/** A text and a size are no text together, and what a person and what a program wrote is not by either. */
export function canJoinTexts(before: OutlineText, after: OutlineText): boolean {
  const areAlike = (before.text === undefined) === (after.text === undefined);
  return areAlike && before.isSynthetic === after.isSynthetic;
}

/** An outline with other steps in the place of its own. */
export function mapSteps(
  { turns, ...outline }: Outline,
  toStep: (step: OutlineStep, turnIndex: number, stepIndex: number) => OutlineStep,
): Outline {
  return {
    ...outline,
    turns: turns.map((turn, turnIndex) => ({
      ...turn,
      steps: turn.steps.map((step, stepIndex) => toStep(step, turnIndex, stepIndex)),
    })),
  };
}

/** All numbers that an outline could do with less of; a text is gone once its size has changed. */
export function sizesOf({ turns }: Outline): readonly Size[] {
  return turns.flatMap((turn, turnAt) => [
    turnSize(turnAt, turn.user.tokens, (one, tokens) => ({ ...one, user: { tokens } })),
    turnSize(turnAt, turn.idleSeconds, (one, idleSeconds) => ({ ...one, idleSeconds })),
    ...turn.steps.flatMap((step, stepAt) => {
      const at = (set: (step: OutlineStep, value: number) => OutlineStep) =>
        stepSize(turnAt, stepAt, set);
      return [
        at((one, idleSeconds) => ({ ...one, idleSeconds }))(step.idleSeconds),
        ...(step.outputTokens === undefined
          ? []
          : [at((one, outputTokens) => ({ ...one, outputTokens }))(step.outputTokens)]),
        ...step.parts.flatMap((part, partAt) =>
          partSizes(part).map(({ value, set }) =>
            at((one, tokens) => ({
              ...one,
              parts: one.parts.map((each, index) => (index === partAt ? set(each, tokens) : each)),
            }))(value),
          ),
        ),
      ];
    }),
  ]);
}

function textsOf(part: OutlinePart): readonly OutlineText[] {
  return part.type === 'tool' ? [part.input, part.output] : [part];
}

function joinedCharacters(texts: readonly OutlineText[]): Pick<OutlineText, 'characters'> {
  if (texts.every(({ characters }) => characters === undefined)) return {};
  return { characters: texts.reduce((total, text) => total + charactersOf(text), 0) };
}

function charactersOf({ tokens, text, characters }: OutlineText): number {
  return characters ?? text?.length ?? FILLER_CHARACTERS * tokens;
}

function turnSize(
  turnAt: number,
  value: number,
  set: (turn: OutlineTurn, value: number) => OutlineTurn,
): Size {
  return {
    value,
    set: ({ turns, ...outline }, number) => ({
      ...outline,
      turns: turns.map((turn, index) => (index === turnAt ? set(turn, number) : turn)),
    }),
  };
}

function stepSize(
  turnAt: number,
  stepAt: number,
  set: (step: OutlineStep, value: number) => OutlineStep,
): (value: number) => Size {
  return (value) => ({
    value,
    set: (outline, number) =>
      mapSteps(outline, (step, turnIndex, stepIndex) =>
        turnIndex === turnAt && stepIndex === stepAt ? set(step, number) : step,
      ),
  });
}

function partSizes(part: OutlinePart): readonly {
  readonly value: number;
  readonly set: (part: OutlinePart, tokens: number) => OutlinePart;
}[] {
  if (part.type !== 'tool') {
    return [{ value: part.tokens, set: ({ type }, tokens) => ({ type, tokens }) as OutlinePart }];
  }
  return [
    {
      value: part.output.tokens,
      set: (one, tokens) => ({ ...one, output: { tokens } }) as OutlinePart,
    },
    {
      value: part.input.tokens,
      set: (one, tokens) => ({ ...one, input: { tokens } }) as OutlinePart,
    },
  ];
}
