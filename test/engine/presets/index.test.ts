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

  it('never change, and can be compared side by side', () => {
    expect(tableOf(Object.values<Policy>(policies))).toMatchInlineSnapshot(`
      "
      preset                    overflow                                         checked       refused          newest    prune                                                                                                                                                                            view            cut                                                                                         prompts                    head                                   failure                            resume
      none                      document-002                                     -             stop, auto off   position  off                                                                                                                                                                              v1.0.69         everything                                                                                  v1.0.154/v1.0.123          markerInHead                           roll-back marker                   v1.0.69
      clairvoyant               v1.1.60                                          after+before  compact          position  v1.0.190, clairvoyant                                                                                                                                                            v1.2.16         nothing                                                                                     v1.1.57/v1.1.57            stripMedia markerInHead                keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt wrapReplay explainRefusal
      random                    v1.1.60                                          after+before  compact          position  v1.0.190, random                                                                                                                                                                 v1.2.16         nothing                                                                                     v1.1.57/v1.1.57            stripMedia markerInHead                keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt wrapReplay explainRefusal
      largest-first             v1.1.60                                          after+before  compact          position  v1.0.190, largest-first                                                                                                                                                          v1.2.16         nothing                                                                                     v1.1.57/v1.1.57            stripMedia markerInHead                keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt wrapReplay explainRefusal
      least-recently-used       v1.1.60                                          after+before  compact          position  v1.0.190, least-recently-used                                                                                                                                                    v1.2.16         nothing                                                                                     v1.1.57/v1.1.57            stripMedia markerInHead                keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt wrapReplay explainRefusal
      opencode-0.8              v0.8.0                                           before        stop             position  off                                                                                                                                                                              v0.8.0          nothing                                                                                     v0.8.0/v0.8.0                                                     keep last-user                     none
      opencode-1.0.224          v0.8.0                                           after+before  stop             position  v1.0.190                                                                                                                                                                         v1.0.69         nothing                                                                                     v1.0.154/v1.0.123          markerInHead                           keep last-user checksOwnUsage      v1.0.69
      opencode-1.1.23           v1.1.23                                          after+before  stop             position  v1.0.190                                                                                                                                                                         v1.0.69         nothing                                                                                     v1.0.154/v1.0.123          markerInHead                           keep last-user checksOwnUsage      v1.0.69
      opencode-1.1.57           v1.1.57                                          after+before  stop             position  v1.0.190                                                                                                                                                                         v1.0.69         nothing                                                                                     v1.1.57/v1.1.57            markerInHead                           keep last-user checksOwnUsage      v1.1.57
      opencode-1.2.16           v1.1.60                                          after+before  compact          position  v1.0.190                                                                                                                                                                         v1.2.16         nothing                                                                                     v1.1.57/v1.1.57            stripMedia markerInHead                keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt wrapReplay explainRefusal
      opencode-1.14.19          v1.14.19                                         after+before  compact          position  off                                                                                                                                                                              v1.14.19        recent-turns 2 false 8000                                                                   v1.3.14/v1.3.7             stripMedia markerInHead                keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt wrapReplay explainRefusal
      opencode-1.14.21          v1.14.19                                         after+before  compact          position  off                                                                                                                                                                              v1.14.19        recent-turns 2 true 8000                                                                    v1.14.21/v1.14.21          stripMedia anchored markerInHead 2000  keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt wrapReplay explainRefusal
      opencode-1.14.40          v1.14.19                                         after+before  compact          position  off                                                                                                                                                                              v1.14.40        recent-turns 2 true 8000                                                                    v1.14.21/v1.14.21          stripMedia anchored markerInHead 2000  keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt wrapReplay explainRefusal
      opencode-1.15             v1.14.19                                         after+before  compact          time      off                                                                                                                                                                              v1.14.40        recent-turns 2 true 8000                                                                    v1.14.21/v1.14.21          stripMedia anchored markerInHead 2000  keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt wrapReplay explainRefusal
      opencode-1.16             v1.14.19                                         after+before  compact-if-auto  time      off                                                                                                                                                                              v1.14.40        recent-turns 2 true 8000                                                                    v1.14.21/v1.14.21          stripMedia anchored markerInHead 2000  keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt explainRefusal
      opencode-1.18             v1.14.19                                         after+before  compact-if-auto  time      off                                                                                                                                                                              v1.14.40        recent-turns 2 true 8000                                                                    v1.14.21/v1.17.15          stripMedia anchored markerInHead 2000  keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt explainRefusal
      opencode-2.0              v2.0                                             before        compact-once     time      off                                                                                                                                                                              v2.0            checkpoint 15000                                                                            v2.0/v2.0                                                         roll-back marker overflowFinishes  none wrapReplay
      dcp                       v1.14.19                                         after+before  compact-if-auto  time      duplicates, superseded, failed-inputs                                                                                                                                            v1.14.40        recent-turns 2 true 8000                                                                    v1.14.21/v1.17.15          stripMedia anchored markerInHead 2000  keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt explainRefusal
      kilo                      v1.14.19                                         after+before  compact-if-auto  time      off                                                                                                                                                                              v1.14.40        recent-turns 2 true 8000                                                                    v1.14.21/v1.17.15          stripMedia anchored markerInHead 2000  keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt explainRefusal
      document-000              v1.1.23                                          before        stop             position  summaryInGuard="pass" atCleared="next-message"                                                                                                                                   v1.0.69         nothing                                                                                     document-000/v1.0.123      markerInHead                           roll-back last-user                v1.0.69
      document-001              v1.1.57                                          after         stop             position  minimumTokens=0 summaryInGuard="pass" atCleared="go-on", on-overflow                                                                                                             document-004    last-turns 1                                                                                v1.1.57/v1.1.57                                                   roll-back marker                   v1.1.57
      document-002              document-002                                     after         stop             position  summaryInGuard="stop"                                                                                                                                                            v1.0.69         nothing                                                                                     v1.0.154/v1.0.123          markerInHead                           roll-back marker                   v1.0.69
      document-003              v1.1.60                                          after+before  compact-if-auto  position  guardTurns=0                                                                                                                                                                     v1.2.16         nothing                                                                                     v1.1.57/v1.1.57            stripMedia markerInHead                keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt explainRefusal
      document-004              document-004                                     after         stop             position  off                                                                                                                                                                              document-004    last-messages 10                                                                            document-004/document-004                                         roll-back marker                   none
      document-004-processor    document-004-processor                           after         stop             position  off                                                                                                                                                                              document-004    last-messages 10                                                                            document-004/document-004                                         roll-back marker                   none
      rolling-window            document-004                                     -             stop, auto off   position  off                                                                                                                                                                              rolling-window  everything                                                                                  document-004/document-004                                         roll-back marker                   none
      selective-pruning         document-004                                     after         stop             position  all outputs, on-overflow                                                                                                                                                         v1.2.16         everything                                                                                  document-004/document-004                                         roll-back marker                   none
      external-memory           document-004                                     after         stop             position  off                                                                                                                                                                              v1.2.16         memory, 10 stay                                                                             document-004/document-004                                         roll-back marker                   none
      claude-code               claude-code                                      before        compact-if-auto  time      all but 5, idle                                                                                                                                                                  marker-first    nothing                                                                                     v2.0/claude-code                                                  roll-back marker overflowFinishes  none wrapReplay
      qwen-code                 qwen-code                                        before        compact-if-auto  time      all but 5, idle                                                                                                                                                                  marker-first    unanswered                                                                                  v2.0/qwen-code             stripMedia                             roll-back marker overflowFinishes  none wrapReplay
      gemini-cli                gemini-cli                                       before        stop             time      protectTokens=50000 minimumTokens=29999 guardTurns=0 protectedTools=["activate_skill","ask_user","enter_plan_mode","exit_plan_mode"] skipNewestMessages=1 summaryInGuard="stop"  marker-first    last-share 0.3                                                                              v2.0/gemini-cli            anchored                               roll-back marker overflowFinishes  none wrapReplay
      codex-local               codex-local                                      before        compact-once     time      off                                                                                                                                                                              marker-first    user-messages 20000                                                                         v2.0/codex-local                                                  roll-back marker overflowFinishes  none wrapReplay
      pi                        pi                                               after         compact-once     time      off                                                                                                                                                                              marker-first    recent-messages 20000                                                                       v2.0/pi                    anchored 2000                          roll-back marker overflowFinishes  none wrapReplay
      kimi-cli                  kimi-cli                                         before        stop             time      off                                                                                                                                                                              marker-first    newest-messages 2                                                                           v2.0/kimi-cli                                                     roll-back marker overflowFinishes  none wrapReplay
      crush                     crush                                            after         stop             time      off                                                                                                                                                                              marker-first    nothing                                                                                     v2.0/crush                                                        roll-back marker overflowFinishes  crush wrapReplay onlyMidTurn
      goose                     goose                                            before        compact-once     time      off                                                                                                                                                                              marker-first    unanswered                                                                                  v2.0/goose                                                        roll-back marker overflowFinishes  none replayRefusedPrompt
      anthropic-compact         anthropic-compact                                before        stop             time      off                                                                                                                                                                              marker-first    nothing                                                                                     v2.0/anthropic-compact                                            roll-back marker overflowFinishes  none wrapReplay
      last-n-observations       v2.0                                             -             stop, auto off   time      all but 10, before-request                                                                                                                                                       marker-first    everything                                                                                  v2.0/v2.0                                                         roll-back marker overflowFinishes  none wrapReplay
      openai-compact            window, 200000 tokens                            before        stop             time      off                                                                                                                                                                              marker-first    nothing                                                                                     v2.0/plain                                                        roll-back marker overflowFinishes  none wrapReplay
      mimo-code                 mimo-code                                        after+before  compact-if-auto  time      media, reasoning                                                                                                                                                                 v1.14.40        recent-turns 2 true 8000                                                                    v1.14.21/v1.17.15          stripMedia anchored markerInHead 2000  keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt explainRefusal
      continue-cli              continue-cli                                     before        stop             time      off                                                                                                                                                                              marker-first    nothing                                                                                     v2.0/plain                                                        roll-back marker overflowFinishes  none wrapReplay
      roo-code                  roo-code                                         before        compact-once     time      off                                                                                                                                                                              marker-first    nothing                                                                                     v2.0/claude-code                                                  roll-back marker overflowFinishes  none wrapReplay
      hermes                    hermes                                           before        compact-once     time      off                                                                                                                                                                              marker-first    ends messages 2 [{"of":"messages","count":20},{"of":"usable","share":0.2}] stays            v2.0/v1.14.21              anchored                               roll-back marker overflowFinishes  none wrapReplay
      aider                     aider, messages                                  after         stop             time      off                                                                                                                                                                              marker-first    ends messages 0 [{"of":"usable","share":0.5}] goes prompt                                   v2.0/aider                                                        roll-back marker overflowFinishes  none wrapReplay
      copilot-chat              window, 0.8075                                   before        stop             time      off                                                                                                                                                                              marker-first    unanswered                                                                                  v2.0/plain                                                        roll-back marker overflowFinishes  none wrapReplay
      langchain                 window, 0.8 share                                before        stop             time      off                                                                                                                                                                              marker-first    ends messages 0 [{"of":"messages","count":20}] stays                                        v2.0/langchain                                                    roll-back marker overflowFinishes  none wrapReplay
      langchain-messages        window, 50 messages                              before        stop             time      off                                                                                                                                                                              marker-first    ends messages 0 [{"of":"messages","count":20}] stays                                        v2.0/langchain                                                    roll-back marker overflowFinishes  none wrapReplay
      langchain-clauses         window, 100000 tokens + 40 messages | 0.8 share  before        stop             time      off                                                                                                                                                                              marker-first    ends messages 0 [{"of":"messages","count":20}] stays                                        v2.0/langchain                                                    roll-back marker overflowFinishes  none wrapReplay
      deepagents                window, 0.85 share                               before        compact-once     time      off                                                                                                                                                                              marker-first    ends messages 0 [{"of":"window","share":0.1}] goes                                          v2.0/langchain                                                    roll-back marker overflowFinishes  none wrapReplay
      deepagents-unknown-model  window, 170000 tokens + 7 messages               before        compact-once     time      off                                                                                                                                                                              marker-first    ends messages 0 [{"of":"messages","count":6}] stays                                         v2.0/langchain                                                    roll-back marker overflowFinishes  none wrapReplay
      openhands                 above-input-cap, 81 events | usable              before        compact-once     time      off                                                                                                                                                                              marker-first    ends events 4 [{"of":"events","count":35}] goes                                             v2.0/openhands             anchored 10000                         roll-back marker overflowFinishes  none wrapReplay
      openhands-240             above-input-cap, 241 events | usable             before        compact-once     time      off                                                                                                                                                                              marker-first    ends events 2 [{"of":"events","count":117}] goes                                            v2.0/openhands             anchored 10000                         roll-back marker overflowFinishes  none wrapReplay
      openhands-amortized       window, 101 events                               before        stop             time      off                                                                                                                                                                              marker-first    ends events 1 [{"of":"events","count":49}] goes                                             v2.0/v2.0                                                         roll-back marker overflowFinishes  none wrapReplay
      openhands-masking         v2.0                                             -             stop, auto off   time      protectTokens=0 minimumTokens=0 guardTurns=0 protectedTools=[] skipNewestMessages=50, before-request                                                                             marker-first    everything                                                                                  v2.0/v2.0                                                         roll-back marker overflowFinishes  none wrapReplay
      letta                     above-window, 0.9                                before        compact-once     time      off                                                                                                                                                                              marker-first    ends messages 0 [{"of":"all","share":0.7}] goes answer {"step":0.1,"untilWindowShare":0.7}  v2.0/letta                                                        roll-back marker overflowFinishes  none wrapReplay
      mastra                    window, since-summary, 30000 tokens              before        stop             time      off                                                                                                                                                                              marker-first    ends messages 0 [{"of":"tokens","count":6000}] goes                                         v2.0/mastra                anchored                               roll-back marker overflowFinishes  none wrapReplay
      strands                   window, 41 messages                              after         compact-once     time      off                                                                                                                                                                              marker-first    ends messages 0 [{"of":"messages","count":40}] goes                                         v2.0/v2.0                                                         roll-back marker overflowFinishes  none wrapReplay
      inspect-edit              above-window, 0.9                                before        stop             time      all but 3, on-overflow                                                                                                                                                           marker-first    everything                                                                                  v2.0/v2.0                                                         roll-back marker overflowFinishes  none wrapReplay
      inspect-trim              above-window, 0.9                                before        stop             time      off                                                                                                                                                                              marker-first    ends messages 1 [{"of":"all","share":0.8}] goes                                             v2.0/v2.0                                                         roll-back marker overflowFinishes  none wrapReplay
      docker-agent              window, 0.9                                      before        stop             time      off                                                                                                                                                                              marker-first    nothing                                                                                     v2.0/plain                                                        roll-back marker overflowFinishes  none wrapReplay
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
        "aider": "7629651bc4a8a714",
        "anthropic-compact": "c2acbae69f261e4b",
        "clairvoyant": "dc9c4fd66c5b848a",
        "claude-code": "fdcecc3351b86fcf",
        "codex-local": "5515c4286d913382",
        "continue-cli": "075ca1bdf6ab8eda",
        "copilot-chat": "1bd960eb07aa84e5",
        "crush": "6912224a6f365607",
        "dcp": "8da6de3a8a016ad5",
        "deepagents": "716426d61cf81f0c",
        "deepagents-unknown-model": "6a41ba94559acd3b",
        "docker-agent": "9872fe1b321c90a3",
        "document-000": "0fd515f04557cd50",
        "document-001": "725578bd88bcff2e",
        "document-002": "a362ac21df5d0c21",
        "document-003": "e348c63ad9d70ce2",
        "document-004": "97b5babc4a48d28f",
        "document-004-processor": "231766565fc5524f",
        "external-memory": "f089a1b00209cc8b",
        "gemini-cli": "8fefc23f081d3629",
        "goose": "4f100a23cde9e56b",
        "hermes": "c8706fa04c17f8d1",
        "inspect-edit": "7d16e9d18cabf266",
        "inspect-trim": "d7e3515b2154d8b8",
        "kilo": "e41cef3eb7e41313",
        "kimi-cli": "d3e45a8b07c2d23f",
        "langchain": "6abafa6d7a4455a8",
        "langchain-clauses": "a4525030099b3879",
        "langchain-messages": "37a36fbf6ea21888",
        "largest-first": "744f366e6530b73d",
        "last-n-observations": "501d3ca8b3188be3",
        "least-recently-used": "52ce7b6a73419365",
        "letta": "c78b80371770f90e",
        "mastra": "b866a9b878300744",
        "mimo-code": "2d8b4042570d95d0",
        "none": "4527469e63a9caed",
        "openai-compact": "276945ae96d06391",
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
        "openhands": "f4a6ee5edaf61495",
        "openhands-240": "0af0743962647ebd",
        "openhands-amortized": "b5f0999429e07170",
        "openhands-masking": "a0c0beba6b2205e2",
        "pi": "81fa761ac154d038",
        "qwen-code": "33e0e0fc1226efca",
        "random": "e0bcdf3a174bfe02",
        "rolling-window": "0d339ab03e9946c7",
        "roo-code": "0d70268c693fb54c",
        "selective-pruning": "cae54d5c6e526814",
        "strands": "284658d3421c2eb7",
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
      ['document-001', 32_000, 40_000, 0, 'ceil(chars / 4)'],
      ['claude-code', 32_000, 0, 0, 'ceil(chars / 3)'],
      ['qwen-code', 32_000, 0, 0, 'ceil(chars / 4)'],
      ['gemini-cli', 32_000, 50_000, 29_999, 'round(chars / 4)'],
      ['codex-local', 32_000, 0, 0, 'ceil(chars / 4)'],
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
      'continue-cli: shrinkSummaryRequest',
      'roo-code: rejectEmptySummary',
      'hermes: maxIneffective',
      'copilot-chat: rejectTruncatedSummary',
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
  const checked = [trigger.afterStep && 'after', trigger.beforeRequest && 'before'];
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
