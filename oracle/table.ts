/** The table of agents in docs/reference/agents.md, and a page for each of them, from records and presets. */

import { alignedTable } from '../scripts/page-blocks.ts';
import { policies, type PolicyName, presetOrigins } from '../src/engine/index.ts';
import { known, sum } from '../src/simulator/lib/collections.ts';
import { describeKeys } from '../src/simulator/report/agent-keys.ts';
import { describeRules, describeUse } from '../src/simulator/report/doctor.ts';
import { describePreset, renderReleases } from '../src/simulator/report/explain-moment.ts';
import { formatCount } from '../src/simulator/report/numbers.ts';
import { examine, usableTokensOf } from '../src/simulator/scenario/checkup.ts';
import { placesOf } from '../src/simulator/session/files/local-sessions.ts';
import { type AgentName, agents, compare, type ModelLimits } from './agents.ts';
import { claimOf } from './claims.ts';
import { coverageOf } from './drive.ts';
import { explanations, type Kind } from './explained.ts';
import {
  changeLines,
  driftOf,
  type Facts,
  factsOf,
  NOT_OBSERVED,
  type Subject,
  subjects,
} from './facts.ts';
import type { OracleRecord } from './record.ts';
import { differencesIn } from './verify.ts';

/** A release that was run. */
interface Ran {
  readonly version: string;
  readonly records: readonly OracleRecord[];
  /** `17 of 30`, of those that it can run. */
  readonly scripts: string;
  readonly facts: Facts;
}

interface AgentFacts {
  readonly name: string;
  readonly label: string;
  /** From the oldest on; none of an agent that is only recorded. */
  readonly ran: readonly Ran[];
  /** From the oldest on. */
  readonly presets: readonly PolicyName[];
}

const SUBJECTS = Object.keys(subjects) as readonly Subject[];
/** What people compare; the pages have the rest. */
const SHOWN = [
  'trigger',
  'atEnd',
  'kept',
  'clearing',
  'request',
  'bill',
] as const satisfies Subject[];
/** Agents that nobody runs, known from recordings of people's sessions. */
const RECORDED = { 'claude-code': 'Claude Code', 'copilot-cli': 'Copilot CLI' };
/** Other origins of an agent's presets. */
const ALSO: Readonly<Record<string, string>> = {
  OpenCode: 'OpenCode 2',
  Codex: 'Codex with OpenAI',
};
/** Values of a preset that are no rules, or names of rules. */
const DESCRIBING = /^(?:name|describes|source|breaks|trigger\.overflow)\b/;
/** Beginnings of lines that tell a part of a preset whole. */
const TOLD: Readonly<Record<string, string>> = { prune: 'prune: ', cut: 'keeps: ' };
const NOT_RUN = ['- No release of it is run here, for it is under no open licence.'];
const UNKNOWN = [
  '- If a change came earlier, in a release that was not run.',
  '- What a release does under scripts that it was not run with.',
  '- What larger contents and other providers change: usage is scripted, and contents are short.',
];
const LIMITS = { contextTokens: 200_000, outputTokens: 64_000 };

/** The table as Markdown: what the newest release of each agent was seen to do, and how its records stand to the presets. */
export function observedTable(kinds: ReadonlyMap<OracleRecord, Kind>): string {
  const titles = [
    'Agent',
    'Releases',
    ...SHOWN.map((name) => subjects[name]),
    'Scripts',
    'Records',
    'Artefacts',
    'Differ otherwise',
  ];
  const rows = agentFacts([...kinds.keys()]).map((agent) => {
    const newest = agent.ran.at(-1);
    const facts = SHOWN.map((name) => newest?.facts[name] ?? '');
    const own = agent.ran.flatMap(({ records }) => records.map((record) => kinds.get(record)));
    const counts = [
      own,
      own.filter((kind) => kind === 'artefact'),
      own.filter((kind) => kind === 'other'),
    ].map(({ length }) => `${length}`);
    const seen = newest ? [...facts, newest.scripts, ...counts] : ['from recordings, on its page'];
    return [`[${agent.label}](agents/${agent.name}.md)`, rangeOf(agent), ...seen];
  });
  return alignedTable(titles, rows);
}

/** The pages as Markdown, by the name of the agent. */
export function agentPages(records: readonly OracleRecord[]): ReadonlyMap<string, string> {
  return new Map(agentFacts(records).map((agent) => [agent.name, pageOf(agent)]));
}

function agentFacts(records: readonly OracleRecord[]): readonly AgentFacts[] {
  const run = Object.entries(agents).map(([name, { label }]) => {
    const own = records.filter(({ agent }) => agent === name);
    const versions = [...new Set(own.map(({ version }) => version))].toSorted(compare);
    const ran = versions.map((version) => {
      const some = own.filter((record) => record.version === version);
      const scripts = coverageOf([{ name: name as AgentName, version }], some);
      return { version, records: some, scripts, facts: factsOf(some) };
    });
    return { name, label, ran, presets: presetsOf(label) };
  });
  const recorded = Object.entries(RECORDED).map(([name, label]) => ({
    name,
    label,
    ran: [],
    presets: presetsOf(label),
  }));
  return [...run, ...recorded];
}

function presetsOf(label: string): readonly PolicyName[] {
  const names = Object.keys(presetOrigins) as PolicyName[];
  return [label, ALSO[label]].flatMap((agent) =>
    names
      .filter((name) => presetOrigins[name].agent === agent)
      .toSorted((one, other) => compare(firstOf(one), firstOf(other))),
  );
}

function firstOf(preset: PolicyName): string {
  return presetOrigins[preset].from ?? '0.0.0';
}

function rangeOf({ ran }: AgentFacts): string {
  const [first, last] = [ran[0], ran.at(-1)];
  if (first === undefined || last === undefined) return 'none run';
  if (first === last) return first.version;
  return `${first.version} to ${last.version} (${ran.length} run)`;
}

function pageOf(agent: AgentFacts): string {
  const { name, label, ran, presets } = agent;
  const newest = ran.at(-1);
  const preset =
    newest === undefined ? presets.at(-1) : claimOf(name as AgentName, newest.version)?.name;
  const recordings = sum(presets.map((one) => presetOrigins[one].recordings ?? 0));
  const counts = [
    ...(ran.length > 0 ? [`${ran.length} releases that were run, in ${countOf(ran)} records`] : []),
    ...(recordings > 0 ? [`${recordings} compactions in recordings of people's sessions`] : []),
  ];
  const from = counts.length === 0 ? 'recordings' : counts.join(', and ');
  const recorded = presets.filter((one) => presetOrigins[one].by === 'recordings');
  const parts = [
    `# ${label}: what it does with a full context`,
    `What ${label} does is known from ${from}. [Here](../oracle.md) is how; nothing on this page is written by hand.`,
    ...(preset === undefined ? [] : [newestPart(agent, preset as PolicyName)]),
    ...(ran.length === 0 ? [] : ['## By release, what changed', ...releaseParts(ran)]),
    ...(recorded.length === 0 ? [] : ['## In recordings', ...presetParts(recorded)]),
    ...(ran.length === 0 ? [] : [presetsPart(presets.filter((one) => !recorded.includes(one)))]),
    unknownPart(agent),
  ];
  return `${parts.join('\n\n')}\n`;
}

function countOf(ran: readonly Ran[]): number {
  return sum(ran.map(({ records }) => records.length));
}

function newestPart({ label, ran }: AgentFacts, preset: PolicyName): string {
  const newest = ran.at(-1);
  const { contextTokens, outputTokens } = newest?.records[0] ?? LIMITS;
  const limits: ModelLimits = { contextTokens, outputTokens };
  const checkup = checkupOf(preset, limits);
  const keys = describeKeys(preset, {
    model: 'PROVIDER/MODEL',
    ...limits,
    usableTokens: usableTokensOf(checkup) ?? null,
    release: newest?.version.split('.').map(Number),
  });
  const use = describeUse({ keys, places: placesOf(label, { HOME: '~' }) });
  const release = newest?.version ?? presetOrigins[preset].to ?? 'The newest release';
  const seen = SUBJECTS.map((subject) => [subjects[subject], newest?.facts[subject] ?? '']);
  return [
    `## ${release}`,
    policies[preset].describes,
    `Preset \`${preset}\` in a window of ${formatCount(contextTokens)} tokens, with answers of up to ${formatCount(outputTokens)}:`,
    alignedTable(['Rule', 'What it does'], [...describeRules(checkup), ...use].map(toCells)),
    ...(newest === undefined
      ? []
      : [
          `As it was observed, ${seenIn(newest)}:`,
          alignedTable(['Question', 'What was seen'], seen),
        ]),
  ].join('\n\n');
}

/** Releases that changed something against all that was known before, the newest first, each with those that did the same. */
function releaseParts(ran: readonly Ran[]): readonly string[] {
  const parts: { readonly lines: readonly string[]; readonly same: Ran[] }[] = [];
  let known: Facts | undefined;
  for (const [index, one] of ran.entries()) {
    const changes = known && driftOf(known, one.facts);
    if (changes?.length === 0) parts.at(-1)?.same.push(one);
    else {
      const before = ran[index - 1]?.version;
      const between =
        before === undefined || isNext(before, one.version) ? '' : ` None was run after ${before}.`;
      const head = `### ${one.version}\n\n${seenIn(one)}.${between}`;
      const lines = known === undefined ? firstLines(one.facts) : changeLines(known, one.facts);
      parts.push({ lines: [head, lines.join('\n')], same: [] });
    }
    known = { ...(known ?? one.facts), ...seenOf(one) };
  }
  return parts.toReversed().map(({ lines, same }) => {
    const others = same.map((one) => `${one.version} (${seenIn(one)})`);
    return [...lines, ...(same.length > 0 ? [`The same: ${others.join('; ')}.`] : [])].join('\n\n');
  });
}

function firstLines(facts: Facts): readonly string[] {
  const seen = SUBJECTS.filter((one) => one !== 'bill' && facts[one] !== NOT_OBSERVED);
  return seen.map((one) => `- ${subjects[one]} ${facts[one]}`);
}

function seenOf({ facts }: Ran): Partial<Facts> {
  return Object.fromEntries(Object.entries(facts).filter(([, fact]) => fact !== NOT_OBSERVED));
}

function seenIn({ records, scripts }: Ran): string {
  return `${lastDay(records)}, ${scripts} scripts`;
}

/** `0.84.3` and `0.84.4`, or `0.84.3` and `0.85.0`. */
function isNext(before: string, version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = before.split('.').map(Number);
  const next = [
    [major, minor, patch + 1],
    [major, minor + 1, 0],
    [major + 1, 0, 0],
  ];
  return next.some((one) => version === one.join('.'));
}

/** Presets that are known from recordings, the newest first, each against the one before it. */
function presetParts(presets: readonly PolicyName[]): readonly string[] {
  const parts = presets.map((preset, index) => {
    const { recordings, date, from = '', to } = presetOrigins[preset];
    const lines = changedRules(preset, presets[index - 1]).map((line) => `- ${line}`);
    const rests = recordings === undefined ? '' : `, ${recordings} recorded compactions`;
    const range = from === '0.0.0' ? 'All releases' : `${from} to ${to ?? 'now'}`;
    const head = `### ${range}\n\n${date}${rests}. ${policies[preset].describes}`;
    return [head, ...(lines.length === 0 ? [] : [lines.join('\n')])].join('\n\n');
  });
  return parts.toReversed();
}

/** Rules that a preset has and the one before it has not, and names of other values in which their data differ. */
function changedRules(preset: PolicyName, before: PolicyName | undefined): readonly string[] {
  if (before === undefined) return describeRules(checkupOf(preset, LIMITS));
  const old = describeRules(checkupOf(before, LIMITS));
  const rules = describeRules(checkupOf(preset, LIMITS)).filter((line) => !old.includes(line));
  const isTold = (value: string) =>
    DESCRIBING.test(value) ||
    rules.some((line) => line.startsWith(TOLD[value.split('.', 1).join()] ?? '-'));
  const data = differencesIn(policies[before], policies[preset])
    .map(({ at }) => at)
    .filter((value) => !isTold(value));
  return [...rules, ...(data.length === 0 ? [] : [`in its data: ${data.join(', ')}`])];
}

function presetsPart(presets: readonly PolicyName[]): string {
  const rows = presets.map((name, index) => {
    const [known = ''] = describePreset({ name });
    const rules = changedRules(name, presets[index - 1]).join('; ');
    return [
      `\`${name}\``,
      known.replace(/^preset of /, ''),
      rules === '' ? 'these are the same' : rules,
    ];
  });
  const titles = ['Preset', 'Of, and how it is known', 'Rules that those above it have not'];
  return `## Presets\n\nValues of their data have the names of \`list policies --format json\`.\n\n${alignedTable(titles, rows)}`;
}

function unknownPart({ name, ran, presets }: AgentFacts): string {
  const differ = explanations
    .filter((row) => row.agent === name)
    .map(({ from, to, scripts = [], why, isArtefact }) => {
      const releases = from === undefined ? 'all releases' : renderReleases(known({ from, to }));
      const where = [releases, scripts.join(', '), isArtefact ? 'artefact' : ''].filter(Boolean);
      return `- ${where.join('; ')}: ${why}`;
    });
  return [
    '## What is not known',
    [...(ran.length === 0 ? NOT_RUN : UNKNOWN), ...gapsBetween(presets)].join('\n'),
    ...(differ.length === 0 ? [] : ['## Where it differs from its preset', differ.join('\n')]),
  ].join('\n\n');
}

/** Releases between one preset and the next, as lines. */
function gapsBetween(presets: readonly PolicyName[]): readonly string[] {
  return presets.slice(1).flatMap((preset, index) => {
    const { to: last } = presetOrigins[presets[index] ?? preset];
    const next = firstOf(preset);
    if (last === undefined || compare(last, next) >= 0 || isNext(last, next)) return [];
    return [`- Releases between ${last} and ${next}, which no preset claims.`];
  });
}

function checkupOf(preset: PolicyName, limits: ModelLimits) {
  const target = { policy: policies[preset], limits };
  return examine({ base: target, target, given: {}, floorTokens: 0, summarizer: undefined });
}

function lastDay(records: readonly OracleRecord[]): string {
  return (
    records
      .map(({ observed }) => observed)
      .toSorted()
      .at(-1) ?? ''
  );
}

/** `keeps: nothing` as two cells. */
function toCells(line: string): readonly string[] {
  const at = line.indexOf(': ');
  return [line.slice(0, at), line.slice(at + 2)];
}
