import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { HarnessError } from '../../simulator/errors.ts';
import { quoted, quotedLong } from '../../simulator/names.ts';
import { describeFault } from '../../simulator/system-fault.ts';
import { type CheckInputs, scenarioNameOf } from './inputs.ts';

const EarlierReport = z.looseObject({
  scenarios: z.array(z.looseObject({ name: z.string(), passed: z.boolean() })),
  unread: z.array(z.looseObject({ file: z.string() })).default([]),
  gate: z
    .looseObject({ findings: z.array(z.looseObject({ scenario: z.string().optional() })) })
    .optional(),
});

/** The scenarios that failed or were not read in an earlier report of a check. */
export function selectFailed(inputs: CheckInputs, report: string): CheckInputs {
  const failed = failedIn(report);
  const files = inputs.files.filter((file) => failed.has(scenarioNameOf(file)));
  if (files.length > 0) return { ...inputs, files };
  const message = `Expected scenarios to check, got none of ${inputs.files.length}: none of them failed.`;
  throw new HarnessError('NO_INPUT', message);
}

function failedIn(path: string): ReadonlySet<string> {
  const { scenarios, unread, gate } = readReport(path);
  const failed = scenarios.filter(({ passed }) => !passed).map(({ name }) => name);
  return new Set([
    ...failed,
    ...unread.map(({ file }) => scenarioNameOf(file)),
    ...(gate?.findings ?? []).flatMap(({ scenario }) => scenario ?? []),
  ]);
}

function readReport(path: string): z.infer<typeof EarlierReport> {
  try {
    return EarlierReport.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    const message = `Expected '--only-failed' to be a JSON report of 'check', got ${quotedLong(path)}, which ${describe(error)}.`;
    throw new HarnessError('UNREADABLE', message, { cause: error });
  }
}

function describe(error: unknown): string {
  if (error instanceof SyntaxError) return 'is not JSON';
  if (!(error instanceof z.ZodError)) return `cannot be read: ${describeFault(error)}`;
  const place = error.issues[0]?.path.join('.') ?? '';
  return place === '' ? 'is none' : `is none, at ${quoted(place)}`;
}
