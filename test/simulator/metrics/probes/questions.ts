import type { Probe } from '../../../../src/simulator/metrics/probes/probe.ts';

/** A question with one answer. */
export const recall: Probe = {
  id: 'recall fact-1',
  kind: 'recall',
  question: 'Which id was given for "the ticket"?',
  accepted: ['cfg-882wx8ga'],
  refused: [],
  evidence: 'The ticket is cfg-882wx8ga.',
};
/** A question of which another value held before. */
export const stale: Probe = { ...recall, kind: 'staleness', refused: ['cfg-111aaa22'] };
/** A question whose old value is a part of the new one. */
export const longer: Probe = { ...stale, accepted: ['lantern cache'], refused: ['lantern'] };
/** A question whose new value is a part of the old one. */
export const shorter: Probe = {
  ...stale,
  accepted: ['npm test'],
  refused: ['npm test -- --watch'],
};
/** A question for a call that is forbidden. */
export const forbidden: Probe = {
  ...recall,
  kind: 'compliance',
  accepted: ['BLOCKED'],
  refused: ['chart_ag8qs6a9'],
};
/** A question that nobody can answer. */
export const absent: Probe = { ...recall, kind: 'abstention', accepted: [] };
/** A question for a number, whose words have a number too. */
export const port: Probe = {
  ...recall,
  question: 'Which number was given for "the port of w2"?',
  accepted: ['7443'],
};
