import * as z from 'zod';
import type { Limits, Policy } from '../../../engine/index.ts';
import { HarnessError } from '../../errors.ts';
import { quotedLong } from '../../names.ts';
import { describeFailure } from '../../system-fault.ts';
import { readTextFile } from '../../text-file.ts';
import { applySettings, type SettingValues } from '../settings.ts';
import { examine, usableTokensOf } from './checkup.ts';
import { runLints } from './lints.ts';
import { describeIssue } from '../../schema-issue.ts';

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

const Amount = z.int().nonnegative().nullable();

const LimitRow = z.looseObject({
  context: Amount,
  input: Amount,
  output: Amount,
  toolCall: z.boolean().optional(),
  models: z.int().nonnegative().default(1),
});
/** One triple of limits and how many models have it; `null` is not declared. */
export type LimitRow = z.infer<typeof LimitRow>;

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
