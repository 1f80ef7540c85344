import type { RunRecord } from '../../simulator/metrics/record.ts';
import type { CheckFormat } from '../../simulator/report/check/check-report.ts';
import { checkFormats } from '../../simulator/report/check/formats.ts';
import { comparisonFormats } from '../../simulator/report/compare/formats.ts';
import { formats } from '../../simulator/report/formats.ts';
import { toPageOfCheck } from '../../simulator/report/html/page-of-check.ts';
import { toPageOfComparison } from '../../simulator/report/html/page-of-comparison.ts';
import { toPageOfRuns } from '../../simulator/report/html/page-of-runs.ts';
import { toPageOfSummarizers } from '../../simulator/report/html/page-of-summarizers.ts';
import { toPageOfSweep } from '../../simulator/report/html/page-of-sweep.ts';
import { toPageOfTune } from '../../simulator/report/html/page-of-tune.ts';
import { toPageOfWhatIf } from '../../simulator/report/html/page-of-whatif.ts';
import type { PageData } from '../../simulator/report/html/page-data.ts';
import type { Format, Terminal } from '../../simulator/report/report.ts';
import type { SavedEvents } from '../../simulator/report/saved/events-file.ts';
import type { Saved } from '../../simulator/report/saved/saved.ts';
import type { RunView } from '../../simulator/report/saved/run-view.ts';
import { summarizersFormats } from '../../simulator/report/summarizers/formats.ts';
import { sweepFormats } from '../../simulator/report/sweep/formats.ts';
import type { SweepFormat } from '../../simulator/report/sweep/sweep-report.ts';
import { tuneFormats } from '../../simulator/report/tune/formats.ts';
import { whatIfFormats } from '../../simulator/report/whatif/formats.ts';
import { chooseFormat } from '../options/choose-format.ts';

/** Of which sessions texts are shown; of none where it is absent. */
interface TextOptions {
  readonly hasTexts?: ((session: string) => boolean) | undefined;
}

type Pictures = Pick<SavedEvents, 'events' | 'views'>;

/** What a saved report is to become. */
export interface RenderSavedOptions extends TextOptions {
  /** Of the formats of its kind; by the path, else the first, where it is absent. */
  readonly format?: string | undefined;
  readonly out?: string | undefined;
  readonly terminal: Terminal;
}

/** A saved report in one of the formats of its kind. */
export function renderSaved(saved: Saved, options: RenderSavedOptions): string {
  const { terminal } = options;
  switch (saved.kind) {
    case 'runs': {
      const format = chooseFormat<Format>(formats, 'format', options);
      return format.render(saved.report, { ...terminal, ...picturesOf(saved, options) });
    }
    case 'check': {
      const format = chooseFormat<CheckFormat>(checkFormats, 'check format', options);
      return format.render(saved.report, terminal);
    }
    case 'summarizers': {
      const render = chooseFormat(summarizersFormats, 'format of summarizers', options);
      return render(saved.report, terminal);
    }
    case 'compare': {
      const render = chooseFormat(comparisonFormats, 'comparison format', options);
      return render(saved.report, terminal);
    }
    case 'tune': {
      const render = chooseFormat(tuneFormats, 'tune format', options);
      return render(saved.report, terminal);
    }
    case 'whatif': {
      const render = chooseFormat(whatIfFormats, 'what-if format', options);
      return render(saved.report, saved.view, terminal);
    }
    case 'sweep': {
      const format = chooseFormat<SweepFormat>(sweepFormats, 'sweep format', options);
      const pictures = picturesOf(saved, options);
      return [...format.render(saved.report, saved.rows, { ...terminal, ...pictures })].join('');
    }
  }
}

/** What a page shows of a saved report. */
export function toPage(saved: Saved, options: TextOptions = {}): PageData {
  switch (saved.kind) {
    case 'runs':
      return toPageOfRuns(saved.report, picturesOf(saved, options));
    case 'check':
      return toPageOfCheck(saved.report);
    case 'summarizers':
      return toPageOfSummarizers(saved.report);
    case 'compare':
      return toPageOfComparison(saved.report);
    case 'tune':
      return toPageOfTune(saved.report);
    case 'whatif':
      return toPageOfWhatIf(saved.report, saved.view);
    case 'sweep':
      return toPageOfSweep(saved.report, saved.rows, picturesOf(saved, options));
  }
}

/** Texts that were kept are shown of those sessions only that are named. */
function picturesOf({ events, views }: Pictures, { hasTexts = () => false }: TextOptions) {
  const viewOf = (run: RunRecord): RunView | undefined => {
    const view = views.get(run);
    if (view === undefined || hasTexts(run.session)) return view;
    const { texts: _, ...sizes } = view;
    return sizes;
  };
  return { eventsOf: (run: RunRecord) => events.get(run), viewOf };
}
