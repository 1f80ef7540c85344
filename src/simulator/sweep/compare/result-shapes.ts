/** What is read of results that are compared: of reports of `run`, and of sweeps. */

import * as z from 'zod';
import { ModeShape, SettingsShape } from '../../report/saved/amount-shapes.ts';
import { RUN_FIELDS, StateShape } from '../../report/saved/record-shape.ts';
import { TokenizerShape, TokenizersShape } from '../../report/saved/origin-shape.ts';
import { findBadMetric } from '../row-issue.ts';
import type { NamedValues } from './arm.ts';

const Metrics = z.custom<NamedValues>().check(({ value, issues }) => {
  const issue = findBadMetric(value);
  if (issue !== undefined) {
    issues.push({ code: 'custom', input: value, ...issue, path: [...issue.path] });
  }
});

/** A row, of whichever. */
export const Row = z.looseObject({
  ...RUN_FIELDS,
  sessionHash: z.string().exactOptional(),
  cell: z.string().exactOptional(),
  seed: z.number().exactOptional(),
  mode: ModeShape.exactOptional(),
  state: StateShape,
  reason: z.string().exactOptional(),
  metrics: Metrics,
  settings: SettingsShape.exactOptional(),
});

const Catalog = z.looseObject({ hash: z.string(), source: z.string().default('') }).exactOptional();

/** What a report of `run` says of its origin; a header of `sweep` has some of it at its top. */
const Made = {
  version: z.string().exactOptional(),
  catalog: Catalog,
  settings: SettingsShape.exactOptional(),
  tokenizers: TokenizersShape.exactOptional(),
};

/** What says of a file of results how they came about. */
export const Header = z.looseObject({
  schemaVersion: z.int().exactOptional(),
  mode: ModeShape.exactOptional(),
  ...Made,
});

const Estimators = z.looseObject({
  tokenizer: TokenizerShape,
  sessions: z.array(z.looseObject({ recordedModel: z.string().exactOptional() })).exactOptional(),
});

/** A JSON report of `run`. */
export const Document = Header.extend({
  runs: z.array(Row),
  provenance: z
    .looseObject({
      ...Made,
      model: z.string().exactOptional(),
      estimators: Estimators.exactOptional(),
    })
    .exactOptional(),
});

export type Row = z.infer<typeof Row>;
export type Header = z.infer<typeof Header>;
export type Document = z.infer<typeof Document>;
