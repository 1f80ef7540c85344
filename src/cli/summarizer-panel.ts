import { HarnessError } from '../simulator/errors.ts';
import type { SummarizerHouse } from '../simulator/summarizer/open.ts';
import type { AnySummarizer } from '../simulator/summarizer/summarizer.ts';
import {
  createModelReader,
  type ModelReaderOptions,
} from '../simulator/sweep/summarizers/model-reader.ts';
import type { ProbePanel } from '../simulator/sweep/summarizers/probe-trial.ts';

/** Whether questions are asked, of whom, and who judges, as text from the command line. */
export interface PanelOptions {
  readonly probes?: true | undefined;
  readonly reader: string;
  readonly judge?: string | undefined;
}

/** Who answers questions and who judges. */
export interface PanelPlan {
  readonly name: string;
  /** Absent where a search answers. */
  readonly reader?: AnySummarizer | undefined;
  readonly judge?: AnySummarizer | undefined;
}

/** The reader that needs no model. */
export const GREP = 'grep';

/** Finds reader and judge; nobody where no questions are asked. */
export function planPanel(
  { probes, reader, judge }: PanelOptions,
  house: Pick<SummarizerHouse, 'find'>,
): PanelPlan | undefined {
  if (probes !== true) {
    if (reader === GREP && judge === undefined) return undefined;
    throw new HarnessError(
      'BAD_OPTION',
      "Expected '--probes' beside '--reader' and '--judge', got none.",
    );
  }
  return {
    name: judge === undefined ? reader : `${reader}, judge ${judge}`,
    ...(reader !== GREP && { reader: house.find(reader) }),
    ...(judge !== undefined && { judge: house.find(judge) }),
  };
}

/** The same, ready to be asked. */
export function openPanel(
  { name, reader, judge }: PanelPlan,
  options: Omit<ModelReaderOptions, 'repeat'>,
): ProbePanel {
  return {
    name,
    ...(reader && { readerOf: (repeat) => createModelReader(reader, { ...options, repeat }) }),
    ...(judge && { judge: createModelReader(judge, { ...options, repeat: 1 }) }),
  };
}
