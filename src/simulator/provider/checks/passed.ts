import type { CheckRun, RequestCheck, RequestMessage } from './check.ts';
import { type CheckName, checks } from './checks.ts';

/** Some of the checks, each as one bit of a number. */
export type CheckSet = number;

/** No check at all. */
export const NO_CHECKS: CheckSet = 0;

const NAMES = Object.keys(checks) as readonly CheckName[];

/** Those for which it does not matter what else stands in a request, once all is settled before. */
const LOCAL = ofScope('message') | ofScope('exchange');
const OPENING = ofScope('opening');
const IDS = ofScope('ids');

/** The set of the checks with these names. */
export function setOf(names: readonly CheckName[]): CheckSet {
  return names.reduce((set, name) => set | (1 << NAMES.indexOf(name)), NO_CHECKS);
}

/** The local ones of some checks. */
export function localOf(set: CheckSet): CheckSet {
  return set & LOCAL;
}

/** The checks that messages pass as a request of their own. */
export function passedAlone(messages: readonly RequestMessage[]): CheckSet {
  let passed = NO_CHECKS;
  for (const [index, name] of NAMES.entries()) {
    if (passes(messages, checks[name].start())) passed |= 1 << index;
  }
  return passed;
}

/** The checks but for those of ids, which messages with ids that were used before may fail together. */
export function withoutIds(set: CheckSet): CheckSet {
  return set & ~IDS;
}

/**
 * The checks that a request passes for certain when messages go on from it, by what both pass alone. It may pass more:
 * for some checks one has to look at all of it.
 */
export function passedTogether(before: CheckSet, added: CheckSet): CheckSet {
  return before & ((added & (LOCAL | IDS)) | OPENING);
}

function ofScope(scope: RequestCheck['scope']): CheckSet {
  return setOf(NAMES.filter((name) => checks[name].scope === scope));
}

function passes(messages: readonly RequestMessage[], run: CheckRun): boolean {
  for (const message of messages) {
    if (run.next(message) !== undefined) return false;
  }
  return run.end?.() === undefined;
}
