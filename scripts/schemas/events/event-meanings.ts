import type { RunEvent } from '../../../src/simulator/events.ts';

/** What each event says that happened. */
export const eventMeanings: Readonly<Record<RunEvent['type'], string>> = {
  'run-start': 'A run begins. It names what was replayed under what.',
  'turn-start': 'A prompt was taken up.',
  'step-end': 'A request was answered: what it held, read from the cache and cost.',
  'step-refused': 'A request was refused because it was too large.',
  'step-malformed': 'A request was made that no provider takes, whatever its size.',
  'step-truncated': 'The provider cut a request that was too large, and said nothing.',
  'request-failed': 'A request got no answer.',
  'model-changed': 'From here on another model is asked.',
  overflow: 'The policy found the session over its limit.',
  'prune-end': 'A pass over old outputs ended.',
  'summary-end': 'A summary request was answered, or failed.',
  pivot: 'A summary took the place of history.',
  'summary-rejected': 'A guard of the policy did not let a summary in.',
  'summary-repeated':
    'A summary is asked for again: smaller, for the next chunk, or with a reminder.',
  'usage-ignored': 'No check was made with a reported usage.',
  'moved-out': 'Messages moved to an external memory.',
  'law-violated': 'A law was broken.',
  reference:
    'A step needs what an earlier part holds. It is told just before the end of that step.',
  eviction: 'Recorded texts, calls and outputs left the view.',
  'stale-kept': 'From here on the view holds that much that is useless.',
  standing: 'Which constraints and files anything in the view still names.',
  'turn-end': 'The turn is over.',
  'run-end': 'The run is over.',
};
