import * as z from 'zod';
import { SettingsShape } from './amount-shapes.ts';

/** What counts the tokens of a model, in any JSON report. */
export const TokenizerShape = z.looseObject({
  name: z.string(),
  evidence: z.enum(['measured', 'estimated']),
});

/** The catalog of any JSON report. */
export const CatalogShape = z.looseObject({ source: z.string(), hash: z.string() });

/** Tokenizers by the names of models. */
export const TokenizersShape = z.record(z.string(), TokenizerShape);

/** What sessions were recorded with, in any JSON report. */
export const RecordedShape = z.looseObject({
  sessions: z.number(),
  models: z.record(z.string(), z.number()),
});

/** What the numbers of any JSON report rest on, as far as it is known. */
export const OriginShape = z.looseObject({
  version: z.string().exactOptional(),
  catalog: CatalogShape.exactOptional(),
  tokenizers: TokenizersShape.exactOptional(),
  settings: SettingsShape,
  recorded: RecordedShape.exactOptional(),
});
