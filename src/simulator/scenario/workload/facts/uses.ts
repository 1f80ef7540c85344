import type { PlantedFact } from '../../../session/facts.ts';
import type { Planting, StatedFact } from './planting.ts';
import { hasRoom, type Slot } from './slots.ts';

/** How often a fact is needed how many times. */
const USES = { '0': 3, '1': 4, '2': 2, '3': 1 } as const;
const LONGEST_FRAME = 24;

/** Says each fact again some times, before anything takes its place. */
export function repeatFacts(
  facts: readonly StatedFact[],
  { slots, phrases, draw }: Planting,
  times: number,
): void {
  const ends = endsOf(facts);
  for (const fact of facts) {
    if (fact.role !== undefined || fact.supersedes !== undefined) continue;
    const sentence = phrases.again(phrases.kinds[fact.kind].sentence(fact.subject, fact.value));
    const end = ends.get(fact.id) ?? Infinity;
    const places = slots.filter(
      (slot) => slot.step > fact.step && slot.step < end && hasRoom(slot, sentence.length),
    );
    for (const { piece } of draw.shuffled(places).slice(0, times)) {
      piece.holds.push({ text: sentence, from: draw.share() });
    }
  }
}

/** The facts with later steps that use them, none of them behind what replaces the fact. */
export function planUses(
  facts: readonly StatedFact[],
  slots: readonly Slot[],
  { draw, phrases }: Pick<Planting, 'draw' | 'phrases'>,
): readonly PlantedFact[] {
  const endOf = endsOf(facts);
  return facts.map((fact) => {
    const end = endOf.get(fact.id) ?? Infinity;
    const places = slots.filter(
      (slot) => slot.source === 'assistant' && slot.step > fact.step && slot.step < end,
    );
    const wanted = isOver(fact) ? 0 : Number(draw.weighted(USES));
    const steps = draw
      .shuffled(places)
      .filter((slot) => hasRoom(slot, fact.value.length + LONGEST_FRAME))
      .slice(0, wanted)
      .map((slot) => {
        const sentence = draw.word(phrases.uses[fact.polarity]).replace('$', () => fact.value);
        const text = slot.holds === 'value' ? fact.value : sentence;
        slot.piece.holds.push({ text, from: draw.share() });
        return slot.step;
      });
    return { ...fact, neededAt: [...new Set(steps)].toSorted((a, b) => a - b) };
  });
}

/** The step that replaces a fact, by its id. */
function endsOf(facts: readonly StatedFact[]): ReadonlyMap<string, number> {
  return new Map(
    facts.flatMap(({ supersedes, step }) =>
      supersedes === undefined ? [] : [[supersedes, step] as const],
    ),
  );
}

/** Whether nothing can need it: a finished task, or what is no fact. */
function isOver({ todoState, role }: StatedFact): boolean {
  return todoState === 'done' || todoState === 'cancelled' || role !== undefined;
}
