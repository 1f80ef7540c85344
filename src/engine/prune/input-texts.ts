import type { Part, ToolPart } from '../message.ts';
import { perKey } from '../per-key.ts';

/** Names under which texts of an input stay; the same list for the same names. */
type Names = readonly string[];

/** Whether a call was given any text that can be taken out: one that is a value of its own, under no name that stays. */
export function hasTexts(part: ToolPart, staying: Names): boolean {
  const { input } = part.state;
  return typeof input === 'object' && input !== null && namesOf(staying)(input).length > 0;
}

/** A call without these texts; it is stored as it was. */
export function withoutTexts(
  part: ToolPart,
  { staying, text, now }: { readonly staying: Names; readonly text: string; readonly now: number },
): Part {
  const { state } = part;
  if (typeof state.input !== 'object' || state.input === null) return part;
  const gone = new Set(namesOf(staying)(state.input));
  const fields = Object.entries(state.input).map(
    ([name, value]) => [name, gone.has(name) ? text : value] as const,
  );
  const input = Array.isArray(state.input)
    ? fields.map(([, value]) => value)
    : Object.fromEntries(fields);
  return { ...part, state: { ...state, input }, stored: { part, clearedAt: now } };
}

/** Names of the texts in an input that go. Inputs never change, and each is looked at by every run. */
const namesOf = perKey((staying: Names) =>
  perKey((input: object): readonly string[] =>
    Object.entries(input).flatMap(([name, value]) =>
      typeof value === 'string' && !staying.includes(name) ? [name] : [],
    ),
  ),
);
