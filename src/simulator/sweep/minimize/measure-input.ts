import type { CountText } from '../../replay/count.ts';
import { AMOUNT } from '../../scenario/file/amounts.ts';
import { FILLER_CHARACTERS } from '../../scenario/file/filler.ts';
import { isFiller } from '../../scenario/file/is-filler.ts';
import { isPlainInput, type OutlineOptions, type OutlineText } from './outline.ts';

/** A call of a recording, with the name that its tool has in an outline. */
interface Called {
  readonly tool: string;
  readonly name: string;
  readonly input: unknown;
}

/** What an outline has in the place of an input. */
export type InputOf = (called: Called) => OutlineText;

/** A word of one token, as a scenario fills the argument of an input that has a size. */
const ONE_TOKEN = 'time';
const NO_ARGUMENTS = '{}';

/** Inputs by the size that the whole call has, its name and what is around its argument included; texts where they are wanted. */
export function createInputs(count: CountText, { withTexts }: OutlineOptions): InputOf {
  return (called) => {
    const { tool, name, input } = called;
    const filler = fillerOf(input);
    const json = JSON.stringify(input) ?? '';
    if (filler === undefined && withTexts && isWritable(input)) {
      return { tokens: count(json), text: json };
    }
    const call = `${tool} ${json}`;
    const tokens = count(call) - (count(writtenCall(name, ONE_TOKEN)) - 1);
    const characters = call.length - writtenCall(name, '').length;
    if (characters < 0) return { tokens: 0, text: NO_ARGUMENTS };
    return toSize(Math.max(0, tokens), characters);
  };
}

/** Without characters it is what any call has where it is that small. */
function toSize(tokens: number, characters: number): OutlineText {
  const isUsual = characters === FILLER_CHARACTERS * tokens;
  return isUsual && !isPlainInput({ tokens }) ? { tokens } : { tokens, characters };
}

function writtenCall(name: string, content: string): string {
  return `${name} ${JSON.stringify({ content })}`;
}

/** The filler that an input is nothing but, as a scenario builds one of a size. */
function fillerOf(input: unknown): string | undefined {
  const [value, ...others] = Object.values(Object(input));
  const isSize = others.length === 0 && typeof value === 'string' && isFiller(value);
  return isSize ? value : undefined;
}

/** A number, or a text that looks like one, would be a size in a scenario. */
function isWritable(input: unknown): boolean {
  if (input === undefined || input === null) return false;
  return typeof input === 'string' ? !AMOUNT.test(input) : typeof input !== 'number';
}
