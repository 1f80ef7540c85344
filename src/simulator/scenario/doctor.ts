import * as z from 'zod';
import type { Policy } from '../../engine/index.ts';
import { tailBudgetTokens } from '../../engine/internal.ts';
import { known, sum } from '../lib/collections.ts';
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

export interface HopelessRow extends LimitRow {
  readonly lint: string;
  readonly usableTokens: number;
}

export interface LimitsVerdict {
  readonly policy: string;
  readonly triples: number;
  readonly models: number;
  readonly unknownTriples: number;
  readonly hopeless: readonly HopelessRow[];
}

/** One triple of limits and how many models have it; `null` is undeclared. */
export type LimitRow = z.infer<typeof LimitRow>;

const LEVERS: readonly (readonly [words: string, most: SettingValues])[] = [
  ["declare a smaller 'outputTokens'", { outputTokens: 1 }],
  ["lower 'outputCap'", { outputCap: 1 }],
  ["lower 'reserved'", { reserved: 0 }],
];

/** Less of the window between floor and trigger is filled within a few steps. */
const LEAST_ROOM = 0.1;
/** A trigger at less of the window may be raised. */
const LOW_TRIGGER = 0.5;

export const lints = {
  'usable-not-positive': lint(
    'never-works',
    (usableTokens, checkup) =>
      usableTokens <= 0 && [
        shown`usable is ${usableTokens} tokens, so every step overflows`,
        adviceOf(checkup, 'choose a model with a larger window'),
      ],
  ),
  'usable-below-floor': lint(
    'never-works',
    (usableTokens, checkup) =>
      usableTokens > 0 &&
      usableTokens <= floorOf(checkup) && [
        shown`usable ${usableTokens} is not above the floor of ${checkup.floorTokens} tokens, so no pivot is enough`,
        adviceOf(checkup, 'use fewer tools or a larger window'),
      ],
  ),
  'floor-near-usable': lint('warning', (usableTokens, checkup) => {
    const { floorTokens, target } = checkup;
    const windowTokens = windowTokensOf(target.limits);
    const roomTokens = usableTokens - floorTokens;
    const share = roomTokens / windowTokens;
    return (
      floorOf(checkup) > 0 &&
      roomTokens > 0 &&
      share < LEAST_ROOM && [
        shown`the floor of ${floorTokens} tokens leaves ${roomTokens} below the trigger at ${usableTokens}, ${100 * share} % of the window, so it compacts every few steps`,
        usableTokens < LOW_TRIGGER * windowTokens
          ? 'Let it compact later.'
          : 'Use fewer tools or a larger window; no summary gets below the floor.',
      ]
    );
  }),
  'trigger-above-window': lint('warning', (usableTokens, { target: { policy, limits } }) => {
    const windowTokens = windowTokensOf(limits);
    return (
      windowTokens > 0 &&
      usableTokens > windowTokens && [
        shown`usable ${usableTokens} is above the ${windowTokens} tokens that the provider takes`,
        `Choose a preset that respects input caps, or expect refusals, on which this one will: ${policy.trigger.onRefusal}.`,
      ]
    );
  }),
  // A window of 0 switches the check of most rules off.
  'window-unknown': lint(
    'warning',
    (_, { trigger }) =>
      trigger?.isUnlimited && [
        'the window is 0, which means unknown: the policy never compacts by itself',
        "Set 'contextTokens' to the model's window.",
      ],
  ),
  'input-above-window': lint('warning', (_, { target }) => {
    const { inputTokens = 0, contextTokens } = target.limits;
    return (
      contextTokens > 0 &&
      inputTokens > contextTokens && [
        shown`the input cap ${inputTokens} is above the window ${contextTokens}`,
        "Set 'inputTokens' to the window or less; one of the two numbers is wrong.",
      ]
    );
  }),
  'output-above-window': lint('warning', (_, { target }) => {
    const { outputTokens = 0, contextTokens } = target.limits;
    return (
      contextTokens > 0 &&
      outputTokens >= contextTokens && [
        shown`the output ${outputTokens} takes the whole window ${contextTokens}`,
        "Set 'outputTokens' or 'outputCap' to what answers really need.",
      ]
    );
  }),
  'setting-without-effect': settingWithoutEffect,
  'prune-above-usable': lint('warning', (usableTokens, { target }) => {
    const { enabled, when, pass, byAge } = target.policy.prune;
    if (!enabled || when === 'never' || pass !== 'by-age') return false;
    const { protectTokens, minimumTokens } = byAge;
    const fires =
      protectTokens < usableTokens
        ? 'before a pivot, only an output that begins below PROTECT and reaches far above it is pruned'
        : 'no prune fires before a pivot';
    return (
      usableTokens > 0 &&
      protectTokens + minimumTokens > usableTokens && [
        shown`PROTECT ${protectTokens} + MINIMUM ${minimumTokens} is above usable ${usableTokens}: ${fires}`,
        "Lower 'protect' or 'minimum', or switch 'prune' off.",
      ]
    );
  }),
  'keep-above-trigger': lint('warning', (usableTokens, { target: { policy, limits } }) => {
    const { cut } = policy;
    if (cut.keep === 'last-share' && cut.share === 1)
      return ['a pivot keeps everything', "Lower 'keepShare'."];
    const keptTokens = keepsTokens(cut) ? cut.tokens : (tailBudgetTokens(policy, limits) ?? 0);
    return (
      usableTokens > 0 &&
      keptTokens >= usableTokens && [
        shown`a pivot keeps up to ${keptTokens} tokens, as much as the trigger at ${usableTokens}`,
        "Lower 'tailTokens' or 'keepTokens', whichever the preset has.",
      ]
    );
  }),
  'summarizer-below-trigger': lint(
    'warning',
    (usableTokens, { target: { policy, limits }, summarizer }) => {
      const windowTokens = windowTokensOf(summarizer?.limits ?? limits);
      const writer = summarizer?.model ?? 'the model itself';
      return (
        windowTokens > 0 &&
        windowTokens < usableTokens &&
        canPivot(policy) && [
          shown`${writer} writes the summaries and takes ${windowTokens} tokens, but the trigger is at ${usableTokens}`,
          policy.guards.shrinkSummaryRequest
            ? 'Summary requests are shrunk and lose content; a summarizer with a larger window keeps it.'
            : 'Choose a summarizer with a larger window, or a preset that shrinks its summary requests.',
        ]
      );
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

export function examineRows(
  policy: Policy,
  rows: readonly LimitRow[],
  { given, floorTokens }: Pick<Checkup, 'given' | 'floorTokens'>,
): LimitsVerdict {
  let unknownTriples = 0;
  const hopeless = rows.flatMap((row): readonly HopelessRow[] => {
    const { context, input, output } = row;
    const own = known({ inputTokens: input ?? undefined, outputTokens: output ?? undefined });
    const base = { policy, limits: { contextTokens: context ?? 0, ...own } };
    const target = applySettings(base, given);
    const checkup = examine({ base, target, given: {}, floorTokens });
    const findings = runLints(checkup);
    if (findings.some(({ lint }) => lint === 'window-unknown')) unknownTriples += 1;
    const never = findings.find(({ severity }) => severity === 'never-works');
    const usableTokens = usableTokensOf(checkup) ?? 0;
    return never === undefined ? [] : [{ ...row, lint: never.lint, usableTokens }];
  });
  const models = sum(rows.map((row) => row.models));
  return { policy: policy.name, triples: rows.length, models, unknownTriples, hopeless };
}

function badLimits(path: string, got: string, cause: unknown) {
  const expected = 'a list of objects with "context", "input" and "output"';
  const message = `Expected ${quotedLong(path)} to be ${expected}, ${got}.`;
  return new HarnessError('BAD_CATALOG', message, { cause });
}

/** The part of a request that no pivot removes; 0 where the policy counts its messages alone. */
function floorOf({ floorTokens, target }: Checkup) {
  return target.policy.trigger.counted === undefined ? floorTokens : 0;
}

/** A lint with one complaint at most; `usableTokens` are `NaN` where no check is ever made or the window is unknown. */
function lint(
  severity: Lint['severity'],
  complain: (
    usableTokens: number,
    checkup: Checkup,
  ) => readonly [problem: string, advice: string] | false | undefined,
) {
  const find = (checkup: Checkup) => {
    const complaint = complain(usableTokensOf(checkup) ?? Number.NaN, checkup);
    return complaint ? [{ problem: complaint[0], advice: complaint[1] }] : [];
  };
  return { severity, find };
}

function shown(words: TemplateStringsArray, ...values: readonly (number | string)[]) {
  const texts = values.map((value) => (typeof value === 'number' ? shownTokens(value) : value));
  return String.raw({ raw: words }, ...texts);
}

function adviceOf(checkup: Checkup, otherwise: string) {
  const leastTokens = floorOf(checkup) + LEAST_ROOM * windowTokensOf(checkup.target.limits);
  const before = Math.max(usableTokensOf(checkup) ?? 0, leastTokens);
  const usableWith = (values: SettingValues) =>
    usableTokensOf(examine({ ...checkup, target: applySettings(checkup.target, values) })) ?? 0;
  const [advice = otherwise] = LEVERS.find(([, most]) => usableWith(most) > before) ?? [];
  return `${advice.charAt(0).toUpperCase()}${advice.slice(1)}.`;
}
