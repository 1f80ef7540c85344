import { describe, expect, it } from 'vitest';
import {
  type ByAgeOptions,
  DEFAULT_BY_AGE,
  policies,
  type Policy,
  pruneRules,
  type TriggerPolicy,
} from '../../../src/engine/index.ts';
import { contentHash } from '../../../src/simulator/lib/json.ts';
import { describePreset } from '../../contracts/preset.ts';

for (const [name, policy] of Object.entries<Policy>(policies)) describePreset(name, policy);

const releases = Object.entries<Policy>(policies).filter(([name]) => name.startsWith('opencode-'));

describe('presets', () => {
  it('start with the control', () => {
    expect(Object.keys(policies)[0]).toBe('none');
  });

  it.each(releases)('name their versions and dates: %s', (name, { describes }) => {
    expect(describes).toContain(name.replace('opencode-', ''));
    expect(describes).toMatch(/\b2\.0\.x|\b[\d.]+ to [\d.]+ \(20\d\d-\d\d/);
  });

  it('never change, and can be compared side by side', async () => {
    await expect(tableOf(Object.values<Policy>(policies))).toMatchFileSnapshot(
      '../../fixtures/snapshots/engine-presets-index.txt',
    );
  });

  it('never change in any number: a correction is a new name', async () => {
    const hashes = Object.entries<Policy>(policies).map(([name, policy]) => {
      const { describes: _, source: __, ...rules } = policy;
      const { form: ___, length: ____, ...summary } = rules.summary;
      const breaks = rules.breaks.map(({ law }) => law);
      return [name, contentHash({ ...rules, summary, breaks }).slice(0, 16)] as const;
    });
    await expect(Object.fromEntries(hashes)).toMatchFileSnapshot(
      '../../fixtures/snapshots/engine-presets-index-2.txt',
    );
  });

  it('ask for summaries as was observed, and as long ones as were recorded', async () => {
    const usual = 'fresh, 2000';
    const others = Object.entries<Policy>(policies).flatMap(([name, { summary }]) => {
      const { kind, ...flags } = summary.form;
      const asked = `${[kind, ...flagsOf(flags)].join(' ')}, ${summary.length.tokens}`;
      return asked === usual ? [] : [`${name}: ${asked}`];
    });
    await expect(`${others.join('\n')}\n`).toMatchFileSnapshot(
      '../../fixtures/snapshots/engine-presets-summaries.txt',
    );
  });

  it('have the numbers and guards of the released program, but for documents and other agents', async () => {
    const usual = ['32000, 40000, 20000, round(chars / 4)', '32000, 0, 0, round(chars / 4)'];
    const others = Object.entries<Policy>(policies).flatMap(([name, policy]) => {
      const { trigger, prune, estimator, guards } = policy;
      const { protectTokens, minimumTokens } = prune.byAge;
      const weight = `${estimator.rounding}(chars / ${estimator.charsPerToken})`;
      const numbers = [trigger.outputCapTokens, protectTokens, minimumTokens, weight].join(', ');
      const on = Object.entries(guards).flatMap(([guard, value]) => (value ? [guard] : []));
      const said = [...(usual.includes(numbers) ? [] : [numbers]), ...on];
      return said.length === 0 ? [] : [`${name}: ${said.join(', ')}`];
    });
    await expect(`${others.join('\n')}\n`).toMatchFileSnapshot(
      '../../fixtures/snapshots/engine-presets-numbers.txt',
    );
  });
});

const HEADS =
  'preset|overflow|checked|refused|newest|prune|view|cut|prompts|head|failure|resume'.split('|');

/** What each preset uses, a line each, in columns. */
function tableOf(presets: readonly Policy[]): string {
  const rows = [HEADS, ...presets.map((policy) => [policy.name, ...columnsOf(policy)])];
  const widths = HEADS.map((_, index) => Math.max(...rows.map((row) => row[index]?.length ?? 0)));
  const lines = rows.map((row) => row.map((text, index) => text.padEnd(widths[index] ?? 0)));
  return `\n${lines.map((line) => line.join('  ').trimEnd()).join('\n')}\n`;
}

function columnsOf(policy: Policy): readonly string[] {
  const { trigger, summary, resume } = policy;
  const checked = [
    trigger.afterStep && 'after',
    trigger.beforeRequest && 'before',
    trigger.background && 'beside',
  ];
  return [
    overflowOf(trigger),
    checked.filter(Boolean).join('+') || '-',
    trigger.auto ? trigger.onRefusal : `${trigger.onRefusal}, auto off`,
    trigger.newestBy,
    pruneOf(policy),
    policy.view,
    cutOf(policy),
    `${summary.systemPrompt}/${summary.instruction}`,
    headOf(policy),
    failureOf(policy),
    [resume.continueText ?? 'none', ...flagsOf(resume)].join(' '),
  ];
}

function overflowOf({ overflow, windowShare, anyOf = [], counted }: TriggerPolicy): string {
  const lists = anyOf.map((all) =>
    all.map((one) => (one.unit === 'usable' ? one.unit : `${one.atLeast} ${one.unit}`)).join(' + '),
  );
  return [overflow, windowShare, counted, lists.join(' | ')].filter(Boolean).join(', ');
}

function pruneOf({ prune }: Policy): string {
  const { cleanups } = prune;
  if (cleanups !== undefined) return cleanups.map(({ pass }) => pass).join(', ');
  if (!prune.enabled) return 'off';
  const rule = Object.entries(pruneRules).find(([, { byAge }]) => isSame(byAge, prune.byAge))?.[0];
  const changed = Object.entries(prune.byAge).filter(
    ([key, value]) => !isSame(value, DEFAULT_BY_AGE[key as keyof ByAgeOptions]),
  );
  const options = changed.map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(' ');
  const passes = {
    'by-age': rule ?? options,
    'all-outputs': 'all outputs',
    'keep-last': `all but ${prune.keepLast?.outputs}`,
    'by-message': 'calls and thoughts by message',
    'by-verdict': `by ${prune.byVerdict?.scorer}`,
  };
  const what = passes[prune.pass];
  const evicts = prune.evicts === undefined ? [] : [prune.evicts];
  return [what, ...(prune.when === 'turn-end' ? [] : [prune.when]), ...evicts].join(', ');
}

function cutOf({ cut, memory }: Policy): string {
  if (memory !== undefined) return `memory, ${memory.keepMessages} stay`;
  const { keep, ...rest } = cut;
  const words = Object.values(rest).map((value) =>
    typeof value === 'object' ? JSON.stringify(value) : String(value),
  );
  return [keep, ...words].join(' ');
}

function headOf({ summary }: Policy): string {
  const { stripMedia, anchored, markerInHead, toolOutputChars } = summary;
  return [...flagsOf({ stripMedia, anchored, markerInHead }), toolOutputChars ?? '']
    .join(' ')
    .trim();
}

function failureOf({ summary }: Policy): string {
  const { onFailure, answers, overflowFinishes, checksOwnUsage } = summary;
  return [onFailure, answers, ...flagsOf({ overflowFinishes, checksOwnUsage })].join(' ');
}

function flagsOf(options: object): readonly string[] {
  return Object.entries(options).flatMap(([key, value]) => (value === true ? [key] : []));
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
