import { canonicalJson, type ModelMessage } from '../../../engine/index.ts';
import type { MessageForm } from '../../provider/forms/form.ts';
import type { Compactor, CompactorInput } from '../../replay/foreign/compactor.ts';

/** The facts that a compaction is told besides the messages. */
export type CompactionAbout = Omit<CompactorInput, 'messages'>;

interface Unit<Theirs> {
  readonly ours: readonly ModelMessage[];
  readonly keys: readonly string[];
  readonly theirs: readonly Theirs[];
}

/**
 * Makes a compactor of a function on messages of another form, such as those of the AI SDK. A message that the function
 * returns as it was is the session's own, also where the other form has no room for all of it.
 */
export function compactorOf<Theirs>(
  form: MessageForm<Theirs>,
  compact: (messages: Theirs[], about: CompactionAbout) => Theirs[] | Promise<Theirs[]>,
): Compactor {
  return async ({ messages, ...about }) => {
    const units = splitUnits(messages, form);
    const returned = await compact(
      units.flatMap(({ theirs }) => theirs),
      about,
    );
    return recognise(returned, units, form);
  };
}

function splitUnits<Theirs>(
  messages: readonly ModelMessage[],
  { to, merges = () => false }: MessageForm<Theirs>,
) {
  const groups: ModelMessage[][] = [];
  for (const message of messages) {
    const last = groups.at(-1);
    const newest = last?.at(-1);
    if (last && newest && merges(newest, message)) last.push(message);
    else groups.push([message]);
  }
  return groups.map((ours) => {
    const theirs = to(ours);
    return { ours, theirs, keys: theirs.map((message) => canonicalJson(message)) };
  });
}

function recognise<Theirs>(
  returned: readonly Theirs[],
  units: readonly Unit<Theirs>[],
  form: MessageForm<Theirs>,
) {
  const known = new Map(units.map((unit) => [unit.keys[0], unit]));
  const keys = returned.map((message) => canonicalJson(message));
  const result: ModelMessage[] = [];
  for (let at = 0; at < returned.length; ) {
    const unit = known.get(keys[at]);
    const isWhole = unit?.keys.every((key, index) => key === keys[at + index]) ?? false;
    const taken = isWhole ? (unit?.keys.length ?? 1) : 1;
    result.push(...(unit && isWhole ? unit.ours : form.from(returned.slice(at, at + 1), returned)));
    at += taken;
  }
  return result;
}
