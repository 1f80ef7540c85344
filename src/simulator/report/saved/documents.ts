/** JSON reports by the command that writes them. */

import * as z from 'zod';
import { CHECK_SCHEMA_VERSION, type CheckReport } from '../check/check-report.ts';
import { type Comparison, COMPARISON_VERSION } from '../compare/comparison.ts';
import { type Report, SCHEMA_VERSION } from '../report.ts';
import { SUMMARIZERS_VERSION, type SummarizersReport } from '../summarizers/summarizers-report.ts';
import type { SweepReport, SweepRow } from '../sweep/sweep-report.ts';
import { TUNE_VERSION, type TuneReport } from '../tune/tune-report.ts';
import { WHAT_IF_VERSION } from '../whatif/what-if-report.ts';
import { UnreadShape } from './amount-shapes.ts';
import { CheckShape } from './check-shape.ts';
import { ComparisonShape } from './comparison-shape.ts';
import { readWhatIf } from './read-whatif.ts';
import { completeMetrics, ProvenanceShape, RecordShape } from './record-shape.ts';
import type { Saved } from './saved.ts';
import { SummarizersShape } from './summarizers-shape.ts';
import { SweepShape } from './sweep-shape.ts';
import { TuneShape } from './tune-shape.ts';
import { WhatIfShape } from './whatif-shape.ts';

/** A kind of JSON report: what tells it from others, what stands in it, and what it is read as. */
interface SavedDocument {
  /** Keys that only this kind has together. */
  readonly marks: readonly string[];
  /** Where its version stands, and the newest one that is known. */
  readonly version: string;
  readonly newest: number;
  readonly shape: z.ZodType;
  /** What a document of that shape holds. */
  readonly read: (document: unknown) => Saved;
}

type WithMetrics = { readonly metrics: Readonly<Record<string, number | null>> };

const RunsShape = z.looseObject({
  schemaVersion: z.int(),
  provenance: ProvenanceShape,
  runs: z.array(RecordShape),
  unread: UnreadShape,
});

const NO_PICTURES = { events: new Map(), views: new Map() } as const;

/** JSON reports that can be rendered again. */
export const savedDocuments = {
  run: {
    marks: ['provenance', 'runs'],
    version: 'schemaVersion',
    newest: SCHEMA_VERSION,
    shape: RunsShape,
    read: (document) => {
      const report = document as Report;
      return {
        kind: 'runs',
        report: { ...report, runs: report.runs.map(withMetrics) },
        ...NO_PICTURES,
      };
    },
  },
  check: {
    marks: ['scenarios', 'passed'],
    version: 'schemaVersion',
    newest: CHECK_SCHEMA_VERSION,
    shape: CheckShape,
    read: (document) => ({ kind: 'check', report: document as CheckReport }),
  },
  sweep: {
    marks: ['cells', 'knobs'],
    version: 'schemaVersion',
    newest: SCHEMA_VERSION,
    shape: SweepShape,
    read: (document) => {
      const { sessions, cells, ...rest } = document as SweepReport & {
        readonly sessions: readonly SweepRow[];
      };
      const report = { ...rest, cells: cells.map(withMetrics) };
      return { kind: 'sweep', report, rows: sessions.map(withMetrics), ...NO_PICTURES };
    },
  },
  summarizers: {
    marks: ['summarizersVersion', 'arms'],
    version: 'summarizersVersion',
    newest: SUMMARIZERS_VERSION,
    shape: SummarizersShape,
    read: (document) => ({ kind: 'summarizers', report: document as SummarizersReport }),
  },
  compare: {
    marks: ['comparisonVersion'],
    version: 'comparisonVersion',
    newest: COMPARISON_VERSION,
    shape: ComparisonShape,
    read: (document) => ({ kind: 'compare', report: document as Comparison }),
  },
  tune: {
    marks: ['tuneVersion'],
    version: 'tuneVersion',
    newest: TUNE_VERSION,
    shape: TuneShape,
    read: (document) => ({ kind: 'tune', report: document as TuneReport }),
  },
  whatif: {
    marks: ['whatIfVersion'],
    version: 'whatIfVersion',
    newest: WHAT_IF_VERSION,
    shape: WhatIfShape,
    read: (document) => ({
      kind: 'whatif',
      ...readWhatIf(document as z.infer<typeof WhatIfShape>),
    }),
  },
} satisfies Record<string, SavedDocument>;

/** JSON reports that hold too little for another format, by command, with what tells each from others. */
export const plainDocuments = {
  stats: ['statisticsVersion'],
  flake: ['flakeVersion'],
  validate: ['overall', 'costs', 'sessions'],
  explain: ['policy', 'start', 'origin'],
} satisfies Record<string, readonly string[]>;

/** Whether a document is one that has all of some keys. */
export function hasMarks(document: object, marks: readonly string[]): boolean {
  return marks.every((mark) => Object.hasOwn(document, mark));
}

/** Metrics that a document does not have are unknown. */
function withMetrics<Row extends WithMetrics>(row: Row) {
  return { ...row, metrics: completeMetrics(row.metrics) };
}
