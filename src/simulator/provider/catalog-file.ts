import { z } from 'zod';
import { describeMismatch, isObject } from '../lib/json.ts';
import { quotedLong } from '../lib/names.ts';

const tokens = z.int().nonnegative();
const price = z.number().nonnegative();

const CatalogCost = z.object({
  input: price,
  output: price,
  cache_read: price.optional(),
  cache_write: price.optional(),
});

const CatalogTier = CatalogCost.extend({
  tier: z.object({ type: z.string().optional(), size: tokens }),
});

const CatalogModel = z.object({
  name: z.string().optional(),
  limit: z
    .object({ context: tokens, input: tokens.optional(), output: tokens.optional() })
    .optional(),
  cost: CatalogCost.extend({
    tiers: z.array(CatalogTier).optional(),
    context_over_200k: CatalogCost.optional(),
  }).optional(),
});

/** One model as a catalog file has it: limits in tokens, prices in dollars per million tokens. */
export type CatalogModel = z.infer<typeof CatalogModel>;

/** What a catalog file tells of the prices of a model. */
export type CatalogCost = z.infer<typeof CatalogCost>;

/** The shape of models.dev's `api.json`, by provider id; keys it does not know are left out. */
export const CatalogFile = mapOf(z.object({ models: mapOf(CatalogModel) }));

/** Issues that a message shows before it only counts them. */
const SHOWN_ISSUES = 5;

/** What is wrong with a catalog file, one field a line: where, what was expected, what came. */
export function describeIssues({ issues }: z.ZodError): string {
  const lines = issues.slice(0, SHOWN_ISSUES).map(describeIssue);
  const more = issues.length - lines.length;
  return [...lines, ...(more > 0 ? [`  … and ${more} more`] : [])].join('\n');
}

function describeIssue(issue: z.core.$ZodIssue): string {
  const { path } = issue;
  const field = path.length === 0 ? 'the whole file' : quotedLong(z.core.toDotPath(path));
  return `  at ${field}: ${describeMismatch(issue)}`;
}

/** An object with keys from outside, as a map: there every key is like any other. */
function mapOf<Value extends z.ZodType>(value: Value) {
  return z.preprocess(
    (json) => (isObject(json) ? new Map(Object.entries(json)) : json),
    z.map(z.string(), value, 'expected object'),
  );
}
