import { compareHitRates } from '../../simulator/metrics/hit-rates.ts';
import { judgePublished } from '../../simulator/metrics/published/judge-published.ts';
import { readCatalog } from '../../simulator/provider/catalog.ts';
import { compareSamples } from '../../simulator/scenario/workload/compare.ts';
import { toSessionShapes } from '../../simulator/scenario/workload/session-shape.ts';
import type { Workload } from '../../simulator/scenario/workload/workload.ts';
import type { SessionSample } from '../../simulator/session/statistics/sample.ts';
import { originOf, ownOrigin } from '../run/origin.ts';
import type { GenerateReport } from './generate-report.ts';

/** How near the sizes of generated sessions come to their workload. */
export function toReport(
  workload: Workload,
  samples: readonly SessionSample[],
  { sessions, seed }: Pick<GenerateReport, 'sessions' | 'seed'>,
): GenerateReport {
  const { name, describes, source, style, published = [] } = workload;
  const catalog = published.length > 0 ? readCatalog() : undefined;
  const prices = catalog?.models.get(style.model)?.prices;
  return {
    origin: catalog === undefined ? ownOrigin() : originOf(catalog, [], {}),
    workload: { name, describes, source },
    sessions,
    seed,
    figures: compareSamples(samples, workload),
    hits: compareHitRates(toSessionShapes(samples), workload, seed),
    published: judgePublished(samples, published, { seed, prices }),
  };
}
