import * as z from 'zod';
import { CONDITIONS, PROBE_KINDS } from '../metrics/probes/probe.ts';
import { FACT_KINDS } from '../session/facts.ts';
import { type ArmMetricName, armMetrics, FACT_SOURCES } from './arm-metrics.ts';
import { countOf, formatCount } from './numbers.ts';
import {
  type Checked,
  OriginShape,
  SettingsShape,
  UnreadShape,
  VerdictShape,
  number,
  amount,
  strings,
  string,
} from './saved/shapes.ts';

export const SUMMARIZERS_VERSION = 4;

const ARM_METRICS = Object.keys(armMetrics) as readonly ArmMetricName[];

const Mean = z.object({
  mean: amount,
  low: amount,
  high: amount,
  sessions: number,
  /** Absent where all sessions are independent. */
  families: number.exactOptional(),
});

const Provenance = z.object({
  origin: OriginShape,
  scorerVersion: number,
  bench: string,
  policy: string,
  /** Whose tokenizer counts, and whose limits hold where the policy decides. */
  model: string,
  pivots: number,
  compactAt: z.union([z.array(number), z.literal('policy')]),
  seed: number,
  /** Of each session under each arm; the least where some were run less often. */
  repeats: number,
  leastRepeats: number.exactOptional(),
  scenarios: z.array(
    z.object({
      name: string,
      hash: string,
      facts: z.enum(FACT_SOURCES),
      /** The first by name of its family; absent where it stands alone. */
      family: string.optional(),
    }),
  ),
});

const Arm = z.object({
  name: string,
  summarizer: string,
  /** Absent where there are none. */
  settings: SettingsShape.optional(),
  model: string,
  prompt: string,
  promptHash: string,
  metrics: z.record(z.enum(ARM_METRICS), Mean),
  kinds: z.partialRecord(z.enum(FACT_KINDS), Mean),
  mustFacts: z.object({
    of: number,
    dropped: number,
    /** That this leaves possible at 95 %; `null` where there was none to be kept. */
    highestRate: amount,
  }),
  /** Of the facts that the first compaction was to keep, by number of compactions. */
  keptAfter: z.array(Mean),
  failures: z.object({
    trials: number,
    pivots: number,
    failed: number,
    unreached: number,
    cut: number,
    nonCompressing: number,
    empty: number,
    reasons: z.array(
      z.object({
        reason: string,
        state: z.enum(['failed', 'broken', 'unreached']),
        times: number,
      }),
    ),
  }),
});

const Difference = z.object({
  arm: string,
  base: string,
  metric: z.enum(ARM_METRICS),
  sessions: number,
  difference: Mean,
  /** Of costs the geometric mean of ratios, by which they are judged. */
  ratio: Mean.exactOptional(),
  /** `unjudged` where the number says nothing of quality. */
  verdict: z.enum([...VerdictShape.options, 'unjudged']),
});

const Probes = z.object({
  arm: string,
  questions: number,
  unanswered: z.array(z.object({ reason: string, times: number })),
  accuracy: z.record(z.enum(CONDITIONS), Mean),
  /** (COMPACTED − NONE) / (FULL − NONE); unknown where sessions tell too little. */
  left: Mean,
  kinds: z.partialRecord(z.enum(PROBE_KINDS), z.object({ full: Mean, compacted: Mean })),
});

/** Who labelled facts in place of rules. */
const Judge = z.object({
  name: string,
  model: string.exactOptional(),
  facts: number,
  /** Of these rules decide. */
  unanswered: number,
  /** Of the first request that failed. */
  fault: string.exactOptional(),
});

export const SummarizersSchema = z.object({
  summarizersVersion: z.int(),
  provenance: Provenance,
  arms: z.array(Arm),
  differences: z.array(Difference),
  probes: z
    .object({
      reader: string,
      model: string.exactOptional(),
      ownFamily: strings,
      arms: z.array(Probes),
    })
    .optional(),
  judge: Judge.optional(),
  unread: UnreadShape,
});

export type SummarizersReport = Checked<typeof SummarizersSchema>;
export type SummarizersProvenance = SummarizersReport['provenance'];
export type MeanEstimate = Checked<typeof Mean>;
export type ArmReport = Checked<typeof Arm>;
export type ArmDifference = Checked<typeof Difference>;
export type ArmProbes = Checked<typeof Probes>;

/** A sentence on who judged facts. */
export function describeJudge(judge: Checked<typeof Judge> | undefined): string {
  if (judge === undefined) return 'Facts judged by rules.';
  const { name, model, facts, unanswered, fault } = judge;
  const answered = model === undefined || model === name ? '' : `, which answered as ${model}`;
  const open = `; ${formatCount(unanswered)} of ${countOf(facts, 'fact')} unanswered by the judge: rules decide`;
  const why = fault === undefined ? '' : ` (${fault})`;
  return `Facts judged by ${name}${answered}${unanswered === 0 ? '' : `${open}${why}`}.`;
}

/** Tests if a reader that was asked does no better with the whole session than with nothing. */
export function isUndecided({ arms }: { readonly arms: readonly ArmProbes[] }) {
  const asked = arms.filter(({ questions }) => questions > 0);
  return asked.length > 0 && asked.every(({ left }) => left.mean === null);
}
