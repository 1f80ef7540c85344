import { extname } from 'node:path';
import { HarnessError } from '../simulator/errors.ts';
import { named } from '../simulator/names.ts';
import type { CheckFormat } from '../simulator/report/check/check-report.ts';
import { checkFormats } from '../simulator/report/check/formats.ts';
import { formats } from '../simulator/report/formats.ts';
import { toPageOfRuns } from '../simulator/report/html/page-of-runs.ts';
import { toPageOfSweep } from '../simulator/report/html/page-of-sweep.ts';
import type { PageData } from '../simulator/report/html/page-data.ts';
import type { Format } from '../simulator/report/report.ts';
import type { Saved } from '../simulator/report/saved/read-saved.ts';
import { sweepFormats } from '../simulator/report/sweep/formats.ts';
import type { SweepFormat } from '../simulator/report/sweep/sweep-report.ts';

/** What a saved report is to become. */
export interface RenderSavedOptions {
  /** Of the formats of its kind; by the path, else the first, where it is absent. */
  readonly format?: string | undefined;
  readonly out?: string | undefined;
  readonly colors: boolean;
}

/** A saved report in one of the formats of its kind. */
export function renderSaved(saved: Saved, options: RenderSavedOptions): string {
  const { colors } = options;
  switch (saved.kind) {
    case 'runs': {
      const format = choose<Format>('format', formats, options);
      return format.render(saved.report, { colors, eventsOf: (run) => saved.events.get(run) });
    }
    case 'check':
      return choose<CheckFormat>('check format', checkFormats, options).render(saved.report, {
        colors,
      });
    case 'sweep': {
      const format = choose<SweepFormat>('sweep format', sweepFormats, options);
      return [...format.render(saved.report, saved.rows, { colors })].join('');
    }
  }
}

/** What a page shows of a saved report; throws for one that has no page. */
export function toPage(saved: Saved): PageData {
  if (saved.kind === 'sweep') return toPageOfSweep(saved.report, saved.rows);
  if (saved.kind === 'runs') {
    return toPageOfRuns(saved.report, { eventsOf: (run) => saved.events.get(run) });
  }
  const message = "Expected events or a report of 'run' or 'sweep' for a page, got one of 'check'.";
  throw new HarnessError('BAD_RESULTS', message);
}

interface Extended {
  readonly extension: string;
}

function choose<Kind extends Extended>(
  what: string,
  table: Readonly<Record<string, Kind>>,
  { format, out }: RenderSavedOptions,
): Kind {
  if (format !== undefined) return named<Record<string, Kind>>(what, { ...table }, format);
  const extension = extname(out ?? '').toLowerCase();
  const all = Object.values(table);
  const usual = all.find((one) => one.extension === extension) ?? all[0];
  if (usual === undefined) throw new TypeError('Expected a table of formats, got none.');
  return usual;
}
