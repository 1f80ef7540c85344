/** Lints about what a prune or a pivot keeps, and who can summarise the rest. */

import { windowTokensOf } from '../../window-tokens.ts';
import { tailBudgetTokens } from '../../../engine/internal.ts';
import { keepsTokens } from '../kept-number.ts';
import { canPivot, type Checkup, usableTokensOf } from './checkup.ts';
import { type Lint, shownTokens } from './lint.ts';

/** What a prune protects and must save lies above the trigger: a pivot always comes first. */
export const pruneAboveUsable: Lint = {
  severity: 'warning',
  describes: 'PROTECT and MINIMUM are above usable, so hardly a prune fires before a pivot.',
  find: (checkup) => {
    const usableTokens = usableTokensOf(checkup);
    const { prune } = checkup.target.policy;
    if (usableTokens === undefined || usableTokens <= 0) return [];
    if (!prune.enabled || prune.when === 'never' || prune.pass !== 'by-age') return [];
    const { protectTokens, minimumTokens } = prune.byAge;
    if (protectTokens + minimumTokens <= usableTokens) return [];
    const [protect, minimum, usable] = [protectTokens, minimumTokens, usableTokens].map(
      shownTokens,
    );
    return [
      {
        problem: `PROTECT ${protect} + MINIMUM ${minimum} is above usable ${usable}: ${protectTokens < usableTokens ? 'before a pivot, only an output that begins below PROTECT and reaches far above it is pruned' : 'no prune fires before a pivot'}`,
        advice: "Lower 'protect' or 'minimum', or switch 'prune' off.",
      },
    ];
  },
};

/** What a pivot keeps verbatim fills the window up to the trigger again. */
export const keepAboveTrigger: Lint = {
  severity: 'warning',
  describes: 'What a pivot keeps is as large as the trigger, so it compacts again at once.',
  find: (checkup) => {
    const { cut } = checkup.target.policy;
    if (cut.keep === 'last-share' && cut.share === 1) {
      return [{ problem: 'a pivot keeps everything', advice: "Lower 'keepShare'." }];
    }
    const usableTokens = usableTokensOf(checkup);
    const keptTokens = keptTokensOf(checkup);
    if (usableTokens === undefined || keptTokens === undefined) return [];
    if (usableTokens <= 0 || keptTokens < usableTokens) return [];
    const [kept, usable] = [keptTokens, usableTokens].map(shownTokens);
    return [
      {
        problem: `a pivot keeps up to ${kept} tokens, as much as the trigger at ${usable}`,
        advice: "Lower 'tailTokens' or 'keepTokens', whichever the preset has.",
      },
    ];
  },
};

/** The model that writes summaries cannot take what is to be summarised. */
export const summarizerBelowTrigger: Lint = {
  severity: 'warning',
  describes: "The summarizer's window is below the trigger, so it cannot read the head.",
  find: (checkup) => {
    const { target, summarizer } = checkup;
    const usableTokens = usableTokensOf(checkup);
    const windowTokens = windowTokensOf(summarizer?.limits ?? target.limits);
    if (usableTokens === undefined || windowTokens === 0 || windowTokens >= usableTokens) return [];
    if (!canPivot(target.policy)) return [];
    const [window, usable] = [windowTokens, usableTokens].map(shownTokens);
    const name = summarizer === undefined ? 'the model itself' : summarizer.model;
    return [
      {
        problem: `${name} writes the summaries and takes ${window} tokens, but the trigger is at ${usable}`,
        advice: target.policy.guards.shrinkSummaryRequest
          ? 'Summary requests are shrunk and lose content; a summarizer with a larger window keeps it.'
          : 'Choose a summarizer with a larger window, or a preset that shrinks its summary requests.',
      },
    ];
  },
};

function keptTokensOf({ target: { policy, limits } }: Checkup): number | undefined {
  return keepsTokens(policy.cut) ? policy.cut.tokens : tailBudgetTokens(policy, limits);
}
