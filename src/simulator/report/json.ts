import type { RunRecord } from '../metrics/record.ts';
import type { Format, Report } from './report.ts';
import { jsonText } from './json-text.ts';

/** The whole report as one JSON document, for programs. */
export const json: Format = {
  extension: '.json',
  describes: 'Everything, for programs: provenance, every metric of every run, unreadable inputs.',
  render: (report) => jsonText(toDocument(report)),
};

/** Keys in the order in which they are published. */
function toDocument({ schemaVersion, provenance, runs, unread }: Report): Report {
  return {
    schemaVersion,
    provenance,
    runs: runs.map(toRun),
    unread: unread.map(({ file, reason }) => ({ file, reason })),
  };
}

function toRun(run: RunRecord): RunRecord {
  const { session, family, policy, model, summarizer, seed, mode } = run;
  const { state, reason, metrics, paybacks, summaryFailures } = run;
  return {
    session,
    ...(family !== undefined && { family }),
    policy,
    model,
    summarizer,
    seed,
    ...(mode && { mode }),
    state,
    ...(reason !== undefined && { reason }),
    metrics,
    ...(paybacks && { paybacks }),
    ...(summaryFailures && { summaryFailures }),
  };
}
