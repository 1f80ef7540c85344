import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import * as z from 'zod';
import { HarnessError } from '../../errors.ts';
import { CONDITIONS, PROBE_KINDS } from '../../metrics/probes/probe.ts';
import { type QualityMetricName, qualityMetrics } from '../../metrics/quality/quality-metrics.ts';
import { FACT_KINDS } from '../../session/facts.ts';
import { quoted } from '../../names.ts';
import { type SummaryRow, SUMMARY_ROW_VERSION } from '../../report/summarizers/summary-row.ts';

const number = z.number();
const NAMES = Object.keys(qualityMetrics) as readonly QualityMetricName[];
const values = z.record(z.enum(NAMES), number.nullable());
const pivot = z.strictObject({
  summary: values,
  view: values,
  kinds: z.partialRecord(z.enum(FACT_KINDS), number.nullable()),
  mustFacts: number,
  mustDropped: number,
  headTokens: number,
  summaryTokens: number,
  viewTokens: number,
  calls: number,
  costNanoUsd: number.optional(),
  latencyMs: number.optional(),
  isCut: z.boolean(),
});
const answer = z.strictObject({
  isRight: z.boolean(),
  isAbstained: z.boolean(),
  by: z.enum(['rule', 'judge']),
});
const probe = z.strictObject({
  id: z.string(),
  kind: z.enum(PROBE_KINDS),
  answers: z.record(z.enum(CONDITIONS), answer),
  isLeft: z.boolean(),
});
/** Only rows of this version are known in full. */
const Row = z.strictObject({
  rowVersion: z.literal(SUMMARY_ROW_VERSION),
  scorerVersion: z.int(),
  bench: z.string(),
  scenario: z.string(),
  scenarioHash: z.string(),
  facts: z.enum(['planted', 'extracted']),
  summarizer: z.string(),
  model: z.string(),
  prompt: z.string(),
  promptHash: z.string(),
  repeat: z.int().positive(),
  isRandom: z.boolean(),
  pivots: z.array(pivot),
  reader: z.string().optional(),
  probes: z.array(probe).optional(),
  missing: z
    .strictObject({
      pivot: z.int().positive(),
      state: z.enum(['failed', 'broken', 'unreached']),
      reason: z.string(),
    })
    .optional(),
});
const Version = z.looseObject({ rowVersion: z.int() });

/** The rows of a file, one a line; none where there is no file. Rows of another version are kept apart. */
export function readSummaryRows(file: string): {
  readonly rows: readonly SummaryRow[];
  readonly hasOtherVersion: boolean;
} {
  if (!existsSync(file)) return { rows: [], hasOtherVersion: false };
  const rows: SummaryRow[] = [];
  for (const [index, line] of readFileSync(file, 'utf8').split('\n').entries()) {
    if (line.trim() === '') continue;
    const value = parse(file, index, line);
    if (versionOf(value) !== SUMMARY_ROW_VERSION) return { rows: [], hasOtherVersion: true };
    const checked = Row.safeParse(value);
    if (!checked.success) throw badRows(file, index, checked.error.issues[0]?.message);
    rows.push(checked.data);
  }
  return { rows, hasOtherVersion: false };
}

/** Adds a row to a file. */
export function appendSummaryRow(file: string, row: SummaryRow): void {
  appendFileSync(file, `${JSON.stringify(row)}\n`);
}

function parse(file: string, index: number, line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw badRows(file, index, error instanceof Error ? error.message : undefined);
  }
}

function versionOf(value: unknown): number | undefined {
  const checked = Version.safeParse(value);
  return checked.success ? checked.data.rowVersion : SUMMARY_ROW_VERSION;
}

function badRows(file: string, index: number, reason = 'no row'): HarnessError {
  return new HarnessError(
    'BAD_RESULTS',
    `Expected rows of 'summarizers' in ${quoted(file)}, got in line ${index + 1}: ${quoted(reason)}.`,
  );
}
