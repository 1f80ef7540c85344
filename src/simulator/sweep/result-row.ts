import type { RunRecord } from '../metrics/record.ts';
import type { SettingValues } from '../scenario/settings.ts';

/** One session in one cell of a sweep, as a line of its results. */
export interface ResultRow extends RunRecord {
  /** Hash of the session's content. */
  readonly sessionHash: string;
  /** The cell's id. */
  readonly cell: string;
  /** What was set in this cell; together with policy, model and summarizer it names the cell. */
  readonly settings: SettingValues;
  /** Hash of the run's events; equal where a setting changed nothing. Empty for a session that was not run. */
  readonly eventDigest: string;
}
