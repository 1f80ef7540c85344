import type { Checkup } from './checkup.ts';
import { settingWithoutEffect } from './effect.ts';
import { keepAboveTrigger, pruneAboveUsable, summarizerBelowTrigger } from './keep.ts';
import { inputAboveWindow, outputAboveWindow, windowUnknown } from './limits.ts';
import type { Lint, LintFinding } from './lint.ts';
import { triggerAboveWindow, usableBelowFloor, usableNotPositive } from './usable.ts';

/** Everything that is looked for, by its stable name. */
export const lints = {
  'usable-not-positive': usableNotPositive,
  'usable-below-floor': usableBelowFloor,
  'trigger-above-window': triggerAboveWindow,
  'window-unknown': windowUnknown,
  'input-above-window': inputAboveWindow,
  'output-above-window': outputAboveWindow,
  'setting-without-effect': settingWithoutEffect,
  'prune-above-usable': pruneAboveUsable,
  'keep-above-trigger': keepAboveTrigger,
  'summarizer-below-trigger': summarizerBelowTrigger,
} satisfies Record<string, Lint>;

/** The name of a lint. */
export type LintName = keyof typeof lints;

/** Everything that is wrong with a policy on a model, what never works first. */
export function runLints(checkup: Checkup): readonly LintFinding[] {
  return Object.entries<Lint>(lints).flatMap(([lint, { severity, find }]) =>
    find(checkup).map((complaint) => ({ lint, severity, ...complaint })),
  );
}
