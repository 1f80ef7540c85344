import { isWithout, type Part, standIn, type ToolPart } from '../message.ts';

/** Names under which texts of an input stay; the same list for the same names. */
type Names = readonly string[];

/** How texts are taken out of an input. */
interface TakingOut {
  readonly staying: Names;
  /** Stands for each of them; nothing where it is absent. */
  readonly inputText: string | undefined;
  readonly now: number;
}

/** Whether a call still shows a text that it was given, as a value of its own and under no name that stays. */
export function hasTexts(part: ToolPart, staying: Names): boolean {
  const { input } = part.state;
  if (typeof input !== 'object' || input === null || isWithout(part, 'input')) return false;
  return Object.entries(input).some(([name, value]) => isGone(name, value, staying));
}

/** A call without these texts; it is stored as it was. */
export function withoutTexts(part: ToolPart, { staying, inputText = '', now }: TakingOut): Part {
  const { state } = part;
  if (typeof state.input !== 'object' || state.input === null) return part;
  const fields = Object.entries(state.input).map(
    ([name, value]) => [name, isGone(name, value, staying) ? inputText : value] as const,
  );
  const input = Array.isArray(state.input)
    ? fields.map(([, value]) => value)
    : Object.fromEntries(fields);
  return standIn({ ...part, state: { ...state, input } }, part, { what: 'input', now });
}

function isGone(name: string, value: unknown, staying: Names): boolean {
  return typeof value === 'string' && !staying.includes(name);
}
