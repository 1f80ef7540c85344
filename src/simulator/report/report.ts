import type { RunEvent, RunMode } from '../events.ts';
import type { RunRecord } from '../metrics/record.ts';
import type { Terminal } from './layout.ts';
import type { Blamed } from '../metrics/diagnosis.ts';
import type { RunView } from './plots.ts';
import type { FormatFacts } from './run-formats.ts';
import type { Checked, ProvenanceShape, SessionBasisShape, UnreadShape } from './saved/shapes.ts';

export type Provenance = Checked<typeof ProvenanceShape>;

export type SessionBasis = Checked<typeof SessionBasisShape>;

export type SessionSource = Omit<SessionBasis, 'session'>;

export type ConfigProvenance = NonNullable<Provenance['config']>;

export type UnreadInput = Checked<typeof UnreadShape>[number];

export interface Report {
  readonly schemaVersion: number;
  readonly provenance: Provenance;
  readonly runs: readonly RunRecord[];
  readonly unread: readonly UnreadInput[];
}

export interface Format extends FormatFacts {
  render(report: Report, options: RenderOptions): string;
}

/** Events and views are for pictures only. */
export interface RenderOptions extends Terminal {
  /** A table for a terminal also draws the context of each run whose events are known. */
  readonly hasCharts?: boolean | undefined;
  /** The events of a run, where they are known; only pictures need them. */
  readonly eventsOf?: ((run: RunRecord) => readonly RunEvent[] | undefined) | undefined;
  /** Names of what findings blame. */
  readonly blamed?: Blamed | undefined;
  /** The views of a run's requests, where they are known; only pictures need them. */
  readonly viewOf?: ((run: RunRecord) => RunView | undefined) | undefined;
}

export const SCHEMA_VERSION = 1;

export function describeMode(mode: RunMode) {
  return mode === 'open-loop'
    ? 'Counterfactual, fixed trajectory: recorded steps are replayed, whatever is lost.'
    : 'Closed loop: a scripted agent re-reads what was lost. Not comparable with open-loop numbers.';
}

export function describeEnding({
  state,
  reason,
}: {
  readonly state: string;
  readonly reason?: string | undefined;
}) {
  return reason === undefined ? state : `${state}: ${reason}`;
}
