import * as z from 'zod';
import { HarnessError } from '../../simulator/errors.ts';
import { placeOfIssue } from '../../simulator/schema-issue.ts';
import { quotedLong } from '../../simulator/names.ts';
import { parseJson } from '../../simulator/parse-json.ts';
import { readTextFile } from '../../simulator/text-file.ts';
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
  const unfit = (reason: string, cause?: unknown) => {
    const message = `Expected '--only-failed' to be a JSON report of 'check', got ${quotedLong(path)}, which ${reason}.`;
    return new HarnessError('UNREADABLE', message, { cause });
  };
  const text = readTextFile(path, (reason, cause) => unfit(`cannot be read: ${reason}`, cause));
  const value = parseJson(text);
  if (value === undefined) throw unfit('is not JSON');
  const checked = EarlierReport.safeParse(value);
  if (checked.success) return checked.data;
  throw unfit(describePlace(checked.error), checked.error);
}

function describePlace({ issues }: z.ZodError): string {
  const [issue] = issues;
  return issue === undefined || issue.path.length === 0
    ? 'is none'
    : `is none, at ${placeOfIssue(issue)}`;
}
