import { readFileSync } from 'node:fs';
import { basename, extname } from 'node:path';
import * as z from 'zod';
import { contentHash } from '../simulator/content-hash.ts';
import { HarnessError, messageOf } from '../simulator/errors.ts';
import { quoted } from '../simulator/names.ts';
import type { Shard } from '../simulator/sweep/store/header.ts';
import { parseShard, shardOf } from '../simulator/sweep/store/shard.ts';
import type { CheckInputs } from './check-inputs.ts';

/** Which of the scenarios are to be checked, as the command line has it. */
export interface CheckSelection {
  readonly only?: string | undefined;
  readonly onlyFailed?: string | undefined;
  readonly shard?: string | undefined;
}

const EarlierReport = z.looseObject({
  scenarios: z.array(z.looseObject({ name: z.string(), passed: z.boolean() })),
  gate: z
    .looseObject({ findings: z.array(z.looseObject({ scenario: z.string().optional() })) })
    .optional(),
});

/** The scenarios that failed before, and those of one shard, where that is asked for. */
export function selectScenarios(inputs: CheckInputs, selection: CheckSelection): CheckInputs {
  const { onlyFailed, shard } = selection;
  const failed = onlyFailed === undefined ? undefined : failedIn(onlyFailed);
  const part = shard === undefined ? undefined : parseShard(shard);
  const files = inputs.files
    .filter((file) => failed?.has(scenarioNameOf(file)) ?? true)
    .filter((file) => part === undefined || isInShard(scenarioNameOf(file), part));
  if (files.length > 0) return { ...inputs, files };
  const why = shard === undefined ? 'none of them failed' : `none is in shard ${shard}`;
  const message = `Expected scenarios to check, got none of ${inputs.files.length}: ${why}.`;
  throw new HarnessError('NO_INPUT', message);
}

function scenarioNameOf(file: string): string {
  return basename(file, extname(file));
}

function failedIn(path: string): ReadonlySet<string> {
  try {
    const { scenarios, gate } = EarlierReport.parse(JSON.parse(readFileSync(path, 'utf8')));
    const failed = scenarios.filter(({ passed }) => !passed).map(({ name }) => name);
    return new Set([
      ...failed,
      ...(gate?.findings ?? []).flatMap(({ scenario }) => scenario ?? []),
    ]);
  } catch (error) {
    const reason = messageOf(error);
    const message = `Expected '--only-failed' to be a report of check in JSON, got ${quoted(path)}: ${quoted(reason, 200)}.`;
    throw new HarnessError('UNREADABLE', message, { cause: error });
  }
}

/** By name, so that a scenario stays in its shard when others come or go. */
function isInShard(name: string, { index, count }: Shard): boolean {
  return shardOf(contentHash(name), count) === index;
}
