import { groupBy, sum } from '../lib/collections.ts';
import { type Blamed, type Cause, type Finding, worstFirst } from '../metrics/diagnosis.ts';
import type { RunRecord } from '../metrics/record.ts';
import {
  CLAUDE_PERCENT,
  CLAUDE_WINDOW,
  CODEX_LIMIT,
  CODEX_WINDOW,
} from '../scenario/agent-config.ts';
import { type Block, type Piece, prose, type Text, untrusted } from './document.ts';
import { BECAUSE } from './setup.ts';
import { countOf, formatCount, formatPercent, formatUsd } from './numbers.ts';

/** Runs with their findings, those without any only counted. */
export interface Diagnosis {
  readonly sessions: number;
  readonly found: readonly {
    readonly session: string;
    /** Absent where there is one only. */
    readonly policy?: string | undefined;
    readonly findings: readonly Finding[];
  }[];
}

interface Sentences<Found> {
  /** One sentence, without its full stop. */
  readonly says: (finding: Found, blamed: Text | undefined) => Text;
  /** One thing to do. */
  readonly todo: (finding: Found, blamed: Text | undefined) => Text;
}

const MOST_SHOWN = [2, 1] as const;
const TOO_LARGE = /too (?:large|long|big)|exceed|overflow|context|maximum/i;

const WINDOW_KEYS: Readonly<Record<string, string>> = {
  'Claude Code': `${CLAUDE_WINDOW}, ${CLAUDE_PERCENT}, and [1m] behind the model's name`,
  OpenCode: 'compaction.auto and the limit of the model in opencode.json',
  Codex: `${CODEX_LIMIT} and ${CODEX_WINDOW} in config.toml`,
};

const PARTS = {
  overhead: 'system prompt and tools fill',
  summary: 'the summary fills',
  tail: 'what is kept word for word fills',
} as const;

const SENTENCES: {
  readonly [Name in Cause]: Sentences<Finding & { readonly cause: Name }>;
} = {
  floor: {
    says: ({ hits, of, steps, ineffective, least, most, part, partTokens, limitTokens }) => {
      const [own, limit] = [partTokens, limitTokens].map(formatCount);
      if (partTokens > limitTokens) {
        const count = `${formatCount(Math.max(ineffective, hits))} of ${countOf(of, 'compaction')}`;
        return `${count} were ineffective: ${PARTS[part]} ${own} tokens, above the usable ${limit}`;
      }
      const room = least === most ? countOf(least ?? 0, 'step') : `${least} to ${most} steps`;
      const left =
        least === undefined
          ? 'left little room'
          : `${hits > 1 ? 'each ' : ''}left room for ${room}`;
      return `${countOf(hits, 'compaction')} in ${countOf(steps, 'step')} ${left}: ${PARTS[part]} ${own} of the ${limit} at which it compacts`;
    },
    todo: ({ part }, blamed) => {
      if (part === 'tail') {
        return ['Keep a smaller tail, or cap ', ...[blamed ?? 'what is in it'].flat(), '.'];
      }
      if (part === 'summary') {
        return 'Ask for a shorter summary, by its prompt or a limit on its length.';
      }
      const largest = blamed === undefined ? [] : [' (the largest: ', ...[blamed].flat(), ')'];
      return ['Only a shorter system prompt, fewer tools', ...largest, ' or a larger window help.'];
    },
  },
  refilled: {
    says: ({ hits, of, tokens, roomTokens, step }, blamed = 'the content') => [
      `${formatCount(hits)} of ${countOf(of, 'compaction')} filled up again within 3 steps: `,
      ...[blamed].flat(),
      ` of step ${formatCount(step)} adds ${formatCount(tokens)} tokens, of ${formatCount(roomTokens)} free`,
    ],
    todo: () => 'Cap or split such content: read parts of a file, or limit the output of the tool.',
  },
  summary: {
    says: ({ of, failed, reason = '', larger, summaryTokens = 0, replacedTokens = 0 }) => {
      if (failed === 0) {
        const [own, all] = [summaryTokens, replacedTokens].map(formatCount);
        return `${formatCount(larger)} of ${summariesOf(of)} ${larger === 1 ? 'is larger than what it replaces' : 'are larger than what they replace'}: ${own} tokens for ${all}`;
      }
      const why = reason === '' ? [] : [': ', untrusted(reason.replace(/\.$/, ''))];
      return [`${formatCount(failed)} of ${summariesOf(of)} failed`, ...why];
    },
    todo: ({ failed, reason = '' }) => {
      if (failed === 0) return 'Limit the length of the summary, or use another summarizer.';
      return TOO_LARGE.test(reason)
        ? 'Cap the input of the summary, or use a summarizer with a larger window.'
        : 'Use another summarizer, and look at its answer.';
    },
  },
  media: {
    says: ({ hits, of, mediaTokens, otherTokens }) =>
      `Pictures or other media fill the context before ${formatCount(hits)} of ${countOf(of, 'compaction')}: ${formatCount(mediaTokens)} tokens, all else ${formatCount(otherTokens)}`,
    todo: () => 'Strip media from older messages, or send smaller pictures.',
  },
  cache: {
    says: ({ hits, of, fromStep, rule, lostTokens, costUsd }, blamed = 'old outputs') => {
      const [times, from] = [
        `${formatCount(hits)} of ${countOf(of, 'step')}`,
        `from step ${fromStep} on`,
      ];
      const why = {
        prune: ['clearing ', ...[blamed].flat()],
        window: ['a window that slides'],
        unknown: ['a rule that the recording does not tell'],
      }[rule];
      const usd = costUsd === null ? '' : `, for ${formatUsd(costUsd)}`;
      return [
        `The cache is broken at ${times}, ${from}, by `,
        ...why,
        `: ${formatCount(lostTokens)} tokens are written anew${usd}`,
      ];
    },
    todo: ({ rule }) =>
      rule === 'unknown'
        ? 'Find what changes early in each request: a time, a list of tools, an order.'
        : 'Clear every few steps instead of at each, or not at all.',
  },
  window: {
    says: ({ kind, hits, of, leastTokens, mostTokens, edgeTokens, windowTokens, otherwise }) => {
      const [least, most, edge] = [leastTokens, mostTokens, edgeTokens].map(formatCount);
      if (kind === 'never') {
        return `It never compacts, although ${formatCount(hits)} of ${countOf(of, 'step')} are above the ${edge} tokens of its rule, up to ${most}`;
      }
      const sizes = least === most ? most : `${least} to ${most}`;
      if (otherwise === undefined) {
        return `${formatCount(hits)} of ${countOf(of, 'compaction')} came ${kind}, at ${sizes} tokens, where its rule has ${edge}`;
      }
      return `It compacts at ${sizes} tokens, as in a window of ${formatCount(windowTokens)}, not of ${formatCount(otherwise.value)} (${BECAUSE[otherwise.source]})`;
    },
    todo: ({ kind, agent = '' }) =>
      `${kind === 'early' ? 'Look for a smaller window or threshold' : 'Look if something switches it off or sets it later'}: ${WINDOW_KEYS[agent.replace(/ with .*/, '')] ?? 'in the settings of the agent'}.`,
  },
  rule: {
    says: ({ hits, step, fromStep, againStep }, blamed) => [
      `${hits === 1 ? 'A rule' : `${countOf(hits, 'rule')}, among them one`} of step ${formatCount(step)} is in no request after step ${formatCount(fromStep)}`,
      againStep === undefined
        ? ''
        : `, and was broken: it is said again at step ${formatCount(againStep)}`,
      ...quoted(blamed),
    ],
    todo: () => 'Keep it in the system prompt or a project file, or use another summarizer.',
  },
  invented: {
    says: ({ hits, fromStep }, blamed) => [
      `The summary after step ${formatCount(fromStep)} asks for what nobody asked for`,
      hits === 1 ? '' : `, one of ${countOf(hits, 'such request')}`,
      ...quoted(blamed),
    ],
    todo: () => 'Use another summarizer, or a prompt that quotes requests word for word.',
  },
};

export function diagnosisOf(
  runs: readonly Pick<RunRecord, 'session' | 'policy' | 'state' | 'findings'>[],
): Diagnosis {
  const made = runs.filter(({ state }) => state !== 'skipped' && state !== 'failed');
  const hasPolicies = new Set(made.map(({ policy }) => policy)).size > 1;
  return {
    sessions: new Set(made.map(({ session }) => session)).size,
    found: made.flatMap(({ session, policy, findings }) =>
      findings === undefined ? [] : [{ session, findings, ...(hasPolicies && { policy }) }],
    ),
  };
}

/** Each cause under each policy with its worst finding, the worst first. */
export function worstOf({ found }: Diagnosis) {
  const all = found.flatMap(({ findings, ...run }) =>
    findings.map((finding) => ({ ...run, finding })),
  );
  const causes = groupBy(all, ({ policy, finding }) => JSON.stringify([policy, finding.cause]));
  return [...causes.values()]
    .flatMap((own) => {
      const [worst] = own.toSorted((a, b) => worstFirst(a.finding, b.finding));
      const usd = sum(own.map(({ finding }) => finding.costUsd ?? 0));
      const hits = sum(own.map(({ finding }) => finding.hits));
      const sessions = new Set(own.map(({ session }) => session)).size;
      return worst === undefined ? [] : [{ ...worst, usd, hits, sessions }];
    })
    .toSorted((one, other) => other.usd - one.usd || other.hits - one.hits);
}

/** The worst findings of some runs with what to do first, the others as details; none where nothing is wrong. */
export function diagnosisBlocks(diagnosis: Diagnosis, blamed?: Blamed): readonly Block[] {
  const causes = diagnosisLines(diagnosis, blamed);
  const most = MOST_SHOWN[diagnosis.found.some(({ policy }) => policy !== undefined) ? 1 : 0];
  const [shown, others] = [causes.slice(0, most), causes.slice(most)];
  return [prose(shown.flat(), { color: 'yellow' }), prose(others.flat(), { isDetail: true })];
}

/** The sentences of each cause, the worst first. */
export function diagnosisLines(diagnosis: Diagnosis, names?: Blamed): readonly (readonly Text[])[] {
  const { sessions: all } = diagnosis;
  return worstOf(diagnosis).map(({ finding, policy, usd, sessions }) => {
    const name = names?.get(finding);
    const blamed = name === undefined ? undefined : untrusted(name);
    const { says, todo } = sentencesOf(finding);
    const under = policy === undefined ? [] : [untrusted(policy), ': '];
    const share = `In ${formatCount(sessions)} of ${countOf(all, 'session')} (${formatPercent(sessions / all)}), for ${formatUsd(usd)}; the worst: `;
    return [
      [...under, all === 1 ? '' : share, ...[says(finding, blamed)].flat(), '.'],
      ...dearerLines(finding),
      todo(finding, blamed),
    ];
  });
}

function quoted(blamed: Text | undefined): readonly Piece[] {
  return blamed === undefined ? [] : [': “', ...[blamed].flat(), '”'];
}

function dearerLines({ dearer }: Finding) {
  if (dearer === undefined) return [];
  const { costUsd, neverUsd } = dearer;
  return [`It costs ${formatUsd(costUsd)}, more than never compacting (${formatUsd(neverUsd)}).`];
}

function summariesOf(count: number) {
  return count === 1 ? '1 summary' : `${formatCount(count)} summaries`;
}

/** The compiler cannot see that a finding and its row have one cause. */
function sentencesOf({ cause }: Finding): Sentences<Finding> {
  return SENTENCES[cause] as Sentences<Finding>;
}
