import type { Places } from './counted.ts';
import { findNeeds, type StepNeeds } from './needs.ts';
import type { References } from './reference.ts';
import { findShown, type Shown } from './shown-in.ts';

/** What the messages of a session show and need, by numbers. */
export interface Recording {
  /** What its messages show, in order. */
  readonly shown: readonly Shown[];
  /** Places of its messages from 0 on, by id. */
  readonly placeOf: ReadonlyMap<string, number>;
  /** Where its parts stand. */
  readonly parts: Places;
  /** Where their outputs stand as the tool gave them, by the numbers of the parts. */
  readonly wholes: Places;
  /** Where its standing items stand. */
  readonly items: Places;
  readonly needs: ReadonlyMap<string, StepNeeds>;
}

/** Runs of a trace see the same messages, so that each is looked through once. */
const kept = new WeakMap<References, Recording>();

/** The recording in which references were found. */
export function recordingOf(references: References): Recording {
  const recording = kept.get(references) ?? createRecording(references);
  kept.set(references, recording);
  return recording;
}

function createRecording(references: References): Recording {
  const { messages, partNumbers, outputs, standing } = references;
  const shown = messages.map((message) =>
    findShown(message, references, {
      numberOf: (id) => partNumbers.get(id) ?? partNumbers.size,
      outputOf: (id) => outputs.get(id),
    }),
  );
  return {
    shown,
    placeOf: new Map(messages.map(({ id }, place) => [id, place])),
    parts: placesOf(
      shown.map(({ parts }) => parts),
      partNumbers.size,
    ),
    wholes: placesOf(
      shown.map(({ wholes }) => wholes),
      partNumbers.size,
    ),
    items: placesOf(
      shown.map(({ items }) => items),
      standing.items.length,
    ),
    needs: findNeeds(references),
  };
}

/** Where each of so many numbers stands. */
function placesOf(numbers: readonly (readonly number[])[], size: number): Places {
  const places: number[][] = Array.from({ length: size }, () => []);
  for (const [place, standing] of numbers.entries()) {
    for (const number of standing) places[number]?.push(place);
  }
  return places;
}
