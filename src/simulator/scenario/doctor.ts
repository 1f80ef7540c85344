import * as z from 'zod';
import type { Limits, Policy } from '../../engine/index.ts';
import { tailBudgetTokens } from '../../engine/internal.ts';
import { HarnessError } from '../lib/errors.ts';
import { describeFailure, readTextFile } from '../lib/files.ts';
import { describeIssue } from '../lib/json.ts';
import { quotedLong } from '../lib/names.ts';
import {
  canPivot,
  type Checkup,
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

const usableNotPositive: Lint = {
  severity: 'never-works',
  describes: 'No part of the window is usable, so every step overflows.',
  find: (checkup) => {
    const usableTokens = usableTokensOf(checkup);
    if (usableTokens === undefined || usableTokens > 0) return [];
    return [
      {
        problem: `usable is ${shownTokens(usableTokens)} tokens, so every step overflows`,
        advice: adviceOf(checkup, 'choose a model with a larger window'),
      },
    ];
  },
};

const usableBelowFloor: Lint = {
  severity: 'never-works',
  describes: 'Less is usable than system prompt and tools take, so no pivot is enough.',
  find: (checkup) => {
    const usableTokens = usableTokensOf(checkup);
    const { floorTokens, target } = checkup;
    // A policy that counts its messages alone does not count the floor.
    if (target.policy.trigger.counted !== undefined) return [];
    if (usableTokens === undefined || usableTokens <= 0 || usableTokens > floorTokens) return [];
    const [usable, floor] = [usableTokens, floorTokens].map(shownTokens);
    return [
      {
        problem: `usable ${usable} is not above the floor of ${floor} tokens, so no pivot is enough`,
        advice: adviceOf(checkup, "give the true floor with '--floor'"),
      },
    ];
  },
};

const triggerAboveWindow: Lint = {
  severity: 'warning',
  describes: 'The provider refuses a request before the policy acts.',
  find: (checkup) => {
    const windowTokens = windowTokensOf(checkup.target.limits);
    const usableTokens = usableTokensOf(checkup);
    if (usableTokens === undefined || windowTokens === 0 || usableTokens <= windowTokens) return [];
    const [usable, window] = [usableTokens, windowTokens].map(shownTokens);
    return [
      {
        problem: `usable ${usable} is above the ${window} tokens that the provider takes`,
        advice: `Choose a preset that respects input caps, or expect refusals, on which this one will: ${refusalOf(checkup)}.`,
      },
    ];
  },
};

const windowUnknown: Lint = {
  severity: 'warning',
  describes: 'The window is unknown, so nothing is ever compacted.',
  find: ({ trigger }) =>
    trigger?.isUnlimited
      ? [
          {
            problem: 'the window is 0, which means unknown: the policy never compacts by itself',
            advice: "Set 'contextTokens' to the model's window.",
          },
        ]
      : [],
};

const inputAboveWindow: Lint = {
  severity: 'warning',
  describes: "The model's input cap is larger than its window.",
  find: ({ target }) => {
    const { inputTokens = 0, contextTokens } = target.limits;
    if (contextTokens === 0 || inputTokens <= contextTokens) return [];
    const [input, context] = [inputTokens, contextTokens].map(shownTokens);
    return [
      {
        problem: `the input cap ${input} is above the window ${context}`,
        advice: "Set 'inputTokens' to the window or less; one of the two numbers is wrong.",
      },
    ];
  },
};

const outputAboveWindow: Lint = {
  severity: 'warning',
  describes: 'The longest answer takes the whole window.',
  find: ({ target }) => {
    const { outputTokens = 0, contextTokens } = target.limits;
    if (contextTokens === 0 || outputTokens < contextTokens) return [];
    const [output, context] = [outputTokens, contextTokens].map(shownTokens);
    return [
      {
        problem: `the output ${output} takes the whole window ${context}`,
        advice: "Set 'outputTokens' or 'outputCap' to what answers really need.",
      },
    ];
  },
};

const pruneAboveUsable: Lint = {
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

const keepAboveTrigger: Lint = {
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

const summarizerBelowTrigger: Lint = {
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

/** All lints, by stable name. */
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
  const rows = z.array(LimitRow).min(1).safeParse(readJson(path), { reportInput: true });
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

function readJson(path: string): unknown {
  const text = readTextFile(path, (reason, cause) => badLimits(path, `got: ${reason}`, cause));
  try {
    return JSON.parse(text);
  } catch (error) {
    throw badLimits(path, `got: ${describeFailure(error)}`, error);
  }
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
  const base = { policy, limits: toLimits(row) };
  const target = applySettings(base, given);
  const checkup = examine({ base, target, given: {}, floorTokens });
  const findings = runLints(checkup);
  const never = findings.find(({ severity }) => severity === 'never-works');
  const isUnknown = findings.some(({ lint }) => lint === 'window-unknown');
  if (never === undefined) return { isUnknown };
  const usableTokens = usableTokensOf(checkup) ?? 0;
  return { isUnknown, hopeless: { ...row, lint: never.lint, usableTokens } };
}

function toLimits({ context, input, output }: LimitRow): Limits {
  return {
    contextTokens: context ?? 0,
    ...(input !== null && { inputTokens: input }),
    ...(output !== null && { outputTokens: output }),
  };
}

function keptTokensOf({ target: { policy, limits } }: Checkup): number | undefined {
  return keepsTokens(policy.cut) ? policy.cut.tokens : tailBudgetTokens(policy, limits);
}

function adviceOf(checkup: Checkup, otherwise: string): string {
  const before = usableTokensOf(checkup) ?? 0;
  const usableWith = (values: SettingValues) =>
    usableTokensOf(examine({ ...checkup, target: applySettings(checkup.target, values) })) ?? 0;
  const levers = LEVERS.filter(([, most]) => usableWith(most) > before).map(([words]) => words);
  const advice = levers.length === 0 ? otherwise : `${levers.join(', ')}, or ${otherwise}`;
  return `${advice.charAt(0).toUpperCase()}${advice.slice(1)}.`;
}

function refusalOf({ target }: Checkup): string {
  return target.policy.trigger.onRefusal;
}
