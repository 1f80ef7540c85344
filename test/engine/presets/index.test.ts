import { describe, expect, it } from 'vitest';
import {
  type ByAgeOptions,
  DEFAULT_BY_AGE,
  policies,
  type Policy,
  type PolicyName,
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

  it('ask for summaries as was observed, and as long ones as were recorded', () => {
    const usual = 'fresh, 2000';
    const others = Object.entries<Policy>(policies).flatMap(([name, { summary }]) => {
      const { kind, ...flags } = summary.form;
      const asked = `${[kind, ...flagsOf(flags)].join(' ')}, ${summary.length.tokens}`;
      return asked === usual ? [] : [`${name}: ${asked}`];
    });
    expect(others).toEqual([
      'opencode-1.18.15: flattened instructionFirst, 2000',
      'opencode-1.18.17: flattened, 2000',
      'opencode-2.0: extends tools, 2000',
      'cline-3.0.57: flattened, 2000',
      'cline: flattened, 2000',
      'kilo: flattened, 2000',
      'claude-code-2.0: extends tools, 2600',
      'claude-code-2.1: extends tools, 2600',
      'claude-code-2.1.14: extends tools, 2600',
      'claude-code-2.1.22: extends tools, 2600',
      'claude-code-2.1.31: extends tools, 2600',
      'claude-code: extends tools, 2600',
      'qwen-code: extends tools, 2000',
      'gemini-cli-0.34: fresh verifies, 2000',
      'gemini-cli: fresh verifies, 2000',
      'codex-remote: extends tools, 2500',
      'copilot-cli: extends tools, 2000',
      'copilot-chat: extends tools, 2000',
      'pi: flattened, 1040',
      'pi-1.6: flattened, 1040',
      'kimi-cli: flattened, 2000',
      'kimi-code-0.20: extends tools, 2000',
      'kimi-code-0.30: extends tools, 2000',
      'kimi-code: extends tools, 2000',
      'goose: flattened, 2000',
      'anthropic-compact: fresh, 2400',
      'continue-cli: extends tools, 2000',
      'hermes: flattened, 2000',
      'aider: flattened, 2000',
      'langchain: flattened, 2000',
      'langchain-messages: flattened, 2000',
      'langchain-clauses: flattened, 2000',
      'deepagents: flattened, 2000',
      'deepagents-unknown-model: flattened, 2000',
      'openhands: flattened, 2000',
      'openhands-240: flattened, 2000',
      'letta: fresh, 400',
      'mastra: flattened, 2000',
    ]);
  });

  it('has the numbers of the released program, but where a document or another agent has others', () => {
    const numbers = Object.entries<Policy>(policies).map(
      ([name, { trigger, prune, estimator }]) =>
        [
          name as PolicyName,
          trigger.outputCapTokens,
          prune.byAge.protectTokens,
          prune.byAge.minimumTokens,
          `${estimator.rounding}(chars / ${estimator.charsPerToken})`,
        ] as const,
    );
    const usual = [32_000, 40_000, 20_000, 'round(chars / 4)'] as const;
    const unpruned = [32_000, 0, 0, 'round(chars / 4)'] as const;
    const differ = numbers.filter(([, ...rest]) => rest.join() !== usual.join());
    expect(differ.filter(([, ...rest]) => rest.join() !== unpruned.join())).toEqual([
      ['cline-3.0.57', 32_000, 0, 0, 'ceil(chars / 3)'],
      ['cline', 32_000, 0, 0, 'ceil(chars / 3)'],
      ['document-001', 32_000, 40_000, 0, 'ceil(chars / 4)'],
      ['qwen-code-0.12', 32_000, 0, 0, 'ceil(chars / 4)'],
      ['qwen-code-0.15', 32_000, 0, 0, 'ceil(chars / 4)'],
      ['qwen-code', 32_000, 0, 0, 'ceil(chars / 4)'],
      ['gemini-cli-0.34', 32_000, 50_000, 29_999, 'round(chars / 4)'],
      ['gemini-cli', 32_000, 50_000, 29_999, 'round(chars / 4)'],
      ['codex-local-0.53', 32_000, 0, 0, 'ceil(chars / 4)'],
      ['codex-local-0.79', 32_000, 0, 0, 'ceil(chars / 4)'],
      ['codex-local', 32_000, 0, 0, 'ceil(chars / 4)'],
      ['codex-remote', 32_000, 0, 0, 'ceil(chars / 4)'],
      ['pi', 32_000, 0, 0, 'ceil(chars / 4)'],
      ['pi-1.6', 32_000, 0, 0, 'ceil(chars / 4)'],
      ['kimi-code-0.20', 32_000, 0, 0, 'ceil(chars / 4)'],
      ['kimi-code-0.30', 32_000, 0, 0, 'ceil(chars / 4)'],
      ['kimi-code', 32_000, 0, 0, 'ceil(chars / 4)'],
      ['langchain-clear-tool-uses', 32_000, 0, 0, 'ceil(chars / 4)'],
    ]);
  });

  it('guard against nothing, but for the 2.0 engine and other agents', () => {
    const guarded = Object.entries<Policy>(policies).flatMap(([name, { guards }]) =>
      Object.entries(guards)
        .filter(([, value]) => value !== false && value !== 0)
        .map(([guard]) => `${name}: ${guard}`),
    );
    expect(guarded).toEqual([
      'opencode-2.0.0: rejectEmptySummary',
      'opencode-2.0.0: rejectTruncatedSummary',
      'opencode-2.0.0: remindMissingHeadings',
      'opencode-2.0: rejectEmptySummary',
      'opencode-2.0: rejectTruncatedSummary',
      'opencode-2.0: remindMissingHeadings',
      'cline-3.0.57: rejectEmptySummary',
      'cline: rejectEmptySummary',
      'kilo: rejectEmptySummary',
      'claude-code-2.0: maxRefilled',
      'claude-code-2.0: maxFailures',
      'claude-code-2.0: shrinkSummaryRequest',
      'claude-code-2.1: maxRefilled',
      'claude-code-2.1: maxFailures',
      'claude-code-2.1: shrinkSummaryRequest',
      'claude-code-2.1.14: maxRefilled',
      'claude-code-2.1.14: maxFailures',
      'claude-code-2.1.14: shrinkSummaryRequest',
      'claude-code-2.1.22: maxRefilled',
      'claude-code-2.1.22: maxFailures',
      'claude-code-2.1.22: shrinkSummaryRequest',
      'claude-code-2.1.31: maxRefilled',
      'claude-code-2.1.31: maxFailures',
      'claude-code-2.1.31: shrinkSummaryRequest',
      'claude-code: maxRefilled',
      'claude-code: maxFailures',
      'claude-code: shrinkSummaryRequest',
      'qwen-code-0.12: rejectEmptySummary',
      'qwen-code-0.12: maxFailures',
      'qwen-code-0.15: rejectEmptySummary',
      'qwen-code-0.15: maxFailures',
      'qwen-code: rejectLargerSummary',
      'qwen-code: rejectEmptySummary',
      'qwen-code: rejectTruncatedSummary',
      'qwen-code: maxFailures',
      'gemini-cli-0.34: rejectEmptySummary',
      'gemini-cli: rejectEmptySummary',
      'codex-local-0.53: shrinkSummaryRequest',
      'codex-local-0.79: shrinkSummaryRequest',
      'codex-local: shrinkSummaryRequest',
      'codex-remote: rejectEmptySummary',
      'codex-remote: shrinkSummaryRequest',
      'copilot-chat: rejectTruncatedSummary',
      'pi: ignoreStaleUsage',
      'pi-1.6: ignoreStaleUsage',
      'kimi-code-0.20: rejectEmptySummary',
      'kimi-code-0.30: rejectEmptySummary',
      'kimi-code: rejectEmptySummary',
      'goose: estimateMissingUsage',
      'goose: shrinkSummaryRequest',
      'continue-cli: shrinkSummaryRequest',
      'roo-code: rejectEmptySummary',
      'hermes: maxIneffective',
      'openhands: shrinkSummaryRequest',
      'openhands-240: shrinkSummaryRequest',
      'letta: shrinkSummaryRequest',
    ]);
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
