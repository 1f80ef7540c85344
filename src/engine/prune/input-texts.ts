import { isWithout, type Part, standIn, type ToolPart } from '../message.ts';
import { perKey } from '../per-key.ts';

/** Names under which texts of an input stay; the same list for the same names. */
type Names = readonly string[];

/** How texts are taken out of an input. */
interface TakingOut {
  readonly staying: Names;
  /** Stands for each of them; nothing where it is absent. */
  readonly inputText: string | undefined;
  readonly now: number;
}

/** Names of the texts in an input that go. Inputs never change, and each is looked at by every run. */
const namesOf = perKey((staying: Names) =>
  perKey((input: object): readonly string[] =>
    Object.entries(input).flatMap(([name, value]) =>
      typeof value === 'string' && !staying.includes(name) ? [name] : [],
    ),
  ),
);

/** Whether a call still shows a text that it was given, as a value of its own and under no name that stays. */
export function hasTexts(part: ToolPart, staying: Names): boolean {
  const { input } = part.state;
  if (typeof input !== 'object' || input === null || isWithout(part, 'input')) return false;
  return namesOf(staying)(input).length > 0;
}

/** A call without these texts; it is stored as it was. */
export function withoutTexts(part: ToolPart, { staying, inputText = '', now }: TakingOut): Part {
  const { state } = part;
  if (typeof state.input !== 'object' || state.input === null) return part;
  const gone = new Set(namesOf(staying)(state.input));
  const fields = Object.entries(state.input).map(
    ([name, value]) => [name, gone.has(name) ? inputText : value] as const,
  );
  const input = Array.isArray(state.input)
    ? fields.map(([, value]) => value)
    : Object.fromEntries(fields);
  return standIn({ ...part, state: { ...state, input } }, part, { what: 'input', now });
}
