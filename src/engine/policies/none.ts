import { document002 } from './documents.ts';
import { type Policy } from '../policy.ts';
import { resolvePolicy } from '../form/policy-form.ts';

/** The control: no trigger, no prune. Its costs are what every saving is measured against. */
export const none: Policy = resolvePolicy(document002, {
  name: 'none',
  describes: 'Never compacts or prunes; replayed without a window limit.',
  source: 'the control of every comparison',
  trigger: { auto: false, afterStep: false, beforeRequest: false, onRefusal: 'stop' },
  cut: { keep: 'everything' },
  breaks: [],
  prune: { enabled: false },
});
