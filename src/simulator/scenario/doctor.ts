import * as z from 'zod';
import type { Policy } from '../../engine/index.ts';
import { tailBudgetTokens } from '../../engine/internal.ts';
import { known } from '../lib/collections.ts';
import { HarnessError } from '../lib/errors.ts';
import { describeFailure, readTextFile } from '../lib/files.ts';
import { describeIssue } from '../lib/json.ts';
import { quotedLong } from '../lib/names.ts';
import {
  canPivot,
  type Checkup,
  type Complaint,
  examine,
  type Lint,
  type LintFinding,
  settingWithoutEffect,
  shownTokens,
  usableTokensOf,
} from './checkup.ts';
import { applySettings, keepsTokens, type SettingValues, windowTokensOf } from './settings.ts';

/** One triple on which a preset can never work, and why. */
export interface HopelessRow extends LimitRow {
  readonly lint: string;
  readonly usableTokens: number;
}

/** How a policy fares on many triples of limits. */
export interface LimitsVerdict {
  readonly policy: string;
  readonly triples: number;
  readonly models: number;
  /** Triples whose window is unknown, so that nothing is ever compacted. */
  readonly unknownTriples: number;
  readonly hopeless: readonly HopelessRow[];
}

/** One triple of limits and how many models have it; `null` is not declared. */
export type LimitRow = z.infer<typeof LimitRow>;

const LEVERS: readonly (readonly [words: string, most: SettingValues])[] = [
  ["declare a smaller 'outputTokens'", { outputTokens: 1 }],
  ["lower 'outputCap'", { outputCap: 1 }],
  ["lower 'reserved'", { reserved: 0 }],
];

/** All lints, by stable name. */
export const lints = {
  'usable-not-positive': lint(
    'never-works',
    'No part of the window is usable, so every step overflows.',
    (usableTokens, checkup) => {
      if (usableTokens === undefined || usableTokens > 0) return undefined;
      return {
        problem: `usable is ${shownTokens(usableTokens)} tokens, so every step overflows`,
        advice: adviceOf(checkup, 'choose a model with a larger window'),
      };
    },
  ),
  'usable-below-floor': lint(
    'never-works',
    'Less is usable than system prompt and tools take, so no pivot is enough.',
    (usableTokens, checkup) => {
      const { floorTokens, target } = checkup;
      // A policy that counts its messages alone does not count the floor.
      if (target.policy.trigger.counted !== undefined) return undefined;
      if (usableTokens === undefined || usableTokens <= 0 || usableTokens > floorTokens)
        return undefined;
      const [usable, floor] = [usableTokens, floorTokens].map(shownTokens);
      return {
        problem: `usable ${usable} is not above the floor of ${floor} tokens, so no pivot is enough`,
        advice: adviceOf(checkup, "give the true floor with '--floor'"),
      };
    },
  ),
  'trigger-above-window': lint(
    'warning',
    'The provider refuses a request before the policy acts.',
    (usableTokens, { target: { policy, limits } }) => {
      const windowTokens = windowTokensOf(limits);
      if (usableTokens === undefined || windowTokens === 0 || usableTokens <= windowTokens)
        return undefined;
      const [usable, window] = [usableTokens, windowTokens].map(shownTokens);
      return {
        problem: `usable ${usable} is above the ${window} tokens that the provider takes`,
        advice: `Choose a preset that respects input caps, or expect refusals, on which this one will: ${policy.trigger.onRefusal}.`,
      };
    },
  ),
  // A window of 0 switches the check of most rules off.
  'window-unknown': lint(
    'warning',
    'The window is unknown, so nothing is ever compacted.',
    (_, { trigger }) =>
      trigger?.isUnlimited
        ? {
            problem: 'the window is 0, which means unknown: the policy never compacts by itself',
            advice: "Set 'contextTokens' to the model's window.",
          }
        : undefined,
  ),
  'input-above-window': lint(
    'warning',
    "The model's input cap is larger than its window.",
    (_, { target }) => {
      const { inputTokens = 0, contextTokens } = target.limits;
      if (contextTokens === 0 || inputTokens <= contextTokens) return undefined;
      const [input, context] = [inputTokens, contextTokens].map(shownTokens);
      return {
        problem: `the input cap ${input} is above the window ${context}`,
        advice: "Set 'inputTokens' to the window or less; one of the two numbers is wrong.",
      };
    },
  ),
  'output-above-window': lint(
    'warning',
    'The longest answer takes the whole window.',
    (_, { target }) => {
      const { outputTokens = 0, contextTokens } = target.limits;
      if (contextTokens === 0 || outputTokens < contextTokens) return undefined;
      const [output, context] = [outputTokens, contextTokens].map(shownTokens);
      return {
        problem: `the output ${output} takes the whole window ${context}`,
        advice: "Set 'outputTokens' or 'outputCap' to what answers really need.",
      };
    },
  ),
  'setting-without-effect': settingWithoutEffect,
  'prune-above-usable': lint(
    'warning',
    'PROTECT and MINIMUM are above usable, so hardly a prune fires before a pivot.',
    (usableTokens, { target }) => {
      const { enabled, when, pass, byAge } = target.policy.prune;
      if (usableTokens === undefined || usableTokens <= 0) return undefined;
      if (!enabled || when === 'never' || pass !== 'by-age') return undefined;
      const { protectTokens, minimumTokens } = byAge;
      if (protectTokens + minimumTokens <= usableTokens) return undefined;
      const [protect, minimum, usable] = [protectTokens, minimumTokens, usableTokens].map(
        shownTokens,
      );
      const fires =
        protectTokens < usableTokens
          ? 'before a pivot, only an output that begins below PROTECT and reaches far above it is pruned'
          : 'no prune fires before a pivot';
      return {
        problem: `PROTECT ${protect} + MINIMUM ${minimum} is above usable ${usable}: ${fires}`,
        advice: "Lower 'protect' or 'minimum', or switch 'prune' off.",
      };
    },
  ),
  'keep-above-trigger': lint(
    'warning',
    'What a pivot keeps is as large as the trigger, so it compacts again at once.',
    (usableTokens, { target: { policy, limits } }) => {
      const { cut } = policy;
      if (cut.keep === 'last-share' && cut.share === 1) {
        return { problem: 'a pivot keeps everything', advice: "Lower 'keepShare'." };
      }
      const keptTokens = keepsTokens(cut) ? cut.tokens : tailBudgetTokens(policy, limits);
      if (usableTokens === undefined || keptTokens === undefined) return undefined;
      if (usableTokens <= 0 || keptTokens < usableTokens) return undefined;
      const [kept, usable] = [keptTokens, usableTokens].map(shownTokens);
      return {
        problem: `a pivot keeps up to ${kept} tokens, as much as the trigger at ${usable}`,
        advice: "Lower 'tailTokens' or 'keepTokens', whichever the preset has.",
      };
    },
  ),
  'summarizer-below-trigger': lint(
    'warning',
    "The summarizer's window is below the trigger, so it cannot read the head.",
    (usableTokens, { target: { policy, limits }, summarizer }) => {
      const windowTokens = windowTokensOf(summarizer?.limits ?? limits);
      if (usableTokens === undefined || windowTokens === 0 || windowTokens >= usableTokens)
        return undefined;
      if (!canPivot(policy)) return undefined;
      const [window, usable] = [windowTokens, usableTokens].map(shownTokens);
      return {
        problem: `${summarizer?.model ?? 'the model itself'} writes the summaries and takes ${window} tokens, but the trigger is at ${usable}`,
        advice: policy.guards.shrinkSummaryRequest
          ? 'Summary requests are shrunk and lose content; a summarizer with a larger window keeps it.'
          : 'Choose a summarizer with a larger window, or a preset that shrinks its summary requests.',
      };
    },
  ),
} satisfies Record<string, Lint>;

const Amount = z.int().nonnegative().nullable();

const LimitRow = z.looseObject({
  context: Amount,
  input: Amount,
  output: Amount,
  toolCall: z.boolean().optional(),
  models: z.int().nonnegative().default(1),
});

/** All findings about a policy on a model, `never-works` first. */
export function runLints(checkup: Checkup): readonly LintFinding[] {
  return Object.entries<Lint>(lints).flatMap(([lint, { severity, find }]) =>
    find(checkup).map((complaint) => ({ lint, severity, ...complaint })),
  );
}

/** The rows of a file with triples of limits. Throws `HarnessError` where it holds none. */
export function readLimitRows(path: string): readonly LimitRow[] {
  const text = readTextFile(path, (reason, cause) => badLimits(path, `got: ${reason}`, cause));
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw badLimits(path, `got: ${describeFailure(error)}`, error);
  }
  const rows = z.array(LimitRow).min(1).safeParse(json, { reportInput: true });
  if (rows.success) return rows.data;
  const [issue] = rows.error.issues;
  throw badLimits(path, `got at ${describeIssue(issue)}`, rows.error);
}

/** Every triple on which a policy can never work. */
export function examineRows(
  policy: Policy,
  rows: readonly LimitRow[],
  options: { readonly given: SettingValues; readonly floorTokens: number },
): LimitsVerdict {
  const findings = rows.map((row) => examineRow(policy, row, options));
  return {
    policy: policy.name,
    triples: rows.length,
    models: rows.reduce((total, { models }) => total + models, 0),
    unknownTriples: findings.filter(({ isUnknown }) => isUnknown).length,
    hopeless: findings.flatMap(({ hopeless }) => hopeless ?? []),
  };
}

function badLimits(path: string, got: string, cause: unknown): HarnessError {
  const expected = 'a list of objects with "context", "input" and "output"';
  const message = `Expected ${quotedLong(path)} to be ${expected}, ${got}.`;
  return new HarnessError('BAD_CATALOG', message, { cause });
}

function examineRow(
  policy: Policy,
  row: LimitRow,
  { given, floorTokens }: { readonly given: SettingValues; readonly floorTokens: number },
): { readonly isUnknown: boolean; readonly hopeless?: HopelessRow } {
  const { context, input, output } = row;
  const own = known({ inputTokens: input ?? undefined, outputTokens: output ?? undefined });
  const base = { policy, limits: { contextTokens: context ?? 0, ...own } };
  const target = applySettings(base, given);
  const checkup = examine({ base, target, given: {}, floorTokens });
  const findings = runLints(checkup);
  const never = findings.find(({ severity }) => severity === 'never-works');
  const isUnknown = findings.some(({ lint }) => lint === 'window-unknown');
  if (never === undefined) return { isUnknown };
  const usableTokens = usableTokensOf(checkup) ?? 0;
  return { isUnknown, hopeless: { ...row, lint: never.lint, usableTokens } };
}

/** A lint with one complaint at most; `usableTokens` are `undefined` where no check is ever made or the window is unknown. */
function lint(
  severity: Lint['severity'],
  describes: string,
  complain: (usableTokens: number | undefined, checkup: Checkup) => Complaint | undefined,
): Lint {
  const find = (checkup: Checkup) => {
    const complaint = complain(usableTokensOf(checkup), checkup);
    return complaint === undefined ? [] : [complaint];
  };
  return { severity, describes, find };
}

function adviceOf(checkup: Checkup, otherwise: string): string {
  const before = usableTokensOf(checkup) ?? 0;
  const usableWith = (values: SettingValues) =>
    usableTokensOf(examine({ ...checkup, target: applySettings(checkup.target, values) })) ?? 0;
  const levers = LEVERS.filter(([, most]) => usableWith(most) > before).map(([words]) => words);
  const advice = levers.length === 0 ? otherwise : `${levers.join(', ')}, or ${otherwise}`;
  return `${advice.charAt(0).toUpperCase()}${advice.slice(1)}.`;
}
