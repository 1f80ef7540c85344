import { jsonText } from '../json-text.ts';
import { type Comparison, COMPARISON_VERSION } from './comparison.ts';

/** Everything, for programs. */
export function renderComparisonJson(comparison: Comparison): string {
  const document = { comparisonVersion: COMPARISON_VERSION, ...comparison };
  return jsonText(document);
}
