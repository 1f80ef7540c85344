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
      preset                     overflow                                         checked        refused          newest    prune                                                                                                                                                                                            view            cut                                                                                         prompts                    head                                   failure                            resume
      none                       document-002                                     -              stop, auto off   position  off                                                                                                                                                                                              v1.0.69         everything                                                                                  v1.0.154/v1.0.123          markerInHead                           roll-back marker                   v1.0.69
      clairvoyant                v1.1.60                                          after+before   compact          position  v1.0.190, clairvoyant                                                                                                                                                                            v1.2.16         nothing                                                                                     v1.1.57/v1.1.57            stripMedia markerInHead                keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt wrapQueued explainRefusal
      random                     v1.1.60                                          after+before   compact          position  v1.0.190, random                                                                                                                                                                                 v1.2.16         nothing                                                                                     v1.1.57/v1.1.57            stripMedia markerInHead                keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt wrapQueued explainRefusal
      largest-first              v1.1.60                                          after+before   compact          position  v1.0.190, largest-first                                                                                                                                                                          v1.2.16         nothing                                                                                     v1.1.57/v1.1.57            stripMedia markerInHead                keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt wrapQueued explainRefusal
      least-recently-used        v1.1.60                                          after+before   compact          position  v1.0.190, least-recently-used                                                                                                                                                                    v1.2.16         nothing                                                                                     v1.1.57/v1.1.57            stripMedia markerInHead                keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt wrapQueued explainRefusal
      opencode-0.8               v0.8.0                                           before         stop             position  off                                                                                                                                                                                              v0.8.0          nothing                                                                                     v0.8.0/v0.8.0                                                     keep last-user                     none
      opencode-0.9.5             v0.8.0                                           before         stop             position  v0.9.5                                                                                                                                                                                           v0.8.0          nothing                                                                                     v0.8.0/v0.8.0                                                     keep last-user                     none
      opencode-0.9.9             v0.8.0                                           before         stop             position  v0.9.9                                                                                                                                                                                           v0.8.0          nothing                                                                                     v0.8.0/v0.8.0                                                     keep last-user                     none
      opencode-0.10              v0.8.0                                           before         stop             position  v0.9.9                                                                                                                                                                                           v0.8.0          nothing                                                                                     v0.8.0/v0.8.0                                                     keep last-user                     v0.10.0
      opencode-1.0.62            v0.8.0                                           before         stop             position  v0.9.9                                                                                                                                                                                           v0.8.0          nothing                                                                                     v0.8.0/v0.8.0                                                     keep last-user                     v0.10.0
      opencode-1.0.69            v0.8.0                                           before         stop             position  v0.9.9                                                                                                                                                                                           v1.0.69         nothing                                                                                     v0.8.0/v0.8.0              markerInHead                           keep last-user checksOwnUsage      v1.0.69
      opencode-1.0.123           v0.8.0                                           before         stop             position  v0.9.9                                                                                                                                                                                           v1.0.69         nothing                                                                                     v0.8.0/v1.0.123            markerInHead                           keep last-user checksOwnUsage      v1.0.69
      opencode-1.0.154           v0.8.0                                           before         stop             position  v1.0.190                                                                                                                                                                                         v1.0.69         nothing                                                                                     v1.0.154/v1.0.123          markerInHead                           keep last-user checksOwnUsage      v1.0.69
      opencode-1.0.224           v0.8.0                                           after+before   stop             position  v1.0.190                                                                                                                                                                                         v1.0.69         nothing                                                                                     v1.0.154/v1.0.123          markerInHead                           keep last-user checksOwnUsage      v1.0.69 wrapQueued
      opencode-1.1.23            v1.1.23                                          after+before   stop             position  v1.0.190                                                                                                                                                                                         v1.0.69         nothing                                                                                     v1.0.154/v1.0.123          markerInHead                           keep last-user checksOwnUsage      v1.0.69 wrapQueued
      opencode-1.1.37            v1.1.23                                          after+before   stop             position  v1.0.190                                                                                                                                                                                         v1.0.69         nothing                                                                                     v1.0.154/v1.0.123          markerInHead                           keep last-user checksOwnUsage      v1.0.69 wrapQueued
      opencode-1.1.54            v1.1.23                                          after+before   stop             position  v1.0.190                                                                                                                                                                                         v1.0.69         nothing                                                                                     v1.0.154/v1.0.123          markerInHead                           keep last-user checksOwnUsage      v1.0.69 wrapQueued
      opencode-1.1.57            v1.1.57                                          after+before   stop             position  v1.0.190                                                                                                                                                                                         v1.0.69         nothing                                                                                     v1.1.57/v1.1.57            markerInHead                           keep last-user checksOwnUsage      v1.1.57 wrapQueued
      opencode-1.1.60            v1.1.60                                          after+before   stop             position  v1.0.190                                                                                                                                                                                         v1.0.69         nothing                                                                                     v1.1.57/v1.1.57            markerInHead                           keep last-user checksOwnUsage      v1.1.57 wrapQueued
      opencode-1.2.16            v1.1.60                                          after+before   compact          position  v1.0.190                                                                                                                                                                                         v1.2.16         nothing                                                                                     v1.1.57/v1.1.57            stripMedia markerInHead                keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt wrapQueued explainRefusal
      opencode-1.3.0             v1.1.60                                          after+before   compact          position  v1.0.190                                                                                                                                                                                         v1.2.16         nothing                                                                                     v1.1.57/v1.1.57            stripMedia markerInHead                keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt wrapQueued explainRefusal
      opencode-1.3.4             v1.1.60                                          after+before   compact          position  v1.0.190                                                                                                                                                                                         v1.2.16         nothing                                                                                     v1.1.57/v1.1.57            stripMedia markerInHead                keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt wrapQueued explainRefusal
      opencode-1.3.6             v1.1.60                                          after+before   compact          position  v1.0.190                                                                                                                                                                                         v1.2.16         nothing                                                                                     v1.3.14/v1.3.7             stripMedia markerInHead                keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt wrapQueued explainRefusal
      opencode-1.3.16            v1.1.60                                          after+before   compact          position  v1.0.190                                                                                                                                                                                         v1.2.16         nothing                                                                                     v1.3.14/v1.3.7             stripMedia markerInHead                keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt wrapQueued explainRefusal
      opencode-1.14.19           v1.14.19                                         after+before   compact          position  off                                                                                                                                                                                              v1.14.19        recent-turns 2 false 8000                                                                   v1.3.14/v1.3.7             stripMedia markerInHead                keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt wrapQueued explainRefusal
      opencode-1.14.21           v1.14.19                                         after+before   compact          position  off                                                                                                                                                                                              v1.14.19        recent-turns 2 true 8000                                                                    v1.14.21/v1.14.21          stripMedia anchored markerInHead 2000  keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt wrapQueued explainRefusal
      opencode-1.14.40           v1.14.19                                         after+before   compact          position  off                                                                                                                                                                                              v1.14.40        recent-turns 2 true 8000                                                                    v1.14.21/v1.14.21          stripMedia anchored markerInHead 2000  keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt wrapQueued explainRefusal
      opencode-1.15              v1.14.19                                         after+before   compact          time      off                                                                                                                                                                                              v1.14.40        recent-turns 2 true 8000                                                                    v1.14.21/v1.14.21          stripMedia anchored markerInHead 2000  keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt wrapQueued explainRefusal
      opencode-1.16              v1.14.19                                         after+before   compact-if-auto  time      off                                                                                                                                                                                              v1.14.40        recent-turns 2 true 8000                                                                    v1.14.21/v1.14.21          stripMedia anchored markerInHead 2000  keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt explainRefusal
      opencode-1.17.13           v1.14.19                                         after+before   compact-if-auto  time      off                                                                                                                                                                                              v1.14.40        recent-turns 2 true 8000                                                                    v1.14.21/v1.17.13          stripMedia anchored markerInHead 2000  keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt explainRefusal
      opencode-1.17.15           v1.14.19                                         after+before   compact-if-auto  time      off                                                                                                                                                                                              v1.14.40        recent-turns 2 true 8000                                                                    v1.14.21/v1.17.15          stripMedia anchored markerInHead 2000  keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt explainRefusal
      opencode-1.18              v1.14.19                                         after+before   compact-if-auto  time      off                                                                                                                                                                                              v1.14.40        recent-turns 2 true 8000                                                                    v1.14.21/v1.17.15          stripMedia anchored markerInHead 2000  keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt explainRefusal
      opencode-1.18.15           v1.14.19                                         after+before   compact-if-auto  time      off                                                                                                                                                                                              v1.14.40        recent-turns 2 true 8000                                                                    v1.14.21/v1.17.15          stripMedia anchored markerInHead 2000  keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt explainRefusal
      opencode-1.18.17           v1.14.19                                         after+before   compact-if-auto  time      off                                                                                                                                                                                              v1.14.40        recent-turns true 15000                                                                     v1.14.21/v1.18.17          stripMedia anchored markerInHead 2000  keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt explainRefusal
      opencode-2.0.0             v2.0                                             before         compact-once     time      off                                                                                                                                                                                              v2.0            checkpoint 15000                                                                            v2.0/v2.0                                                         roll-back marker overflowFinishes  none
      opencode-2.0               v2.0                                             before         compact-once     time      off                                                                                                                                                                                              v2.0            checkpoint 15000                                                                            v2.0/v2.0                                                         roll-back marker overflowFinishes  none
      dcp                        v1.14.19                                         after+before   compact-if-auto  time      duplicates, superseded, failed-inputs                                                                                                                                                            v1.14.40        recent-turns 2 true 8000                                                                    v1.14.21/v1.17.15          stripMedia anchored markerInHead 2000  keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt explainRefusal
      cline-classic              cline-classic                                    before         compact-once     time      off                                                                                                                                                                                              marker-first    ends messages 2 [{"of":"all","share":0.5}] goes                                             v2.0/plain                                                        roll-back marker overflowFinishes  none
      cline-3.0.57               cline, request                                   before         compact-once     time      off                                                                                                                                                                                              marker-first    newest-steps 20000                                                                          v2.0/cline                 anchored 2000                          roll-back marker overflowFinishes  none
      cline                      cline, request-or-usage                          before         compact-once     time      off                                                                                                                                                                                              marker-first    newest-steps 20000                                                                          v2.0/cline                 anchored 2000                          roll-back marker overflowFinishes  none
      kilo-7.0                   v1.1.60                                          after+before   stop             position  v1.0.190                                                                                                                                                                                         v1.2.16         nothing                                                                                     v1.1.57/v1.1.57            stripMedia markerInHead                keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt wrapQueued explainRefusal
      kilo-7.7                   v1.14.19                                         before         compact-if-auto  time      off                                                                                                                                                                                              v1.14.40        recent-turns 2 true 8000                                                                    v1.14.21/v1.17.15          stripMedia anchored markerInHead 2000  keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt explainRefusal
      kilo                       v1.14.19                                         before         compact-if-auto  time      off                                                                                                                                                                                              v1.14.40        recent-turns 1 true 15000                                                                   v1.14.21/v1.17.15          stripMedia anchored markerInHead 2000  keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt explainRefusal
      document-000               v1.1.23                                          before         stop             position  summaryInGuard="pass" atCleared="next-message"                                                                                                                                                   v1.0.69         nothing                                                                                     document-000/v1.0.123      markerInHead                           roll-back last-user                v1.0.69
      document-001               v1.1.57                                          after          stop             position  minimumTokens=0 summaryInGuard="pass" atCleared="go-on", on-overflow                                                                                                                             document-004    last-turns 1                                                                                v1.1.57/v1.1.57                                                   roll-back marker                   v1.1.57
      document-002               document-002                                     after          stop             position  summaryInGuard="stop"                                                                                                                                                                            v1.0.69         nothing                                                                                     v1.0.154/v1.0.123          markerInHead                           roll-back marker                   v1.0.69
      document-003               v1.1.60                                          after+before   compact-if-auto  position  guardTurns=0                                                                                                                                                                                     v1.2.16         nothing                                                                                     v1.1.57/v1.1.57            stripMedia markerInHead                keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt explainRefusal
      document-004               document-004                                     after          stop             position  off                                                                                                                                                                                              document-004    last-messages 10                                                                            document-004/document-004                                         roll-back marker                   none
      document-004-processor     document-004-processor                           after          stop             position  off                                                                                                                                                                                              document-004    last-messages 10                                                                            document-004/document-004                                         roll-back marker                   none
      rolling-window             document-004                                     -              stop, auto off   position  off                                                                                                                                                                                              rolling-window  everything                                                                                  document-004/document-004                                         roll-back marker                   none
      selective-pruning          document-004                                     after          stop             position  all outputs, on-overflow                                                                                                                                                                         v1.2.16         everything                                                                                  document-004/document-004                                         roll-back marker                   none
      external-memory            document-004                                     after          stop             position  off                                                                                                                                                                                              v1.2.16         memory, 10 stay                                                                             document-004/document-004                                         roll-back marker                   none
      claude-code-2.0            claude-code-2.1                                  before         compact-if-auto  time      off                                                                                                                                                                                              marker-first    nothing                                                                                     v2.0/claude-code                                                  roll-back marker overflowFinishes  none
      claude-code-2.1            claude-code-2.1                                  before         compact-if-auto  time      off                                                                                                                                                                                              marker-first    nothing                                                                                     v2.0/claude-code                                                  roll-back marker overflowFinishes  none
      claude-code-2.1.14         claude-code-2.1.14                               before         compact-if-auto  time      off                                                                                                                                                                                              marker-first    nothing                                                                                     v2.0/claude-code                                                  roll-back marker overflowFinishes  none
      claude-code-2.1.22         claude-code-2.1.22                               before         compact-if-auto  time      off                                                                                                                                                                                              marker-first    nothing                                                                                     v2.0/claude-code                                                  roll-back marker overflowFinishes  none
      claude-code-2.1.31         claude-code                                      before         compact-if-auto  time      off                                                                                                                                                                                              marker-first    nothing                                                                                     v2.0/claude-code                                                  roll-back marker overflowFinishes  none
      claude-code                claude-code                                      before         compact-if-auto  time      off                                                                                                                                                                                              marker-first    newest-messages 1                                                                           v2.0/claude-code                                                  roll-back marker overflowFinishes  none
      qwen-code-0.12             qwen-code-0.15                                   before         stop             time      off                                                                                                                                                                                              marker-first    last-share 0.3 true                                                                         v2.0/qwen-code                                                    roll-back marker overflowFinishes  none
      qwen-code-0.15             qwen-code-0.15                                   before         compact-once     time      off                                                                                                                                                                                              marker-first    last-share 0.3 3                                                                            v2.0/qwen-code                                                    roll-back marker overflowFinishes  none
      qwen-code                  qwen-code                                        before         compact-once     time      all but 5, idle                                                                                                                                                                                  marker-first    pending                                                                                     v2.0/qwen-code             stripMedia                             roll-back marker overflowFinishes  none
      gemini-cli-0.24            gemini-cli                                       before         stop             time      off                                                                                                                                                                                              marker-first    last-share 0.3 true                                                                         v2.0/gemini-cli            anchored                               roll-back marker overflowFinishes  none
      gemini-cli-0.34            gemini-cli                                       before         stop             time      protectTokens=50000 minimumTokens=29999 guardTurns=0 protectedTools=["activate_skill","ask_user","enter_plan_mode","exit_plan_mode"] skipNewestMessages=1 summaryInGuard="stop", before-request  marker-first    last-share 0.3 true                                                                         v2.0/gemini-cli            anchored                               roll-back marker overflowFinishes  none
      gemini-cli                 gemini-cli                                       before         stop             time      protectTokens=50000 minimumTokens=29999 guardTurns=0 protectedTools=["activate_skill","ask_user","enter_plan_mode","exit_plan_mode"] skipNewestMessages=1 summaryInGuard="stop", before-request  marker-first    last-share 0.3                                                                              v2.0/gemini-cli            anchored                               roll-back marker overflowFinishes  none
      codex-local-0.53           codex-local                                      after          stop             time      off                                                                                                                                                                                              marker-first    user-messages 20000                                                                         v2.0/codex-local                                                  roll-back marker overflowFinishes  none
      codex-local-0.79           codex-local                                      before         stop             time      off                                                                                                                                                                                              marker-first    user-messages 20000                                                                         v2.0/codex-local                                                  roll-back marker overflowFinishes  none
      codex-local                codex-local                                      before         stop             time      off                                                                                                                                                                                              marker-first    user-messages 20000                                                                         v2.0/codex-local                                                  roll-back marker overflowFinishes  none
      codex-remote               codex-local                                      before         stop             time      off                                                                                                                                                                                              marker-first    user-messages 64000                                                                         v2.0/codex-local                                                  roll-back marker overflowFinishes  none
      copilot-cli                copilot-cli                                      before+beside  stop             time      off                                                                                                                                                                                              marker-first    user-messages                                                                               v2.0/codex-local                                                  roll-back marker overflowFinishes  none
      copilot-chat               copilot-chat                                     before+beside  stop             time      off                                                                                                                                                                                              marker-first    unanswered                                                                                  v2.0/codex-local                                                  roll-back marker overflowFinishes  none
      pi                         pi                                               after+before   compact-once     time      off                                                                                                                                                                                              marker-first    recent-messages 20000                                                                       v2.0/pi                    anchored 2000                          roll-back marker overflowFinishes  none
      pi-1.6                     pi                                               after+before   compact-once     time      off                                                                                                                                                                                              marker-first    recent-messages 20000                                                                       v2.0/pi                    anchored 2000                          roll-back marker overflowFinishes  none
      kimi-cli                   kimi-cli                                         before         stop             time      off                                                                                                                                                                                              marker-first    newest-messages 2                                                                           v2.0/kimi-cli                                                     roll-back marker overflowFinishes  none
      kimi-code-0.20             kimi-cli                                         before         compact-if-auto  time      off                                                                                                                                                                                              marker-first    newest-exchanges 4                                                                          v2.0/kimi-cli                                                     roll-back marker overflowFinishes  none
      kimi-code-0.30             kimi-cli                                         before         compact-if-auto  time      off                                                                                                                                                                                              marker-first    user-messages 20000                                                                         v2.0/kimi-cli                                                     roll-back marker overflowFinishes  none
      kimi-code                  kimi-cli                                         before         compact-if-auto  time      off                                                                                                                                                                                              marker-first    user-messages 20000                                                                         v2.0/kimi-cli                                                     roll-back marker overflowFinishes  none
      crush                      crush                                            after          stop             time      off                                                                                                                                                                                              marker-first    nothing                                                                                     v2.0/crush                                                        roll-back marker overflowFinishes  crush onlyMidTurn
      goose                      goose                                            before         compact-once     time      off                                                                                                                                                                                              marker-first    unanswered                                                                                  v2.0/goose                                                        roll-back marker overflowFinishes  none replayRefusedPrompt
      anthropic-compact          anthropic-compact                                before         stop             time      off                                                                                                                                                                                              marker-first    nothing                                                                                     v2.0/anthropic-compact                                            roll-back marker overflowFinishes  none
      anthropic-clear-tool-uses  above-100k                                       before         stop             time      all but 3, on-overflow                                                                                                                                                                           marker-first    everything                                                                                  v2.0/v2.0                                                         roll-back marker overflowFinishes  none
      langchain-clear-tool-uses  above-100k, messages                             before         stop             time      all but 3, on-overflow                                                                                                                                                                           marker-first    everything                                                                                  v2.0/v2.0                                                         roll-back marker overflowFinishes  none
      vercel-prune-messages      above-100k, messages                             before         stop             time      calls and thoughts by message, on-overflow                                                                                                                                                       marker-first    everything                                                                                  v2.0/v2.0                                                         roll-back marker overflowFinishes  none
      verdict-scored             above-100k                                       before         stop             time      by size-and-age, on-overflow                                                                                                                                                                     marker-first    everything                                                                                  v2.0/v2.0                                                         roll-back marker overflowFinishes  none
      last-n-observations        v2.0                                             -              stop, auto off   time      all but 10, before-request                                                                                                                                                                       marker-first    everything                                                                                  v2.0/v2.0                                                         roll-back marker overflowFinishes  none
      openai-compact             window, 200000 tokens                            before         stop             time      off                                                                                                                                                                                              marker-first    nothing                                                                                     v2.0/plain                                                        roll-back marker overflowFinishes  none
      mimo-code                  mimo-code                                        after+before   compact-if-auto  time      media, reasoning                                                                                                                                                                                 v1.14.40        recent-turns 2 true 8000                                                                    v1.14.21/v1.17.15          stripMedia anchored markerInHead 2000  keep last-user overflowFinishes    v1.1.57 replayRefusedPrompt explainRefusal
      continue-cli               continue-cli, request                            before         stop             time      off                                                                                                                                                                                              marker-first    nothing                                                                                     v2.0/plain                                                        roll-back marker overflowFinishes  none
      nanocoder                  v2.0                                             before         stop, auto off   time      off                                                                                                                                                                                              marker-first    everything                                                                                  v2.0/v2.0                                                         roll-back marker overflowFinishes  none
      roo-code                   roo-code                                         before         compact-once     time      off                                                                                                                                                                                              marker-first    nothing                                                                                     v2.0/claude-code                                                  roll-back marker overflowFinishes  none
      hermes                     hermes                                           before         compact-once     time      off                                                                                                                                                                                              marker-first    ends messages 2 [{"of":"messages","count":20},{"of":"usable","share":0.2}] stays            v2.0/v1.14.21              anchored                               roll-back marker overflowFinishes  none
      aider                      aider, messages                                  after          stop             time      off                                                                                                                                                                                              marker-first    ends messages 0 [{"of":"usable","share":0.5}] goes prompt                                   v2.0/aider                                                        roll-back marker overflowFinishes  none
      langchain                  window, 0.8 share                                before         stop             time      off                                                                                                                                                                                              marker-first    ends messages 0 [{"of":"messages","count":20}] stays                                        v2.0/langchain                                                    roll-back marker overflowFinishes  none
      langchain-messages         window, 50 messages                              before         stop             time      off                                                                                                                                                                                              marker-first    ends messages 0 [{"of":"messages","count":20}] stays                                        v2.0/langchain                                                    roll-back marker overflowFinishes  none
      langchain-clauses          window, 100000 tokens + 40 messages | 0.8 share  before         stop             time      off                                                                                                                                                                                              marker-first    ends messages 0 [{"of":"messages","count":20}] stays                                        v2.0/langchain                                                    roll-back marker overflowFinishes  none
      deepagents                 window, 0.85 share                               before         compact-once     time      off                                                                                                                                                                                              marker-first    ends messages 0 [{"of":"window","share":0.1}] goes                                          v2.0/langchain                                                    roll-back marker overflowFinishes  none
      deepagents-unknown-model   window, 170000 tokens + 7 messages               before         compact-once     time      off                                                                                                                                                                                              marker-first    ends messages 0 [{"of":"messages","count":6}] stays                                         v2.0/langchain                                                    roll-back marker overflowFinishes  none
      openhands                  above-input-cap, 81 events | usable              before         compact-once     time      off                                                                                                                                                                                              marker-first    ends events 4 [{"of":"events","count":35}] goes                                             v2.0/openhands             anchored 10000                         roll-back marker overflowFinishes  none
      openhands-240              above-input-cap, 241 events | usable             before         compact-once     time      off                                                                                                                                                                                              marker-first    ends events 2 [{"of":"events","count":117}] goes                                            v2.0/openhands             anchored 10000                         roll-back marker overflowFinishes  none
      openhands-amortized        window, 101 events                               before         stop             time      off                                                                                                                                                                                              marker-first    ends events 1 [{"of":"events","count":49}] goes                                             v2.0/v2.0                                                         roll-back marker overflowFinishes  none
      openhands-masking          v2.0                                             -              stop, auto off   time      protectTokens=0 minimumTokens=0 guardTurns=0 protectedTools=[] skipNewestMessages=50, before-request                                                                                             marker-first    everything                                                                                  v2.0/v2.0                                                         roll-back marker overflowFinishes  none
      letta                      above-window, 0.9                                before         compact-once     time      off                                                                                                                                                                                              marker-first    ends messages 0 [{"of":"all","share":0.7}] goes answer {"step":0.1,"untilWindowShare":0.7}  v2.0/letta                                                        roll-back marker overflowFinishes  none
      mastra                     window, since-summary, 30000 tokens              before         stop             time      off                                                                                                                                                                                              marker-first    ends messages 0 [{"of":"tokens","count":6000}] goes                                         v2.0/mastra                anchored                               roll-back marker overflowFinishes  none
      strands                    window, 41 messages                              after          compact-once     time      off                                                                                                                                                                                              marker-first    ends messages 0 [{"of":"messages","count":40}] goes                                         v2.0/v2.0                                                         roll-back marker overflowFinishes  none
      inspect-edit               above-window, 0.9                                before         stop             time      all but 3, on-overflow                                                                                                                                                                           marker-first    everything                                                                                  v2.0/v2.0                                                         roll-back marker overflowFinishes  none
      inspect-trim               above-window, 0.9                                before         stop             time      off                                                                                                                                                                                              marker-first    ends messages 1 [{"of":"all","share":0.8}] goes                                             v2.0/v2.0                                                         roll-back marker overflowFinishes  none
      docker-agent               window, 0.9                                      before         stop             time      off                                                                                                                                                                                              marker-first    nothing                                                                                     v2.0/plain                                                        roll-back marker overflowFinishes  none
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
        "aider": "f9fca7c35c76c370",
        "anthropic-clear-tool-uses": "08f796cab8900e85",
        "anthropic-compact": "34d4b0434171ee8d",
        "clairvoyant": "1a6fa01a8e7019d6",
        "claude-code": "9fa11165e815f93b",
        "claude-code-2.0": "240dc1e679eaa591",
        "claude-code-2.1": "60ae69ff5830f0e7",
        "claude-code-2.1.14": "273b42e211ef4f69",
        "claude-code-2.1.22": "b42c29f3a9737a86",
        "claude-code-2.1.31": "9f756816bb5484e5",
        "cline": "714e4e6487709028",
        "cline-3.0.57": "09fffa71031274e9",
        "cline-classic": "297840d897bd05db",
        "codex-local": "428ba7b3160e522a",
        "codex-local-0.53": "92b363b16f95eceb",
        "codex-local-0.79": "24517fcec33434fd",
        "codex-remote": "b04df7bd2a47828b",
        "continue-cli": "c668f3b40cdca646",
        "copilot-chat": "4c48d7fdbf0110a3",
        "copilot-cli": "b3b196aa2c8c090d",
        "crush": "328c344bc8206521",
        "dcp": "86d062f9ee57d8c8",
        "deepagents": "491393f9a27ad058",
        "deepagents-unknown-model": "0c1daf307ea31285",
        "docker-agent": "7a22fcfbbe980cf9",
        "document-000": "00a41ffd0b992ca8",
        "document-001": "84ef6a9e6c46c014",
        "document-002": "d439e041a251be98",
        "document-003": "8ebb8e2930d4212c",
        "document-004": "0f9e322b9a92708f",
        "document-004-processor": "9bf43d446c5358ce",
        "external-memory": "9aadef19fe8cc4b7",
        "gemini-cli": "a7ccf12bbdf6ed5d",
        "gemini-cli-0.24": "d649abc6ab7506b3",
        "gemini-cli-0.34": "9acc251924e5a4b6",
        "goose": "259e59d7285d1882",
        "hermes": "2fd05f7717c0b168",
        "inspect-edit": "632aa2f734fdad05",
        "inspect-trim": "29f6b457c2e3cb31",
        "kilo": "be822fb82844493d",
        "kilo-7.0": "568b2a1baebd7d5f",
        "kilo-7.7": "48979dcc97856d32",
        "kimi-cli": "edbff41cee789f2f",
        "kimi-code": "95ea2a8fd438bb11",
        "kimi-code-0.20": "73b9a81e460375dd",
        "kimi-code-0.30": "f419dae6e8e43b39",
        "langchain": "a91a825f39789071",
        "langchain-clauses": "97861e1541d30358",
        "langchain-clear-tool-uses": "d42c12bcc26ba284",
        "langchain-messages": "4e942361e9e0802b",
        "largest-first": "74c0fe3fbb440c93",
        "last-n-observations": "5bbd3264586a67c5",
        "least-recently-used": "f9565b4bbed033db",
        "letta": "d4eac73fe6f8e3a6",
        "mastra": "8e1b640f7c9c30ec",
        "mimo-code": "b380b0263deb20b1",
        "nanocoder": "3dfa3911ec00ee08",
        "none": "28652935f77103e3",
        "openai-compact": "54ee353f85c6e492",
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
        "openhands": "0c45919a37cf23cc",
        "openhands-240": "f052a54010973cfe",
        "openhands-amortized": "eacfb6c5f761fd51",
        "openhands-masking": "862bb70f9be34fc8",
        "pi": "1d23d39705ae9bc9",
        "pi-1.6": "b5c9c199e1192f87",
        "qwen-code": "b9f54a3151b64200",
        "qwen-code-0.12": "385bcfd9ff3c60e7",
        "qwen-code-0.15": "59f973c13b30c746",
        "random": "5580527ea4baa901",
        "rolling-window": "e411678386e78531",
        "roo-code": "0f6f77f0bd9bc0fb",
        "selective-pruning": "40ff7c1feba1c367",
        "strands": "4b4bf5ac3b8d0885",
        "vercel-prune-messages": "a9f1bdb1186273d5",
        "verdict-scored": "3297f03ed65f2a07",
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
