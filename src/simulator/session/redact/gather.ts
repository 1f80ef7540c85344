/** Gathers the units of sessions before any of them is replaced. */

import type { Span } from '../calls/span.ts';
import { createSparing } from './spared-text.ts';
import { eachUnit, isShortNumber, prefixOf } from './units.ts';
import type { Prefixes } from './weighing.ts';

/** How a text is counted: as it stands, or inside of JSON. */
export type TextForm = 'plain' | 'json';

/** The units of a session, with what stands before them. */
export interface Gatherer {
  readonly units: ReadonlyMap<string, Prefixes>;
  /** All of a text, but for what is spared. */
  add(text: string, form: TextForm, spared?: readonly Span[]): void;
}

/** What JSON makes of what may stand before a word; the letter becomes part of the word. */
const ESCAPED: ReadonlyMap<string, string> = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['"', ''],
  ['\\', ''],
]);

/** A gatherer of nothing as yet. */
export function createGatherer(): Gatherer {
  const units = new Map<string, Map<string, number>>();
  const note = (unit: string, prefix: string): void => {
    const prefixes = units.get(unit);
    if (prefixes === undefined) units.set(unit, new Map([[prefix, 1]]));
    else prefixes.set(prefix, (prefixes.get(prefix) ?? 0) + 1);
  };

  return {
    units,
    add: (text, form, spared = []) => {
      const isSpared = createSparing(spared);
      eachUnit(text, (place) => {
        if (isShortNumber(place.unit) || isSpared(place)) return;
        note(place.unit, countedPrefix(prefixOf(place), form));
      });
    },
  };
}

function countedPrefix(prefix: string, form: TextForm): string {
  if (form === 'json') return ESCAPED.get(prefix) ?? prefix;
  return prefix === '\n' || prefix === '\r' ? '' : prefix;
}
