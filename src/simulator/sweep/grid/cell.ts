import type { Policy } from '../../../engine/index.ts';
import { shortHash } from '../../content-hash.ts';
import type { ModelProfile } from '../../provider/model-profile.ts';
import type { SettingValues } from '../../scenario/settings.ts';
import type { AsyncSummarizer } from '../../summarizer/summarizer.ts';

/** What a cell is made of, complete: plain data, so that it can go to another thread or machine. */
export interface CellContent {
  /** What was set, by name; already in force in policy and model. */
  readonly settings: SettingValues;
  /** As resolved, with every setting applied. */
  readonly policy: Policy;
  /** Its limits as used. */
  readonly model: ModelProfile;
  /** The model that writes summaries, where it is another one; its window is what counts. */
  readonly summaryModel?: ModelProfile | undefined;
  /** Name of a summarizer, as rows have it. */
  readonly summarizer: string;
  /** What besides the name decides the answers of a real model; absent where nothing does. */
  readonly asked?: AsyncSummarizer['settings'];
  /** Absent where recorded steps are replayed as they are. */
  readonly mode?: 'closed-loop';
}

/** One point of a sweep. */
export interface Cell extends CellContent {
  /** Hash of its content; the same on every machine. */
  readonly id: string;
}

/** The cell of that content. */
export function toCell(content: CellContent): Cell {
  return { ...content, id: shortHash(content) };
}

/** Whether a cell that was written down is still what its id says. */
export function isAsNamed({ id, ...content }: Cell): boolean {
  return toCell(content).id === id;
}
