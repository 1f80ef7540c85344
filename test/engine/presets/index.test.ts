import { describe, expect, it } from 'vitest';
import {
  type ByAgeOptions,
  DEFAULT_BY_AGE,
  policies,
  type Policy,
  type PolicyName,
  pruneRules,
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

  it('never change, and can be compared side by side', () => {
    expect(tableOf(Object.values<Policy>(policies))).toMatchInlineSnapshot(`
      "
      preset                     overflow                checked       refused          newest    prune                                                                                                                                                                            view            cut                        prompts                    head                                   failure                            resume
      none                       document-002            -             stop, auto off   position  off                                                                                                                                                                              v1.0.69         everything                 v1.0.154/v1.0.123          markerInHead                           roll-back marker                   v1.0.69
      clairvoyant                v1.1.60                 after+before  compact          position  v1.0.190, clairvoyant                                                                                                                                                            v1.2.16         nothing                    v1.1.57/v1.1.57            stripMedia markerInHead                keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt wrapReplay explainRefusal
      random                     v1.1.60                 after+before  compact          position  v1.0.190, random                                                                                                                                                                 v1.2.16         nothing                    v1.1.57/v1.1.57            stripMedia markerInHead                keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt wrapReplay explainRefusal
      largest-first              v1.1.60                 after+before  compact          position  v1.0.190, largest-first                                                                                                                                                          v1.2.16         nothing                    v1.1.57/v1.1.57            stripMedia markerInHead                keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt wrapReplay explainRefusal
      least-recently-used        v1.1.60                 after+before  compact          position  v1.0.190, least-recently-used                                                                                                                                                    v1.2.16         nothing                    v1.1.57/v1.1.57            stripMedia markerInHead                keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt wrapReplay explainRefusal
      opencode-0.8               v0.8.0                  before        stop             position  off                                                                                                                                                                              v0.8.0          nothing                    v0.8.0/v0.8.0                                                     keep last-user                     none
      opencode-1.0.224           v0.8.0                  after+before  stop             position  v1.0.190                                                                                                                                                                         v1.0.69         nothing                    v1.0.154/v1.0.123          markerInHead                           keep last-user checksOwnUsage      v1.0.69
      opencode-1.1.23            v1.1.23                 after+before  stop             position  v1.0.190                                                                                                                                                                         v1.0.69         nothing                    v1.0.154/v1.0.123          markerInHead                           keep last-user checksOwnUsage      v1.0.69
      opencode-1.1.57            v1.1.57                 after+before  stop             position  v1.0.190                                                                                                                                                                         v1.0.69         nothing                    v1.1.57/v1.1.57            markerInHead                           keep last-user checksOwnUsage      v1.1.57
      opencode-1.2.16            v1.1.60                 after+before  compact          position  v1.0.190                                                                                                                                                                         v1.2.16         nothing                    v1.1.57/v1.1.57            stripMedia markerInHead                keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt wrapReplay explainRefusal
      opencode-1.14.19           v1.14.19                after+before  compact          position  off                                                                                                                                                                              v1.14.19        recent-turns 2 false 8000  v1.3.14/v1.3.7             stripMedia markerInHead                keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt wrapReplay explainRefusal
      opencode-1.14.21           v1.14.19                after+before  compact          position  off                                                                                                                                                                              v1.14.19        recent-turns 2 true 8000   v1.14.21/v1.14.21          stripMedia anchored markerInHead 2000  keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt wrapReplay explainRefusal
      opencode-1.14.40           v1.14.19                after+before  compact          position  off                                                                                                                                                                              v1.14.40        recent-turns 2 true 8000   v1.14.21/v1.14.21          stripMedia anchored markerInHead 2000  keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt wrapReplay explainRefusal
      opencode-1.15              v1.14.19                after+before  compact          time      off                                                                                                                                                                              v1.14.40        recent-turns 2 true 8000   v1.14.21/v1.14.21          stripMedia anchored markerInHead 2000  keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt wrapReplay explainRefusal
      opencode-1.16              v1.14.19                after+before  compact-if-auto  time      off                                                                                                                                                                              v1.14.40        recent-turns 2 true 8000   v1.14.21/v1.14.21          stripMedia anchored markerInHead 2000  keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt explainRefusal
      opencode-1.18              v1.14.19                after+before  compact-if-auto  time      off                                                                                                                                                                              v1.14.40        recent-turns 2 true 8000   v1.14.21/v1.17.15          stripMedia anchored markerInHead 2000  keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt explainRefusal
      opencode-2.0               v2.0                    before        compact-once     time      off                                                                                                                                                                              v2.0            checkpoint 15000           v2.0/v2.0                                                         roll-back marker overflowFinishes  none wrapReplay
      dcp                        v1.14.19                after+before  compact-if-auto  time      duplicates, superseded, failed-inputs                                                                                                                                            v1.14.40        recent-turns 2 true 8000   v1.14.21/v1.17.15          stripMedia anchored markerInHead 2000  keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt explainRefusal
      kilo                       v1.14.19                after+before  compact-if-auto  time      off                                                                                                                                                                              v1.14.40        recent-turns 2 true 8000   v1.14.21/v1.17.15          stripMedia anchored markerInHead 2000  keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt explainRefusal
      document-000               v1.1.23                 before        stop             position  summaryInGuard="pass" atCleared="next-message"                                                                                                                                   v1.0.69         nothing                    document-000/v1.0.123      markerInHead                           roll-back last-user                v1.0.69
      document-001               v1.1.57                 after         stop             position  minimumTokens=0 summaryInGuard="pass" atCleared="go-on", on-overflow                                                                                                             document-004    last-turns 1               v1.1.57/v1.1.57                                                   roll-back marker                   v1.1.57
      document-002               document-002            after         stop             position  summaryInGuard="stop"                                                                                                                                                            v1.0.69         nothing                    v1.0.154/v1.0.123          markerInHead                           roll-back marker                   v1.0.69
      document-003               v1.1.60                 after+before  compact-if-auto  position  guardTurns=0                                                                                                                                                                     v1.2.16         nothing                    v1.1.57/v1.1.57            stripMedia markerInHead                keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt explainRefusal
      document-004               document-004            after         stop             position  off                                                                                                                                                                              document-004    last-messages 10           document-004/document-004                                         roll-back marker                   none
      document-004-processor     document-004-processor  after         stop             position  off                                                                                                                                                                              document-004    last-messages 10           document-004/document-004                                         roll-back marker                   none
      rolling-window             document-004            -             stop, auto off   position  off                                                                                                                                                                              rolling-window  everything                 document-004/document-004                                         roll-back marker                   none
      selective-pruning          document-004            after         stop             position  all outputs, on-overflow                                                                                                                                                         v1.2.16         everything                 document-004/document-004                                         roll-back marker                   none
      external-memory            document-004            after         stop             position  off                                                                                                                                                                              v1.2.16         memory, 10 stay            document-004/document-004                                         roll-back marker                   none
      claude-code                claude-code             before        compact-if-auto  time      all but 5, idle                                                                                                                                                                  marker-first    nothing                    v2.0/claude-code                                                  roll-back marker overflowFinishes  none wrapReplay
      qwen-code                  qwen-code               before        compact-if-auto  time      all but 5, idle                                                                                                                                                                  marker-first    unanswered                 v2.0/qwen-code             stripMedia                             roll-back marker overflowFinishes  none wrapReplay
      gemini-cli                 gemini-cli              before        stop             time      protectTokens=50000 minimumTokens=29999 guardTurns=0 protectedTools=["activate_skill","ask_user","enter_plan_mode","exit_plan_mode"] skipNewestMessages=1 summaryInGuard="stop"  marker-first    last-share 0.3             v2.0/gemini-cli            anchored                               roll-back marker overflowFinishes  none wrapReplay
      codex-local                codex-local             before        compact-once     time      off                                                                                                                                                                              marker-first    user-messages 20000        v2.0/codex-local                                                  roll-back marker overflowFinishes  none wrapReplay
      pi                         pi                      after         compact-once     time      off                                                                                                                                                                              marker-first    recent-messages 20000      v2.0/pi                    anchored 2000                          roll-back marker overflowFinishes  none wrapReplay
      kimi-cli                   kimi-cli                before        stop             time      off                                                                                                                                                                              marker-first    newest-messages 2          v2.0/kimi-cli                                                     roll-back marker overflowFinishes  none wrapReplay
      crush                      crush                   after         stop             time      off                                                                                                                                                                              marker-first    nothing                    v2.0/crush                                                        roll-back marker overflowFinishes  crush wrapReplay onlyMidTurn
      goose                      goose                   before        compact-once     time      off                                                                                                                                                                              marker-first    unanswered                 v2.0/goose                                                        roll-back marker overflowFinishes  none replayRefusedPrompt
      anthropic-compact          anthropic-compact       before        stop             time      off                                                                                                                                                                              marker-first    nothing                    v2.0/anthropic-compact                                            roll-back marker overflowFinishes  none wrapReplay
      anthropic-clear-tool-uses  above-100k              before        stop             time      all but 3, on-overflow                                                                                                                                                           marker-first    everything                 v2.0/v2.0                                                         roll-back marker overflowFinishes  none wrapReplay
      langchain-clear-tool-uses  above-100k              before        stop             time      all but 3, on-overflow                                                                                                                                                           marker-first    everything                 v2.0/v2.0                                                         roll-back marker overflowFinishes  none wrapReplay
      vercel-prune-messages      above-100k              before        stop             time      calls and thoughts by message, on-overflow                                                                                                                                       marker-first    everything                 v2.0/v2.0                                                         roll-back marker overflowFinishes  none wrapReplay
      verdict-scored             above-100k              before        stop             time      by size-and-age, on-overflow                                                                                                                                                     marker-first    everything                 v2.0/v2.0                                                         roll-back marker overflowFinishes  none wrapReplay
      last-n-observations        v2.0                    -             stop, auto off   time      all but 10, before-request                                                                                                                                                       marker-first    everything                 v2.0/v2.0                                                         roll-back marker overflowFinishes  none wrapReplay
      "
    `);
  });

  it('never change in any number: a correction is a new name', () => {
    const hashes = Object.entries<Policy>(policies).map(([name, policy]) => {
      const { describes: _, source: __, ...rules } = policy;
      const { form: ___, length: ____, ...summary } = rules.summary;
      const breaks = rules.breaks.map(({ law }) => law);
      return [name, contentHash({ ...rules, summary, breaks }).slice(0, 16)] as const;
    });
    expect(Object.fromEntries(hashes)).toMatchInlineSnapshot(`
      {
        "anthropic-clear-tool-uses": "a9f799d31026b42e",
        "anthropic-compact": "c2acbae69f261e4b",
        "clairvoyant": "dc9c4fd66c5b848a",
        "claude-code": "fdcecc3351b86fcf",
        "codex-local": "5515c4286d913382",
        "crush": "6912224a6f365607",
        "dcp": "8da6de3a8a016ad5",
        "document-000": "0fd515f04557cd50",
        "document-001": "725578bd88bcff2e",
        "document-002": "a362ac21df5d0c21",
        "document-003": "e348c63ad9d70ce2",
        "document-004": "97b5babc4a48d28f",
        "document-004-processor": "231766565fc5524f",
        "external-memory": "f089a1b00209cc8b",
        "gemini-cli": "8fefc23f081d3629",
        "goose": "4f100a23cde9e56b",
        "kilo": "e41cef3eb7e41313",
        "kimi-cli": "d3e45a8b07c2d23f",
        "langchain-clear-tool-uses": "50bed51eb60a0165",
        "largest-first": "744f366e6530b73d",
        "last-n-observations": "501d3ca8b3188be3",
        "least-recently-used": "52ce7b6a73419365",
        "none": "4527469e63a9caed",
        "opencode-0.8": "ede17b34697d06ba",
        "opencode-1.0.224": "d91d8ef87144c8d0",
        "opencode-1.1.23": "8f1e4bf73d4b88da",
        "opencode-1.1.57": "9d6d8553cf6f8cb4",
        "opencode-1.14.19": "10d28791eb0c8702",
        "opencode-1.14.21": "26c77da453a37eaa",
        "opencode-1.14.40": "2a552b0737ebf857",
        "opencode-1.15": "8a13ca7d8c2f57a8",
        "opencode-1.16": "48c1932a113c67be",
        "opencode-1.18": "e70d7168cc92595f",
        "opencode-1.2.16": "c44d6a3505d14741",
        "opencode-2.0": "a1c7ce047eef5fac",
        "pi": "81fa761ac154d038",
        "qwen-code": "33e0e0fc1226efca",
        "random": "e0bcdf3a174bfe02",
        "rolling-window": "0d339ab03e9946c7",
        "selective-pruning": "cae54d5c6e526814",
        "vercel-prune-messages": "959875af20cf0203",
        "verdict-scored": "3b9141e2ecd1541e",
      }
    `);
  });

  it('ask for summaries as was observed, and as long ones as were recorded', () => {
    const usual = 'fresh, 2000';
    const others = Object.entries<Policy>(policies).flatMap(([name, { summary }]) => {
      const { kind, ...flags } = summary.form;
      const asked = `${[kind, ...flagsOf(flags)].join(' ')}, ${summary.length.tokens}`;
      return asked === usual ? [] : [`${name}: ${asked}`];
    });
    expect(others).toEqual([
      'opencode-2.0: extends tools, 2000',
      'claude-code: extends tools, 2600',
      'qwen-code: extends tools, 2000',
      'gemini-cli: fresh verifies, 2000',
      'pi: flattened, 1040',
      'kimi-cli: extends tools, 2000',
      'goose: flattened, 2000',
      'anthropic-compact: fresh, 2400',
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
    expect(numbers.filter(([, ...rest]) => rest.join() !== usual.join())).toEqual([
      ['document-001', 32_000, 40_000, 0, 'ceil(chars / 4)'],
      ['selective-pruning', 32_000, 0, 0, 'round(chars / 4)'],
      ['claude-code', 32_000, 0, 0, 'ceil(chars / 3)'],
      ['qwen-code', 32_000, 0, 0, 'ceil(chars / 4)'],
      ['gemini-cli', 32_000, 50_000, 29_999, 'round(chars / 4)'],
      ['codex-local', 32_000, 0, 0, 'ceil(chars / 4)'],
      ['pi', 32_000, 0, 0, 'round(chars / 4)'],
      ['kimi-cli', 32_000, 0, 0, 'round(chars / 4)'],
      ['crush', 32_000, 0, 0, 'round(chars / 4)'],
      ['goose', 32_000, 0, 0, 'round(chars / 4)'],
      ['anthropic-compact', 32_000, 0, 0, 'round(chars / 4)'],
      ['anthropic-clear-tool-uses', 32_000, 0, 0, 'round(chars / 4)'],
      ['langchain-clear-tool-uses', 32_000, 0, 0, 'ceil(chars / 4)'],
      ['vercel-prune-messages', 32_000, 0, 0, 'round(chars / 4)'],
      ['verdict-scored', 32_000, 0, 0, 'round(chars / 4)'],
      ['last-n-observations', 32_000, 0, 0, 'round(chars / 4)'],
    ]);
  });

  it('guard against nothing, but for the 2.0 engine and other agents', () => {
    const guarded = Object.entries<Policy>(policies).flatMap(([name, { guards }]) =>
      Object.entries(guards)
        .filter(([, value]) => value !== false && value !== 0)
        .map(([guard]) => `${name}: ${guard}`),
    );
    expect(guarded).toEqual([
      'opencode-2.0: rejectEmptySummary',
      'opencode-2.0: rejectTruncatedSummary',
      'opencode-2.0: remindMissingHeadings',
      'claude-code: maxRefilled',
      'claude-code: maxFailures',
      'claude-code: shrinkSummaryRequest',
      'qwen-code: rejectLargerSummary',
      'qwen-code: rejectEmptySummary',
      'qwen-code: rejectTruncatedSummary',
      'qwen-code: maxFailures',
      'gemini-cli: rejectLargerSummary',
      'gemini-cli: rejectEmptySummary',
      'codex-local: shrinkSummaryRequest',
      'pi: ignoreStaleUsage',
      'goose: estimateMissingUsage',
      'goose: shrinkSummaryRequest',
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
  const checked = [trigger.afterStep && 'after', trigger.beforeRequest && 'before'];
  return [
    trigger.overflow,
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
  return [keep, ...Object.values(rest).map(String)].join(' ');
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
