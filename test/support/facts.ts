import type { PlantedFact } from '../../src/simulator/session/facts.ts';

/** A planted fact: an id that must be kept, unless told otherwise. */
export const planted = (over: Partial<PlantedFact> = {}): PlantedFact => ({
  id: 'fact-1',
  kind: 'id',
  subject: '',
  value: 'unheard of',
  polarity: 'do',
  criticality: 'must',
  source: 'user',
  step: 1,
  posPct: 1,
  neededAt: [],
  ...over,
});
