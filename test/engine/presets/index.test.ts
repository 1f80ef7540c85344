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
      preset                  overflow                checked       refused          newest    prune                                                                                                                                                                            view            cut                        prompts                    head                                   failure                            resume
      none                    document-002            -             stop, auto off   position  off                                                                                                                                                                              v1.0.69         everything                 v1.0.154/v1.0.123          markerInHead                           roll-back marker                   v1.0.69
      clairvoyant             v1.1.60                 after+before  compact          position  v1.0.190, clairvoyant                                                                                                                                                            v1.2.16         nothing                    v1.1.57/v1.1.57            stripMedia markerInHead                keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt wrapQueued explainRefusal
      random                  v1.1.60                 after+before  compact          position  v1.0.190, random                                                                                                                                                                 v1.2.16         nothing                    v1.1.57/v1.1.57            stripMedia markerInHead                keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt wrapQueued explainRefusal
      largest-first           v1.1.60                 after+before  compact          position  v1.0.190, largest-first                                                                                                                                                          v1.2.16         nothing                    v1.1.57/v1.1.57            stripMedia markerInHead                keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt wrapQueued explainRefusal
      least-recently-used     v1.1.60                 after+before  compact          position  v1.0.190, least-recently-used                                                                                                                                                    v1.2.16         nothing                    v1.1.57/v1.1.57            stripMedia markerInHead                keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt wrapQueued explainRefusal
      opencode-0.8            v0.8.0                  before        stop             position  off                                                                                                                                                                              v0.8.0          nothing                    v0.8.0/v0.8.0                                                     keep last-user                     none
      opencode-0.9.5          v0.8.0                  before        stop             position  v0.9.5                                                                                                                                                                           v0.8.0          nothing                    v0.8.0/v0.8.0                                                     keep last-user                     none
      opencode-0.9.9          v0.8.0                  before        stop             position  v0.9.9                                                                                                                                                                           v0.8.0          nothing                    v0.8.0/v0.8.0                                                     keep last-user                     none
      opencode-0.10           v0.8.0                  before        stop             position  v0.9.9                                                                                                                                                                           v0.8.0          nothing                    v0.8.0/v0.8.0                                                     keep last-user                     v0.10.0
      opencode-1.0.62         v0.8.0                  before        stop             position  v0.9.9                                                                                                                                                                           v0.8.0          nothing                    v0.8.0/v0.8.0                                                     keep last-user                     v0.10.0
      opencode-1.0.69         v0.8.0                  before        stop             position  v0.9.9                                                                                                                                                                           v1.0.69         nothing                    v0.8.0/v0.8.0              markerInHead                           keep last-user checksOwnUsage      v1.0.69
      opencode-1.0.123        v0.8.0                  before        stop             position  v0.9.9                                                                                                                                                                           v1.0.69         nothing                    v0.8.0/v1.0.123            markerInHead                           keep last-user checksOwnUsage      v1.0.69
      opencode-1.0.154        v0.8.0                  before        stop             position  v1.0.190                                                                                                                                                                         v1.0.69         nothing                    v1.0.154/v1.0.123          markerInHead                           keep last-user checksOwnUsage      v1.0.69
      opencode-1.0.224        v0.8.0                  after+before  stop             position  v1.0.190                                                                                                                                                                         v1.0.69         nothing                    v1.0.154/v1.0.123          markerInHead                           keep last-user checksOwnUsage      v1.0.69 wrapQueued
      opencode-1.1.23         v1.1.23                 after+before  stop             position  v1.0.190                                                                                                                                                                         v1.0.69         nothing                    v1.0.154/v1.0.123          markerInHead                           keep last-user checksOwnUsage      v1.0.69 wrapQueued
      opencode-1.1.37         v1.1.23                 after+before  stop             position  v1.0.190                                                                                                                                                                         v1.0.69         nothing                    v1.0.154/v1.0.123          markerInHead                           keep last-user checksOwnUsage      v1.0.69 wrapQueued
      opencode-1.1.54         v1.1.23                 after+before  stop             position  v1.0.190                                                                                                                                                                         v1.0.69         nothing                    v1.0.154/v1.0.123          markerInHead                           keep last-user checksOwnUsage      v1.0.69 wrapQueued
      opencode-1.1.57         v1.1.57                 after+before  stop             position  v1.0.190                                                                                                                                                                         v1.0.69         nothing                    v1.1.57/v1.1.57            markerInHead                           keep last-user checksOwnUsage      v1.1.57 wrapQueued
      opencode-1.1.60         v1.1.60                 after+before  stop             position  v1.0.190                                                                                                                                                                         v1.0.69         nothing                    v1.1.57/v1.1.57            markerInHead                           keep last-user checksOwnUsage      v1.1.57 wrapQueued
      opencode-1.2.16         v1.1.60                 after+before  compact          position  v1.0.190                                                                                                                                                                         v1.2.16         nothing                    v1.1.57/v1.1.57            stripMedia markerInHead                keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt wrapQueued explainRefusal
      opencode-1.3.0          v1.1.60                 after+before  compact          position  v1.0.190                                                                                                                                                                         v1.2.16         nothing                    v1.1.57/v1.1.57            stripMedia markerInHead                keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt wrapQueued explainRefusal
      opencode-1.3.4          v1.1.60                 after+before  compact          position  v1.0.190                                                                                                                                                                         v1.2.16         nothing                    v1.1.57/v1.1.57            stripMedia markerInHead                keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt wrapQueued explainRefusal
      opencode-1.3.6          v1.1.60                 after+before  compact          position  v1.0.190                                                                                                                                                                         v1.2.16         nothing                    v1.3.14/v1.3.7             stripMedia markerInHead                keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt wrapQueued explainRefusal
      opencode-1.3.16         v1.1.60                 after+before  compact          position  v1.0.190                                                                                                                                                                         v1.2.16         nothing                    v1.3.14/v1.3.7             stripMedia markerInHead                keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt wrapQueued explainRefusal
      opencode-1.14.19        v1.14.19                after+before  compact          position  off                                                                                                                                                                              v1.14.19        recent-turns 2 false 8000  v1.3.14/v1.3.7             stripMedia markerInHead                keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt wrapQueued explainRefusal
      opencode-1.14.21        v1.14.19                after+before  compact          position  off                                                                                                                                                                              v1.14.19        recent-turns 2 true 8000   v1.14.21/v1.14.21          stripMedia anchored markerInHead 2000  keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt wrapQueued explainRefusal
      opencode-1.14.40        v1.14.19                after+before  compact          position  off                                                                                                                                                                              v1.14.40        recent-turns 2 true 8000   v1.14.21/v1.14.21          stripMedia anchored markerInHead 2000  keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt wrapQueued explainRefusal
      opencode-1.15           v1.14.19                after+before  compact          time      off                                                                                                                                                                              v1.14.40        recent-turns 2 true 8000   v1.14.21/v1.14.21          stripMedia anchored markerInHead 2000  keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt wrapQueued explainRefusal
      opencode-1.16           v1.14.19                after+before  compact-if-auto  time      off                                                                                                                                                                              v1.14.40        recent-turns 2 true 8000   v1.14.21/v1.14.21          stripMedia anchored markerInHead 2000  keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt explainRefusal
      opencode-1.17.13        v1.14.19                after+before  compact-if-auto  time      off                                                                                                                                                                              v1.14.40        recent-turns 2 true 8000   v1.14.21/v1.17.13          stripMedia anchored markerInHead 2000  keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt explainRefusal
      opencode-1.17.15        v1.14.19                after+before  compact-if-auto  time      off                                                                                                                                                                              v1.14.40        recent-turns 2 true 8000   v1.14.21/v1.17.15          stripMedia anchored markerInHead 2000  keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt explainRefusal
      opencode-1.18           v1.14.19                after+before  compact-if-auto  time      off                                                                                                                                                                              v1.14.40        recent-turns 2 true 8000   v1.14.21/v1.17.15          stripMedia anchored markerInHead 2000  keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt explainRefusal
      opencode-1.18.15        v1.14.19                after+before  compact-if-auto  time      off                                                                                                                                                                              v1.14.40        recent-turns 2 true 8000   v1.14.21/v1.17.15          stripMedia anchored markerInHead 2000  keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt explainRefusal
      opencode-1.18.17        v1.14.19                after+before  compact-if-auto  time      off                                                                                                                                                                              v1.14.40        recent-turns true 15000    v1.14.21/v1.18.17          stripMedia anchored markerInHead 2000  keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt explainRefusal
      opencode-2.0.0          v2.0                    before        compact-once     time      off                                                                                                                                                                              v2.0            checkpoint 15000           v2.0/v2.0                                                         roll-back marker overflowFinishes  none
      opencode-2.0            v2.0                    before        compact-once     time      off                                                                                                                                                                              v2.0            checkpoint 15000           v2.0/v2.0                                                         roll-back marker overflowFinishes  none
      dcp                     v1.14.19                after+before  compact-if-auto  time      duplicates, superseded, failed-inputs                                                                                                                                            v1.14.40        recent-turns 2 true 8000   v1.14.21/v1.17.15          stripMedia anchored markerInHead 2000  keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt explainRefusal
      kilo                    v1.14.19                after+before  compact-if-auto  time      off                                                                                                                                                                              v1.14.40        recent-turns 2 true 8000   v1.14.21/v1.17.15          stripMedia anchored markerInHead 2000  keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt explainRefusal
      document-000            v1.1.23                 before        stop             position  summaryInGuard="pass" atCleared="next-message"                                                                                                                                   v1.0.69         nothing                    document-000/v1.0.123      markerInHead                           roll-back last-user                v1.0.69
      document-001            v1.1.57                 after         stop             position  minimumTokens=0 summaryInGuard="pass" atCleared="go-on", on-overflow                                                                                                             document-004    last-turns 1               v1.1.57/v1.1.57                                                   roll-back marker                   v1.1.57
      document-002            document-002            after         stop             position  summaryInGuard="stop"                                                                                                                                                            v1.0.69         nothing                    v1.0.154/v1.0.123          markerInHead                           roll-back marker                   v1.0.69
      document-003            v1.1.60                 after+before  compact-if-auto  position  guardTurns=0                                                                                                                                                                     v1.2.16         nothing                    v1.1.57/v1.1.57            stripMedia markerInHead                keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt explainRefusal
      document-004            document-004            after         stop             position  off                                                                                                                                                                              document-004    last-messages 10           document-004/document-004                                         roll-back marker                   none
      document-004-processor  document-004-processor  after         stop             position  off                                                                                                                                                                              document-004    last-messages 10           document-004/document-004                                         roll-back marker                   none
      rolling-window          document-004            -             stop, auto off   position  off                                                                                                                                                                              rolling-window  everything                 document-004/document-004                                         roll-back marker                   none
      selective-pruning       document-004            after         stop             position  all outputs, on-overflow                                                                                                                                                         v1.2.16         everything                 document-004/document-004                                         roll-back marker                   none
      external-memory         document-004            after         stop             position  off                                                                                                                                                                              v1.2.16         memory, 10 stay            document-004/document-004                                         roll-back marker                   none
      claude-code             claude-code             before        compact-if-auto  time      all but 5, idle                                                                                                                                                                  marker-first    nothing                    v2.0/claude-code                                                  roll-back marker overflowFinishes  none
      qwen-code               qwen-code               before        compact-if-auto  time      all but 5, idle                                                                                                                                                                  marker-first    unanswered                 v2.0/qwen-code             stripMedia                             roll-back marker overflowFinishes  none
      gemini-cli              gemini-cli              before        stop             time      protectTokens=50000 minimumTokens=29999 guardTurns=0 protectedTools=["activate_skill","ask_user","enter_plan_mode","exit_plan_mode"] skipNewestMessages=1 summaryInGuard="stop"  marker-first    last-share 0.3             v2.0/gemini-cli            anchored                               roll-back marker overflowFinishes  none
      codex-local             codex-local             before        compact-once     time      off                                                                                                                                                                              marker-first    user-messages 20000        v2.0/codex-local                                                  roll-back marker overflowFinishes  none
      pi                      pi                      after         compact-once     time      off                                                                                                                                                                              marker-first    recent-messages 20000      v2.0/pi                    anchored 2000                          roll-back marker overflowFinishes  none
      kimi-cli                kimi-cli                before        stop             time      off                                                                                                                                                                              marker-first    newest-messages 2          v2.0/kimi-cli                                                     roll-back marker overflowFinishes  none
      crush                   crush                   after         stop             time      off                                                                                                                                                                              marker-first    nothing                    v2.0/crush                                                        roll-back marker overflowFinishes  crush onlyMidTurn
      goose                   goose                   before        compact-once     time      off                                                                                                                                                                              marker-first    unanswered                 v2.0/goose                                                        roll-back marker overflowFinishes  none replayRefusedPrompt
      anthropic-compact       anthropic-compact       before        stop             time      off                                                                                                                                                                              marker-first    nothing                    v2.0/anthropic-compact                                            roll-back marker overflowFinishes  none
      last-n-observations     v2.0                    -             stop, auto off   time      all but 10, before-request                                                                                                                                                       marker-first    everything                 v2.0/v2.0                                                         roll-back marker overflowFinishes  none
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
        "anthropic-compact": "34d4b0434171ee8d",
        "clairvoyant": "1a6fa01a8e7019d6",
        "claude-code": "b9f063158a19311c",
        "codex-local": "6b0f6a94bc7584be",
        "crush": "328c344bc8206521",
        "dcp": "86d062f9ee57d8c8",
        "document-000": "00a41ffd0b992ca8",
        "document-001": "84ef6a9e6c46c014",
        "document-002": "d439e041a251be98",
        "document-003": "8ebb8e2930d4212c",
        "document-004": "0f9e322b9a92708f",
        "document-004-processor": "9bf43d446c5358ce",
        "external-memory": "9aadef19fe8cc4b7",
        "gemini-cli": "fa431632b6306a4a",
        "goose": "259e59d7285d1882",
        "kilo": "61584dd0119db831",
        "kimi-cli": "edbff41cee789f2f",
        "largest-first": "74c0fe3fbb440c93",
        "last-n-observations": "5bbd3264586a67c5",
        "least-recently-used": "f9565b4bbed033db",
        "none": "28652935f77103e3",
        "opencode-0.10": "1790f2de45eb679d",
        "opencode-0.8": "69f6568c3fbbffc1",
        "opencode-0.9.5": "f22ab099d14c4755",
        "opencode-0.9.9": "d60b15238f98c4ce",
        "opencode-1.0.123": "7733f2870eac80f8",
        "opencode-1.0.154": "a3232c06d1dd94c8",
        "opencode-1.0.224": "fd9266dc9036245e",
        "opencode-1.0.62": "1180ab0486869f08",
        "opencode-1.0.69": "ec61c41dc6318df0",
        "opencode-1.1.23": "489327676d3c249c",
        "opencode-1.1.37": "a0726a4bbef88b68",
        "opencode-1.1.54": "0a1daf00678c0494",
        "opencode-1.1.57": "184e47ce8a98ad80",
        "opencode-1.1.60": "c318fcbc443f5d47",
        "opencode-1.14.19": "c23f3dfba946f8e0",
        "opencode-1.14.21": "a4b18e6a37bbd9b5",
        "opencode-1.14.40": "7ff69bee9ca51c04",
        "opencode-1.15": "066bd2bc2186cb04",
        "opencode-1.16": "5263bf3670669e1c",
        "opencode-1.17.13": "e2aefd7f7af7cbcc",
        "opencode-1.17.15": "10331ad38f29763b",
        "opencode-1.18": "11c35e4bb94d1abe",
        "opencode-1.18.15": "368621cc42e08b83",
        "opencode-1.18.17": "5fd8dafe8f398347",
        "opencode-1.2.16": "a3f57c0487e902cd",
        "opencode-1.3.0": "6552ca68ea31e3db",
        "opencode-1.3.16": "fdb1ffa2a7db1230",
        "opencode-1.3.4": "7c73036908298cf9",
        "opencode-1.3.6": "190cbebc36ad2585",
        "opencode-2.0": "8bf9ca0078a5f51f",
        "opencode-2.0.0": "e6248acd70396342",
        "pi": "2cdec79e48e1a9a5",
        "qwen-code": "6ce8565e714b5f6b",
        "random": "5580527ea4baa901",
        "rolling-window": "e411678386e78531",
        "selective-pruning": "40ff7c1feba1c367",
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
      'opencode-1.18.15: flattened instructionFirst, 2000',
      'opencode-1.18.17: flattened, 2000',
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
      'opencode-2.0.0: rejectEmptySummary',
      'opencode-2.0.0: rejectTruncatedSummary',
      'opencode-2.0.0: remindMissingHeadings',
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
