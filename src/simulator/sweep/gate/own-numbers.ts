import type { MetricName } from '../../metrics/metrics.ts';
import { quoted } from '../../names.ts';
import { countOf } from '../../report/numbers.ts';
import type { CaseRecord } from './case-record.ts';

/** One run on both sides, with the versions of the program that made them. */
export interface NumberedRun {
  readonly scenario: string;
  readonly baseline: CaseRecord;
  readonly now: CaseRecord;
  readonly versions: { readonly baseline: string; readonly now: string };
}

/**
 * Why the numbers of a baseline are not those of its run, a sentence; nothing where they are, and where the events
 * differ, which tells why the numbers do. A number that the baseline does not have is newer than it.
 */
export function foreignNumbers(run: NumberedRun): string | undefined {
  const { scenario, baseline, now } = run;
  if (now.digest !== baseline.digest) return undefined;
  const names = Object.keys(now.metrics) as readonly MetricName[];
  const [name, ...others] = names.filter(
    (one) => baseline.metrics[one] !== null && baseline.metrics[one] !== now.metrics[one],
  );
  if (name === undefined) return undefined;
  const place = `Run ${quoted(now.run)} of scenario ${quoted(scenario)}`;
  const first = `${name} ${baseline.metrics[name]}, now ${now.metrics[name] ?? 'unknown'}`;
  const more = others.length === 0 ? '' : ` and ${countOf(others.length, 'other')}`;
  return `${place} has the events of the baseline and not its numbers: ${first}${more}. ${causeOf(run)}`;
}

function causeOf({ versions: { baseline, now } }: NumberedRun): string {
  return baseline === now
    ? 'Most likely the file was changed by hand; else a metric was, and the scorer version was not.'
    : `Most likely they mean something else since version ${baseline}, which wrote it.`;
}
