import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Message, type Part, policies, type PolicyName } from '../../src/engine/index.ts';
import { viewListOf } from '../../src/engine/internal.ts';
import type { RunEvent } from '../../src/simulator/events.ts';
import { groupBy } from '../../src/simulator/lib/collections.ts';
import { findModelWithWindow, readCatalog } from '../../src/simulator/provider/catalog.ts';
import { overrideProfile } from '../../src/simulator/provider/model-profile.ts';
import { findReferences } from '../../src/simulator/replay/references/find-references.ts';
import { sideOf } from '../../src/simulator/replay/references/reference.ts';
import { followView, startVisible } from '../../src/simulator/replay/references/view.ts';
import { createWatch } from '../../src/simulator/replay/references/watch.ts';
import { runTrace } from '../../src/simulator/replay/run-trace.ts';
import type { Trace } from '../../src/simulator/replay/trace.ts';
import { applySettings, type SettingValues } from '../../src/simulator/scenario/settings.ts';
import { loadNamed } from '../../src/simulator/session/load.ts';
import { findSummarizer } from '../../src/simulator/summarizer/summarizers.ts';
import { compileFor } from '../../src/simulator/sweep/run/prepare.ts';
import type { AgreementRow } from './row.ts';

/** A step that needs something, or nothing, of what was removed. */
export interface LossCase {
  readonly name: string;
  readonly label: boolean;
  readonly removed: readonly LossEntry[];
  readonly visible: readonly LossEntry[];
  readonly step: LossEntry;
}

/** A text of the agent or of the user, or a call. */
interface LossEntry {
  readonly says?: string;
  readonly asks?: string;
  readonly tool?: string;
  readonly input?: unknown;
  readonly output?: string;
}

/** Somebody's reading of a step: does it need content that one of these parts alone had? */
export interface LossLabel {
  readonly session: string;
  readonly policy: PolicyName;
  readonly settings: SettingValues;
  readonly step: number;
  readonly kind: string;
  readonly label: 'true' | 'false' | 'doubtful';
  /** Any of them may be named as what was lost. */
  readonly partIds: readonly string[];
}

/** A label beside what was reported; not applicable where the run still showed all of the parts. */
export interface ScoredLabel extends LossLabel {
  readonly isApplicable: boolean;
  readonly isReported: boolean;
}

const MODEL = 'anthropic/claude-sonnet-4-5';
/** Its summaries carry nothing, so that what is judged is the definition of a loss, and no summary. */
const SUMMARIZER = 'scripted:tokens';
const SEED = 1;
const LEAST_PRECISION = 0.9;
const LEAST_RECALL = 0.8;

/**
 * Reported losses against labels that were given by reading: small cases that ship with the project, and recorded sessions
 * where they are there.
 */
export async function agreementOfLosses(
  labelsFolder: string,
  sessionsFolder: string,
): Promise<readonly AgreementRow[]> {
  const cases = readCases(join(labelsFolder, 'loss-cases.json'));
  const tuned = await scoreLosses(readLabels(join(labelsFolder, 'misses.json')), sessionsFolder);
  const unseen = await scoreLosses(
    readLabels(join(labelsFolder, 'misses-read-afterwards.json')),
    sessionsFolder,
  );
  return [
    {
      number: 'Losses, small cases',
      cases: cases.length,
      agree: cases.filter((each) => isReported(each) === each.label).length,
      wanted: 1,
    },
    ...rowsOf('Losses in recorded sessions', tuned),
    ...rowsOf('Losses in other recorded sessions', unseen).slice(0, 1),
  ].filter((row) => row.cases > 0);
}

function rowsOf(name: string, scored: readonly ScoredLabel[]): readonly AgreementRow[] {
  const told = scored.filter(({ label }) => label !== 'doubtful');
  const isTrue = ({ label }: ScoredLabel) => label === 'true';
  const reported = told.filter((each) => each.isReported);
  const needed = told.filter(isTrue);
  return [
    {
      number: `${name}, reported ones that are needs`,
      cases: reported.length,
      agree: reported.filter(isTrue).length,
      wanted: LEAST_PRECISION,
    },
    {
      number: `${name}, needs that are reported`,
      cases: needed.length,
      agree: needed.filter((each) => each.isReported).length,
      wanted: LEAST_RECALL,
    },
  ];
}

/** Cases from a file. */
export function readCases(file: string): readonly LossCase[] {
  return JSON.parse(readFileSync(file, 'utf8')) as readonly LossCase[];
}

/** Tests if a loss is reported at the step of a case, after what is removed left the view. */
export function isReported({ removed, visible, step }: LossCase): boolean {
  const before = removed.map((entry, index) => toMessage(entry, `removed-${index}`));
  const after = visible.map((entry, index) => toMessage(entry, `visible-${index}`));
  const needing = toMessage(step, 'step');
  const watch = createWatch(
    findReferences({
      messages: [...before, ...after, needing],
      facts: [],
      system: undefined,
      weigh: () => 1,
    }),
    'pivot',
  );
  watch.findMisses('', [...before, ...after]);
  return watch.tellStep(needing.id, after).some(isLoss);
}

function toMessage({ says, asks, tool, input, output = '' }: LossEntry, id: string): Message {
  const text = says ?? asks;
  const parts: readonly Part[] = [
    text === undefined
      ? {
          id: `${id}-part`,
          type: 'tool',
          tool: tool ?? '',
          callId: id,
          state: { status: 'completed', input, output },
        }
      : { id: `${id}-part`, type: 'text', text },
  ];
  const base = { id, createdAt: 0, parts };
  return asks === undefined
    ? { ...base, role: 'assistant', parentId: '' }
    : { ...base, role: 'user' };
}

/** Labels from a file. */
export function readLabels(file: string): readonly LossLabel[] {
  return JSON.parse(readFileSync(file, 'utf8')) as readonly LossLabel[];
}

/** Runs the labelled sessions that are there; labels whose parts a run still shows are left out. */
export async function scoreLosses(
  labels: readonly LossLabel[],
  sessionsFolder: string,
): Promise<readonly ScoredLabel[]> {
  const scored: ScoredLabel[] = [];
  for (const [session, ofSession] of groupBy(labels, (label) => label.session)) {
    const file = join(sessionsFolder, session);
    if (!existsSync(file)) continue;
    const trace = await compileFor(MODEL, loadNamed(file));
    const runs = groupBy(ofSession, ({ policy, settings }) => JSON.stringify([policy, settings]));
    for (const ofRun of runs.values()) scored.push(...scoreRun(trace, ofRun));
  }
  return scored.filter(({ isApplicable }) => isApplicable);
}

function scoreRun(trace: Trace, labels: readonly LossLabel[]): readonly ScoredLabel[] {
  const [first] = labels;
  if (first === undefined) return [];
  const lost = new Map<number, Set<string>>();
  const hidden = new Map<number, ReadonlySet<string>>();
  const steps = new Set(labels.map(({ step }) => step));
  const parts = labels.flatMap(({ partIds }) => partIds);
  const visible = startVisible(trace.references());
  const { model, policy } = subjectOf(first);
  const events = runTrace(trace, {
    model,
    policy,
    summarizer: findSummarizer(SUMMARIZER),
    seed: SEED,
    onTransition: ({ next }) => followView(visible, viewListOf(next.state), 'window'),
  });
  for (const event of events) {
    if (isLoss(event)) {
      lost.set(event.step, new Set([...(lost.get(event.step) ?? []), ...event.partIds]));
    }
    if (event.type !== 'step-end' || !steps.has(event.step)) continue;
    hidden.set(event.step, new Set(parts.filter((id) => isHidden(id))));
  }
  return labels.map((label) => ({
    ...label,
    isApplicable: label.partIds.some((id) => hidden.get(label.step)?.has(id)),
    isReported: label.partIds.some((id) => lost.get(label.step)?.has(id)),
  }));

  function isHidden(id: string): boolean {
    const number = trace.references().partNumbers.get(id);
    if (number === undefined) return false;
    const { piecesOf } = trace.references();
    return [sideOf(number, 'said'), sideOf(number, 'output')].some(
      (side) => (piecesOf[side]?.length ?? 0) > 0 && visible.sides[side] === 0,
    );
  }
}

function isLoss(event: RunEvent): event is RunEvent & { readonly type: 'reference' } {
  return event.type === 'reference' && event.missedBy !== undefined;
}

function subjectOf({ policy: name, settings }: LossLabel) {
  const { contextTokens } = settings;
  const window = typeof contextTokens === 'number' ? contextTokens : undefined;
  const model = findModelWithWindow(readCatalog(), MODEL, window);
  const set = applySettings({ policy: policies[name], limits: model.limits }, settings);
  return { policy: set.policy, model: overrideProfile(model, set.limits, set.provider) };
}
