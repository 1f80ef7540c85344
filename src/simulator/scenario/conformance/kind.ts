import type * as z from 'zod';
import { quoted } from '../../names.ts';
import { isAsExpected } from './expectation.ts';
import { describeIssue } from '../../schema-issue.ts';
import type { Vector, VectorResult } from './vector.ts';

/** One kind of vector: gives a result for each of a vector's profiles. */
export type Kind = (vector: Vector) => readonly VectorResult[];

/** What tells one kind from another. */
export interface KindOptions<Schema extends z.ZodType, Rule> {
  readonly schema: Schema;
  /** The value that each profile is expected to give. */
  readonly expected: (vector: z.infer<Schema>) => ReadonlyMap<string, unknown>;
  /** The rule that a profile names; `undefined` where there is none. */
  readonly ruleOf: (profile: string) => Rule | undefined;
  /** What the engine gives by that rule. */
  readonly evaluate: (vector: z.infer<Schema>, rule: NoInfer<Rule>) => unknown;
  /** What else is wrong by that rule, in words. */
  readonly findFault?: (vector: z.infer<Schema>, rule: NoInfer<Rule>) => string | undefined;
}

/** The profile of a vector that names no release at all. */
export const ANY_PROFILE = 'any';

/** A kind of vector that is evaluated by its profile's rule. */
export function createKind<Schema extends z.ZodType, Rule>(
  options: KindOptions<Schema, Rule>,
): Kind {
  return (vector) => {
    const parsed = options.schema.safeParse(vector);
    if (!parsed.success) {
      const reason = `It is not of the form of its kind, at ${describeIssue(parsed.error.issues[0])}.`;
      return [skippedResult(vector, reason)];
    }
    return [...options.expected(parsed.data)].map(([profile, expected]) => {
      const judged = judge(parsed.data, [profile, expected], options);
      return { id: vector.id, kind: vector.kind, profile, ...judged };
    });
  };
}

/** A vector that was not evaluated, and why. */
export function skippedResult(vector: Vector, reason: string): VectorResult {
  const { id, kind, version = ANY_PROFILE } = vector;
  const expected = vector['expected'] ?? null;
  return { id, kind, profile: version, ...skipped(expected, reason) };
}

function judge<Schema extends z.ZodType, Rule>(
  vector: z.infer<Schema>,
  [profile, expected]: readonly [string, unknown],
  { ruleOf, evaluate, findFault }: KindOptions<Schema, Rule>,
): Pick<VectorResult, 'state' | 'expected' | 'got' | 'reason'> {
  const rule = ruleOf(profile);
  if (expected === undefined) return skipped(null, 'It does not say what is expected.');
  if (rule === undefined) return skipped(expected, `No rule of the engine is ${quoted(profile)}.`);
  const got = evaluate(vector, rule) ?? null;
  const fault = findFault?.(vector, rule);
  const isRight = fault === undefined && isAsExpected(got, expected);
  const judged = { state: isRight ? 'passed' : 'failed', expected, got } as const;
  return fault === undefined ? judged : { ...judged, reason: fault };
}

function skipped(expected: unknown, reason: string) {
  return { state: 'skipped', expected, got: null, reason } as const;
}
