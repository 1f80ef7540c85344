/** Sentences about a sweep: dead knobs, failures, what was left out. */

import type { RunMode } from '../../events.ts';
import { listed } from '../../lib/text.ts';
import { sumReasons } from '../../metrics/record.ts';
import { describeMode } from '../mode.ts';
import { countOf, formatCount } from '../numbers.ts';
import { commonSettings, countedBy, OF_UNMEASURED, pairsOf } from '../origin.ts';
import { describeRecordedModels } from '../recorded-models.ts';
import { countRows } from './row-counts.ts';
import {
  type Knob,
  type SweepCell,
  type SweepProvenance,
  type SweepReport,
  WHOLE,
} from './sweep-report.ts';

/** Reasons of failures that are told. */
const MOST_REASONS = 5;

const WHY: Readonly<Partial<Record<Knob['effect'], string>>> = {
  unread:
    'gave the same runs: under these policies and models nothing reads it, so its cells were run once and setting it tunes nothing.',
  none: 'gave the same events in every run: it could matter, but never did in these sessions.',
};

const MODES: Readonly<Record<RunMode, string>> = {
  'open-loop': 'Open loop: every recorded step is replayed, whatever is lost.',
  'closed-loop': describeMode('closed-loop'),
};

/** What is to be said of dead knobs, a sentence or two each. */
export function describeDeadKnobs({ knobs }: SweepReport): readonly string[] {
  return knobs.flatMap((knob) => {
    const why = WHY[knob.effect];
    return why === undefined ? [] : [`${knob.key} is a dead knob: ${listValues(knob)} ${why}`];
  });
}

/** Whether any run needed anything again. */
export function hasReferences({ cells }: SweepReport): boolean {
  return cells.some(({ metrics }) => Boolean(metrics.references));
}

/** How many runs the numbers are sums of, and what was left out. */
export function describeRuns(report: SweepReport): string {
  const { cells, provenance } = report;
  const { sessions, skippedSessions, sharingSessions, seeds } = provenance;
  const copies =
    skippedSessions === 0
      ? ''
      : `, ${skippedSessions} of them ${skippedSessions === 1 ? 'a copy, which is' : 'copies, which are'} not run`;
  const forks =
    sharingSessions === 0
      ? ''
      : `, ${sharingSessions} of them not independent: ${sharingSessions === 1 ? 'it begins' : 'they begin'} with messages of another session`;
  const trials = seeds.length === 1 ? '' : `, ${seeds.length} trials`;
  const often =
    seeds.length === 1
      ? ''
      : `, in which a session counts once in each of the ${seeds.length} trials`;
  const counts = `${countOf(sessions, 'session')}${copies}${forks}, ${countOf(cells.length, 'cell')}${trials}`;
  return `${counts}. ${describeLack(report)}${describeEnds(cells)}Numbers are sums over completed runs${often}; for contexts, the largest. Cells that completed different runs cannot be compared.`;
}

/** Why runs failed: the most frequent reasons, each with where it came first. */
export function describeFailed({ cells, failures = [] }: SweepReport): readonly string[] {
  const told = failures.slice(0, MOST_REASONS).map(({ reason, times, session, cell }) => {
    const own = cells.find(({ id }) => id === cell);
    const where = own === undefined ? session : `${session} at ${nameCell(own).join(', ')}`;
    return `${formatCount(times)} × ${reason}${times === 1 ? ` (${where})` : ` (first ${where})`}`;
  });
  const others = failures.length - told.length;
  return others > 0 ? [...told, `and ${countOf(others, 'other reason')}, see JSON`] : told;
}

/** What all cells have in common besides what was varied: a policy, a model, a summarizer, settings. */
export function describeCommon({ cells, knobs }: SweepReport): string {
  const names = (of: (cell: SweepCell) => string) => [...new Set(cells.map(of))];
  const facts = [
    ['policy', names(({ policy }) => policy)],
    ['model', names(({ model }) => model)],
    ['summarizer', names(({ summarizer }) => summarizer)],
  ] as const;
  const alike = facts.flatMap(([what, own]) => (own.length === 1 ? [`${what} ${own[0]}`] : []));
  return `In all cells: ${[...alike, ...setInAll({ cells, knobs })].join(', ')}.`;
}

/** Settings that no cell varies, as they are given. */
export function setInAll({
  cells,
  knobs,
}: Pick<SweepReport, 'cells' | 'knobs'>): readonly string[] {
  const varied = new Set(knobs.map(({ key }) => key));
  const common = Object.entries(commonSettings(cells.map(({ settings }) => settings)));
  return pairsOf(Object.fromEntries(common.filter(([key]) => !varied.has(key))));
}

/** Where the numbers come from. */
export function describeProvenance(provenance: SweepProvenance): string {
  const { version, sweep, shard, mode, seeds, catalog, tokenizers, recorded } = provenance;
  const counted = countedBy(tokenizers);
  const part = shard === WHOLE ? '' : ` Shard ${shard} only.`;
  return [
    `Sweep ${sweep}, version ${version}, seeds ${seeds.join(', ')}, catalog ${catalog.source} ${catalog.hash}; tokens of ${counted.join(', ')}.`,
    OF_UNMEASURED,
    ...describeRecordedModels(recorded, { against: Object.keys(tokenizers) }),
    `${MODES[mode]}${part}`,
  ].join(' ');
}

/** A cell by what was varied; by its policy where nothing was. */
export function nameCell({ values, policy }: SweepCell): readonly string[] {
  return values.length === 0 ? [policy] : values.map(String);
}

/** What the names of cells are the values of. */
export function nameTitles({ knobs }: SweepReport): readonly string[] {
  return knobs.length === 0 ? ['policy'] : knobs.map(({ key }) => key);
}

/** How many rows are still to come; nothing where all are there. */
function describeLack(report: SweepReport): string {
  const { present, missing } = countRows(report);
  if (missing === 0) return '';
  return `Not finished: ${formatCount(present)} of ${countOf(present + missing, 'row')}. `;
}

/** How many runs did not complete, by how they ended; nothing where all did. Copies, which are not run, are told of before. */
function describeEnds(cells: readonly SweepCell[]): string {
  const ended = cells.flatMap(({ endedEarly = {} }) =>
    Object.entries(endedEarly).filter(([state]) => state !== 'skipped'),
  );
  const byState = sumReasons(ended.map(([reason, times]) => ({ reason, times })));
  if (byState.length === 0) return '';
  const states = byState.map(({ reason, times }) => `${formatCount(times)} ${reason}`);
  const made = cells.reduce(
    (sum, { runs, endedEarly }) => sum + runs - (endedEarly?.skipped ?? 0),
    0,
  );
  return `Not all of ${countOf(made, 'run')} completed: ${states.join(', ')}. `;
}

function listValues({ values }: Knob): string {
  return listed(values.map(String), 'and');
}
