import type { RunRecord } from '../metrics/record.ts';

/** The version of the shape of `Report`. */
export const SCHEMA_VERSION = 1;

/** Everything that would have to be the same to get the same numbers. No clock time, no machine path. */
export interface Provenance {
  readonly version: string;
  /** Policies as resolved, with every override applied. */
  readonly policies: readonly unknown[];
  readonly model: string;
  /** The model's limits as used, with every override applied. */
  readonly limits: unknown;
  readonly summarizer: string;
  readonly seed: number;
  readonly catalog: { readonly source: string; readonly hash: string };
  /** Hash of each prompt text in use, by name. */
  readonly prompts: Readonly<Record<string, string>>;
  /** What tokens were counted with, and which estimates stand where nothing was measured. */
  readonly estimators: Readonly<Record<string, unknown>>;
  /** Settings given on the command line. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** An input that could not be read. */
export interface UnreadInput {
  readonly file: string;
  readonly reason: string;
}

/** What a command has found, ready to be rendered. */
export interface Report {
  readonly schemaVersion: number;
  readonly provenance: Provenance;
  readonly runs: readonly RunRecord[];
  readonly unread: readonly UnreadInput[];
}

/** One way to write a report down. */
export interface Format {
  /** Of the file it is usually written to, with its dot. */
  readonly extension: string;
  readonly describes: string;
  render(report: Report, options: RenderOptions): string;
}

/** What the place that a report is written to can show. */
export interface RenderOptions {
  readonly colors: boolean;
}
