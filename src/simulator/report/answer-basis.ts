/** The basis of an answer, and the sessions that are not in it. */

import { CONFIDENCE } from '../metrics/statistics/interval.ts';
import { FEW_CLUSTERS } from '../metrics/statistics/mean-difference.ts';
import type { Answer } from './answer-schema.ts';
import { type Block, type Text, untrusted } from './document.ts';
import { countOf, formatCount, formatPercent, formatSignedPercent, formatUsd } from './numbers.ts';
import { countedBy } from './origin.ts';

/** A sentence on everything that is not in the numbers. */
export function leftOutLines({ leftOut }: Answer): readonly Text[] {
  const { copies, withoutModel, withoutPreset, failed, unread, configurations } = leftOut;
  const pieces: Text[][] = [
    withoutModel > 0 ? [`${countOf(withoutModel, 'session')} that name no model`] : [],
    copies > 0 ? [`${formatCount(copies)} that are copies of others`] : [],
    withoutPreset > 0
      ? [`from the changes, ${formatCount(withoutPreset)} of agents without a preset`]
      : [],
    failed > 0
      ? [`from the changes, ${formatCount(failed)} that do not end under today's settings`]
      : [],
    unreadPiece(unread),
    configurations.length > 0
      ? ['settings that could not be read, in ', untrusted(configurations.join(', '))]
      : [],
  ].filter((piece) => piece.length > 0);
  if (pieces.length === 0) return [];
  return [
    [
      'Left out: ',
      ...pieces.flatMap((piece, index) => (index === 0 ? piece : ['; ', ...piece])).flat(),
      '.',
    ] as Text,
  ];
}

/** On what each number rests, behind what else is told of it. */
export function basisBlocks(answer: Answer, told: readonly Text[]): readonly Block[] {
  const items = [...told, ...detailsOf(answer)];
  return [{ type: 'list', title: 'On what the numbers rest', items, isDetail: true }];
}

/** Says in how many sessions a preset does not fit what was recorded, before anything is advised. */
export function unfitLines({
  sessions,
  recorded,
  simulated,
}: Answer['leftOut']['unfit']): readonly string[] {
  if (sessions === 0) return [];
  const counts = `${countOf(recorded, 'compaction')} recorded, ${formatCount(simulated)} simulated`;
  return [
    `In ${countOf(sessions, 'session')} the preset does not compact where the recording did (${counts}): nothing is advised for ${sessions === 1 ? 'it' : 'them'}.`,
  ];
}

function unreadPiece(unread: Answer['leftOut']['unread']): Text[] {
  const [first, ...others] = unread;
  if (first === undefined) return [];
  const more = others.length === 0 ? '' : ', …';
  return [
    `${countOf(unread.length, 'file')} that could not be read (`,
    untrusted(first.file),
    `${more}: `,
    '--format json says why)',
  ];
}

function detailsOf(answer: Answer): readonly Text[] {
  const { basis, simulated, verdict, settings } = answer;
  const { measured, sessions, origin, summarizer } = basis;
  const { catalog, tokenizers = {}, version = '' } = origin;
  const tests = verdict.filter(({ state }) => state !== 'no effect').length;
  return [
    `As recorded: usage that providers reported, in ${formatCount(measured)} of ${countOf(sessions, 'session')}, at list prices; no bill was read.`,
    `Prices: catalog ${catalog?.source ?? ''} ${catalog?.hash ?? ''}, prompt cache simulated as long as it was recorded; compaction-bench ${version}.`,
    ...answer.setups,
    `Tokens: ${countedBy(tokenizers).join('; ')}; scaled to the recorded usage of a session, estimated where it has none.`,
    `Changes: each session is replayed step by step as it was recorded (open loop: the agent does not react), with '${summarizer}' summaries; no model was asked.`,
    ...simulated.map(describeFit),
    settings.length > 0
      ? "Today's settings: the agents' own configuration, as said above; projects may have others."
      : "Today's settings: defaults of the newest release among the sessions; no setting of the agents' own was found.",
    'Losses: content that a later step uses and that a compaction had removed by then, counted once until it is read again. Only what reading brings back: other words are lost by the wording of a summary, and summaries here have none.',
    `Intervals: ${formatPercent(CONFIDENCE)}, resampled over sessions that share no beginning; judged as ${countOf(tests, 'test')} at once, and only if ${FEW_CLUSTERS} such sessions or more came out different.`,
  ];
}

/** How near the simulation comes to what was recorded. */
function describeFit({
  policy,
  sessions,
  costUsd,
  compactions,
}: Answer['simulated'][number]): string {
  const off = formatSignedPercent(costUsd.simulated / costUsd.recorded - 1, 0);
  const costs = `${formatUsd(costUsd.recorded)} → ${formatUsd(costUsd.simulated)} (${off})`;
  const counts = `${formatCount(compactions.recorded)} → ${formatCount(compactions.simulated)}`;
  return `Fit: changes are held against ${policy} simulated on ${countOf(sessions, 'session')}; recorded → simulated ${costs}, compactions ${counts}.`;
}
