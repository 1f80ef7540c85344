import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Message, Part } from '../../src/engine/index.ts';
import type { RunEvent } from '../../src/simulator/events.ts';
import { groupBy } from '../../src/simulator/lib/collections.ts';
import { findReferences } from '../../src/simulator/replay/references/find-references.ts';
import type { References } from '../../src/simulator/replay/references/reference.ts';
import { createWatch } from '../../src/simulator/replay/references/watch.ts';
import { loadNamed } from '../../src/simulator/session/load.ts';
import { parseSessionName } from '../../src/simulator/session/session.ts';
import type { AgreementRow } from './row.ts';

/** A step that needs something, or nothing, of what was removed. */
interface LossCase {
  readonly name: string;
  readonly kind: string;
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

/** Somebody's reading of a step: does it need content that only what is older than the step of the cut had? */
interface LossLabel {
  readonly session: string;
  readonly cut: number;
  readonly step: number;
  readonly kind?: string;
  readonly label: 'true' | 'false' | 'doubtful';
  /** Any of them may be named as what was lost. */
  readonly partIds: readonly string[];
}

/** A label beside what was reported of its step. */
interface Scored {
  readonly kind: string;
  readonly isNeed: boolean;
  readonly isReported: boolean;
  /** By one of the label's parts. */
  readonly isNamed?: boolean;
}

const NO_NEED = 'no need';
const LEAST_PRECISION = 0.9;
const LEAST_RECALL = 0.7;

/** Losses against labels and cases that the rules were changed after. */
export function knownLosses(folder: string, recordings: readonly string[]) {
  return [
    ...agreementOfLosses('Losses, older labels', join(folder, 'misses.json'), recordings),
    ...agreementOfLosses('Losses, labels', join(folder, 'loss-labels.json'), recordings),
    ...agreementOfLosses('Losses, small cases', join(folder, 'loss-cases.json')),
  ];
}

/** Losses against labels and cases that no rule was changed for. */
export function unseenLosses(folder: string, recordings: readonly string[] = []) {
  return ['labels', 'cases'].flatMap((of) => {
    const file = join(folder, `unseen/loss-${of}.json`);
    return existsSync(file) ? agreementOfLosses(`Unseen: losses, ${of}`, file, recordings) : [];
  });
}

/**
 * Reported losses against what readers say, all together and by kind: of small cases, or of labelled steps of those recorded
 * sessions that are in any of the folders.
 */
export function agreementOfLosses(
  name: string,
  file: string,
  recordings: readonly string[] = [],
): readonly AgreementRow[] {
  const read = JSON.parse(readFileSync(file, 'utf8')) as readonly (LossCase | LossLabel)[];
  const labels = read.filter((one): one is LossLabel => 'session' in one);
  const cases = read.filter((one): one is LossCase => 'removed' in one);
  const bySession = [...groupBy(labels, ({ session }) => session)].map(([session, own]) => {
    const folder = recordings.find((each) =>
      existsSync(join(each, parseSessionName(session).path)),
    );
    return folder === undefined ? undefined : scoreLabels(join(folder, session), own);
  });
  const rows = rowsOf(name, [
    ...cases.map((one) => ({ kind: one.kind, isNeed: one.label, isReported: isReported(one) })),
    ...bySession.flatMap((scored) => scored ?? []),
  ]);
  // Of a part of the recordings nothing is demanded.
  return bySession.includes(undefined)
    ? rows.map(({ number, cases: of, agree }) => ({ number, cases: of, agree }))
    : rows;
}

/** Tests if a loss is reported at the step of a case, after what is removed left the view. */
function isReported({ removed, visible, step }: LossCase): boolean {
  const before = removed.map((entry, index) => toMessage(entry, `removed-${index}`));
  const after = visible.map((entry, index) => toMessage(entry, `visible-${index}`));
  const needing = toMessage(step, 'step');
  const references = referencesOf([...before, ...after, needing]);
  return lostIn(references, needing.id, after).length > 0;
}

function scoreLabels(path: string, labels: readonly LossLabel[]): readonly Scored[] {
  const { messages, system } = loadNamed(path);
  const references = referencesOf(messages, system);
  const { parts, partNumbers } = references;
  const steps = messages.map(
    (message) => parts[partNumbers.get(message.parts[0]?.id ?? '') ?? -1]?.step,
  );
  const told = labels.filter(({ label }) => label !== 'doubtful');
  return told.map(({ cut, step, kind, label, partIds }) => {
    const end = messages.findIndex((each, at) => each.role === 'assistant' && steps[at] === step);
    const view = messages.slice(steps.indexOf(cut), end);
    const lost = lostIn(references, messages[end]?.id ?? '', view);
    return {
      kind: kind || NO_NEED,
      isNeed: label === 'true',
      isReported: lost.length > 0,
      isNamed: lost.some((event) => event.partIds.some((id) => partIds.includes(id))),
    };
  });
}

/** The losses of a step whose view is all that is left of the messages before it. */
function lostIn(references: References, messageId: string, view: readonly Message[]) {
  const watch = createWatch(references, { between: 'pivot' });
  watch.findMisses(
    '',
    references.messages.filter(({ id }) => id !== messageId),
  );
  return watch.tellStep(messageId, view).filter(isLoss);
}

function rowsOf(name: string, scored: readonly Scored[]): readonly AgreementRow[] {
  const reported = scored.filter((one) => one.isReported);
  const needs = scored.filter((one) => one.isNeed);
  const row = (
    what: string,
    cases: readonly Scored[],
    is: (one: Scored) => boolean | undefined,
  ) => ({
    number: `${name}, ${what}`,
    cases: cases.length,
    agree: cases.filter(is).length,
  });
  return [
    {
      ...row('reported steps that need it', reported, (one) => one.isNeed),
      wanted: LEAST_PRECISION,
    },
    { ...row('needs that are reported', needs, (one) => one.isReported), wanted: LEAST_RECALL },
    row(
      'needs whose part is named',
      needs.filter((one) => one.isNamed !== undefined),
      (one) => one.isNamed,
    ),
    ...[...groupBy(scored, ({ kind }) => kind)].map(([kind, own]) =>
      row(kind === NO_NEED ? kind : `kind ${kind}`, own, (one) => one.isReported === one.isNeed),
    ),
  ].filter(({ cases }) => cases > 0);
}

function referencesOf(messages: readonly Message[], system?: string): References {
  return findReferences({ messages, facts: [], system, weigh: () => 1 });
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

function isLoss(event: RunEvent): event is RunEvent & { readonly type: 'reference' } {
  // A label says that content is lost and needed, whoever is charged for it.
  return event.type === 'reference' && (event.missedBy ?? event.goneBy) !== undefined;
}
