import { badOption } from '../../simulator/lib/errors.ts';
import { checkEachOnce, quoted } from '../../simulator/lib/names.ts';
import { RECORDED } from '../../simulator/replay/recorded.ts';
import { type Arm, isArm, parseArm } from '../../simulator/scenario/arms.ts';
import { outsideOf, releaseIn } from '../../simulator/scenario/recording-agents.ts';
import { parseNames } from './options.ts';

export interface AskedPolicies {
  readonly arms: readonly Arm[];
  readonly isRecordedAsked: boolean;
  /** On names that mean a preset of another name. */
  readonly notes: readonly string[];
}

/** Policies by their texts, with commas between. */
export function parsePolicies(lists: readonly string[]): AskedPolicies {
  const texts = parseNames('--policy', lists, 'names of presets');
  checkEachOnce('--policy', texts, texts.map(nameOfPolicy));
  const simulated = texts.filter((text) => text !== RECORDED);
  return {
    arms: simulated.map(parseArm),
    isRecordedAsked: simulated.length < texts.length,
    notes: simulated.flatMap(describeOtherName),
  };
}

/** The name that rows have of a policy. */
export function nameOfPolicy(text: string): string {
  if (text === RECORDED) return RECORDED;
  if (headOf(text) === RECORDED) {
    throw badOption(
      `Expected '${RECORDED}' without settings, got ${quoted(text)}: no setting changes what really happened.`,
    );
  }
  return parseArm(text).policy.name;
}

/** Tests if a text means a policy, or the run as recorded. */
export function isPolicy(text: string): boolean {
  return headOf(text) === RECORDED || isArm(text);
}

/** A note on a release that its preset was not observed in. */
export function describeOutside(text: string): readonly string[] {
  const outside = outsideOf(parseArm(text).preset, releaseIn(headOf(text)));
  return outside === undefined
    ? []
    : [`${quoted(headOf(text))} lies outside of what was observed (${outside}).`];
}

function describeOtherName(text: string): readonly string[] {
  const { name } = parseArm(text).policy;
  return [
    ...(headOf(text) === headOf(name) ? [] : [`${quoted(text)} is ${quoted(name)} here.`]),
    ...describeOutside(text),
  ];
}

function headOf(text: string): string {
  return text.trim().split(/\s+/, 1).join('');
}
