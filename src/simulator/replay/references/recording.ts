import type { Part } from '../../../engine/index.ts';
import { perKey } from '../../../engine/internal.ts';
import { type Places, placesOf } from './counted.ts';
import { createKnownParts } from './known-parts.ts';
import { findNeeds, type PartPlaces, type StepNeeds } from './needs.ts';
import type { References } from './reference.ts';
import { findShown, type Shown } from './shown-in.ts';

/** What the messages of a session show and need, by their places from 0 on. */
export interface Recording extends PartPlaces {
  readonly shown: readonly Shown[];
  /** Absent of messages that need nothing. */
  readonly needs: readonly (StepNeeds | undefined)[];
  readonly places: ReadonlyMap<string, number>;
  /** Where standing items stand. */
  readonly items: Places;
  /** Whole outputs by the numbers of their parts. */
  readonly outputs: readonly (string | undefined)[];
}

const NONE: readonly number[] = [];

/** Runs of a trace see the same messages, so that each is looked through once. */
export const recordingOf: (references: References) => Recording = perKey(createRecording);

/** The place of a message; a place that holds it need not be looked up. */
export function placeOf(
  { shown, places }: Recording,
  messageId: string,
  guess: number,
): number | undefined {
  return shown[guess]?.messageId === messageId ? guess : places.get(messageId);
}

function createRecording(references: References): Recording {
  const { messages, byMessage, partNumbers, standing } = references;
  const outputs = [...partNumbers.keys()].map((id) => references.outputs.get(id));
  const known = createKnownParts(partNumbers, outputs);
  const before = new Set<number>();
  const shown = messages.map((message) => {
    const found = findShown(message, { references, known });
    const again = found.wholes.filter((part) => before.has(part));
    for (const part of found.parts) before.add(part);
    return { ...found, again: again.length === 0 ? NONE : again };
  });
  const listPlaces = (of: 'parts' | 'wholes' | 'items', size: number) =>
    placesOf(
      shown.map((each) => each[of]),
      size,
    );
  const places = new Map(messages.map(({ id }, place) => [id, place]));
  const lookUp = {
    partNumbers,
    numbersOf: perKey((same: readonly Part[]) =>
      same.flatMap(({ id }) => partNumbers.get(id) ?? []),
    ),
    messageOf: (id: string) => messages[places.get(id) ?? -1],
  };
  const parts = listPlaces('parts', partNumbers.size);
  const wholes = listPlaces('wholes', partNumbers.size);
  return {
    shown,
    needs: messages.map(({ id }) => {
      const needed = byMessage.get(id);
      return needed && findNeeds(needed, lookUp, { parts, wholes });
    }),
    places,
    parts,
    wholes,
    items: listPlaces('items', standing.items.length),
    outputs,
  };
}
