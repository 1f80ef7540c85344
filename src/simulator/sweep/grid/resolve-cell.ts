import { policies, type Policy } from '../../../engine/index.ts';
import type { RunMode } from '../../events.ts';
import type { Catalog } from '../../provider/catalog.ts';
import { findModelWithWindow } from '../../provider/find-model.ts';
import { overrideProfile } from '../../provider/override-profile.ts';
import { applySettings, type SettingValues } from '../../scenario/settings.ts';
import { withSummaries } from '../../scenario/with-summaries.ts';
import type { Asked } from '../../summarizer/cassette/outline.ts';
import type { SummarizerRegistry } from '../../summarizer/open.ts';
import { findSummarizer } from '../../summarizer/summarizers.ts';
import { type Cell, type CellContent, toCell } from './cell.ts';

/** A cell in names, before anything is looked up or applied. */
export interface CellChoice {
  /** A preset, without the settings. */
  readonly policy: Policy;
  /** `provider/model`. */
  readonly model: string;
  readonly summarizer: string;
  readonly settings: SettingValues;
}

/** What the cells of one sweep share. */
export interface CellSources {
  readonly catalog: Catalog;
  /** `provider/model` that a configuration has write summaries; one that the catalog lacks lends no window. */
  readonly summaryModel?: string | undefined;
  /** A system prompt of one's own for the summary agent. */
  readonly summaryPrompt?: string | undefined;
  /** Who knows real models; without it there are only summarizers that need none. */
  readonly registry?: Pick<SummarizerRegistry, 'identify' | 'summaryModelOf'> | undefined;
  /** Whether what was lost is read again; recorded steps are replayed as they are by default. */
  readonly mode?: RunMode;
}

/** The cell that a choice comes to. Throws `HarnessError` at a name or a value that nothing has. */
export function resolveCell(choice: CellChoice, sources: CellSources): Cell {
  const { settings } = choice;
  const { catalog, mode } = sources;
  const { contextTokens } = settings;
  const windowTokens = typeof contextTokens === 'number' ? contextTokens : undefined;
  const model = findModelWithWindow(catalog, choice.model, windowTokens);
  // The control keeps its own rules, but meets the same model.
  const { limits, provider } = applySettings(
    { policy: policies.none, limits: model.limits },
    settings,
  );
  const policy = withSummaries(choice.policy, sources);
  const { summaryModel, ...answering } = resolveSummarizer(choice, sources);
  return toCell({
    settings,
    policy: applySettings({ policy, limits }, settings).policy,
    model: overrideProfile(model, limits, provider),
    ...(summaryModel && { summaryModel }),
    ...answering,
    ...(mode === 'closed-loop' && { mode }),
  });
}

/** Who answers, with the model behind it: the limits and prices of a real one hold if the catalog knows it. */
function resolveSummarizer(
  { summarizer }: CellChoice,
  { catalog, summaryModel: id, registry }: CellSources,
): Pick<CellContent, 'summarizer' | 'asked' | 'summaryModel'> {
  const { name, settings: asked }: Asked =
    registry === undefined
      ? { name: findSummarizer(summarizer).name }
      : registry.identify(summarizer);
  const lent = id === undefined ? undefined : catalog.models.get(id);
  return {
    summarizer: name,
    summaryModel: registry === undefined ? lent : registry.summaryModelOf(summarizer, lent),
    ...(asked && Object.keys(asked).length > 0 && { asked }),
  };
}
