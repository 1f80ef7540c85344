import type { CheckReport } from '../check/check-report.ts';
import type { Comparison } from '../compare/comparison.ts';
import type { SummarizersReport } from '../summarizers/summarizers-report.ts';
import type { SweepReport, SweepRow } from '../sweep/sweep-report.ts';
import type { TuneReport } from '../tune/tune-report.ts';
import type { WhatIfReport, WhatIfView } from '../whatif/what-if-report.ts';
import type { SavedEvents } from './events-file.ts';

/** What was saved by a command, ready to be rendered again. */
export type Saved =
  | ({ readonly kind: 'runs' } & SavedEvents)
  | { readonly kind: 'check'; readonly report: CheckReport }
  | { readonly kind: 'summarizers'; readonly report: SummarizersReport }
  | { readonly kind: 'compare'; readonly report: Comparison }
  | { readonly kind: 'tune'; readonly report: TuneReport }
  | ({ readonly kind: 'whatif' } & SavedWhatIf)
  | ({ readonly kind: 'sweep' } & SavedSweep);

/** The report of a sweep with its rows; it has pictures of those that were run again. */
export interface SavedSweep extends Pick<SavedEvents, 'events' | 'views'> {
  readonly report: SweepReport;
  readonly rows: readonly SweepRow[];
}

/** A session under other windows and models, and what is shown of it. */
export interface SavedWhatIf {
  readonly report: WhatIfReport;
  readonly view: WhatIfView;
}
