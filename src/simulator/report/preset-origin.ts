/** Descriptions of where presets come from, for lists and for reports on one of them. */

import {
  compactsUnasked,
  type Evidence,
  type Policy,
  type PolicyName,
  type PresetOrigin,
  presetOrigins,
} from '../../engine/index.ts';

const FIRST_OF_ALL = '0.0.0';

const EVIDENCE: Readonly<Record<Evidence, (date: string) => string>> = {
  observed: (date) => `observed on ${date}`,
  read: (date) => `read in its source, ${date}`,
  documented: (date) => `as documented, ${date}`,
  own: () => "this project's own",
};

/** A range of releases: `1.2.16 to 1.14.18`, `since 2.0.0`, `all up to 0.84.3`; empty where none is named. */
export function renderReleases({ from, to }: Pick<PresetOrigin, 'to' | 'from'>): string {
  if (from === undefined) return to === undefined ? '' : `up to ${to}`;
  if (from === FIRST_OF_ALL) return to === undefined ? 'all releases' : `up to ${to}`;
  if (to === undefined) return `since ${from}`;
  return from === to ? from : `${from} to ${to}`;
}

/** How a preset is known, in words: `observed on 2026-11-28`. */
export function renderEvidence({ evidence, by, date }: PresetOrigin): string {
  if (by === 'recordings') return `observed in recordings, ${date}`;
  return EVIDENCE[evidence](date);
}

/** How a preset is known, in two words: `observed 2026-11-28`. */
export function renderShortEvidence({ evidence, date }: PresetOrigin): string {
  return evidence === 'own' ? evidence : `${evidence} ${date}`;
}

/** Whose preset a policy is, of which releases, and how that is known; empty of a policy that is no preset. */
export function describePreset({ name }: Pick<Policy, 'name'>): readonly string[] {
  const origin = originOfPreset(name);
  if (origin === undefined) return [];
  const known = [renderReleases(origin), renderEvidence(origin)].filter((text) => text !== '');
  return [`preset of ${origin.agent}: ${known.join(', ')}`];
}

/** The origin of a preset as plain data; null of a policy that is none. */
export function toPlainOrigin(name: string) {
  const origin = originOfPreset(name);
  if (origin === undefined) return null;
  const { agent, from = null, to = null, evidence, date } = origin;
  return { agent, from, to, evidence, date };
}

/** Tests if a trigger may fire while a turn is under way; a prune beside it may run at other moments. */
export function mayFireMidTurn({ trigger }: Policy): boolean {
  const { afterStep, beforeRequest, onlyBetweenTurns } = trigger;
  return compactsUnasked(trigger) && (afterStep || beforeRequest) && onlyBetweenTurns !== true;
}

/** When a trigger is checked, in words. */
export function renderMoments(policy: Policy): string {
  const { afterStep, beforeRequest } = policy.trigger;
  const moments = [afterStep ? 'after a step' : '', beforeRequest ? 'before a request' : ''];
  const checked = moments.filter((text) => text !== '').join(' and ');
  return mayFireMidTurn(policy)
    ? `${checked}, also in the middle of a turn`
    : `${checked}, between turns only`;
}

/** The origin of a preset; absent of a policy that is none. */
function originOfPreset(name: string): PresetOrigin | undefined {
  return Object.hasOwn(presetOrigins, name) ? presetOrigins[name as PolicyName] : undefined;
}
