import { describe, expect, it } from 'vitest';
import { discoverSessionFiles } from '../../../../src/simulator/session/files/discover.ts';
import { createFolder, writeFile } from '../../../support/session-files.ts';

/** Files found in a folder of files, and those that hold a session: they have a star. */
function find(...files: readonly string[]) {
  const folder = createFolder();
  const paths = files.map((file) => writeFile(folder, file.replace(/\*$/, ''), '{}'));
  const wanted = paths.filter((_, index) => files[index]?.endsWith('*')).toSorted();
  return { found: discoverSessionFiles([folder]).files, wanted };
}

const ID = '1f2e3d4c-0000-4000-8000-123456789abc';

describe('a whole folder of an agent', () => {
  it.each([
    ['Codex', 'auth.json config.toml history.jsonl sessions/2026/rollout-ID.jsonl*'],
    [
      'Claude Code',
      'settings.json todos/a.json statsig/cache.json projects/p/ID.jsonl* ' +
        'projects/p/ID/subagents/agent-1.jsonl* projects/p/ID/subagents/agent-1.meta.json ' +
        'projects/p/sessions-index.json',
    ],
    [
      'Gemini CLI',
      'settings.json projects.json tmp/p/logs.json tmp/p/chats/session-1.json* ' +
        'history/p/x.json',
    ],
    [
      'Qwen Code',
      'extensions/enablement.json usage/tokens.jsonl projects/p/meta.json ' +
        'projects/p/chats/ID.jsonl*',
    ],
    ['OpenCode', 'opencode.db* auth.json storage/session_diff/ses_1.json log/a.json'],
    [
      'Kimi Code',
      'config.toml device_id workspaces.json cache/db.json sessions/w/s/state.json ' +
        'sessions/w/s/agents/main/wire.jsonl*',
    ],
    ['pi', 'agent/auth.json agent/models.json agent/settings.json agent/sessions/p/ID.jsonl*'],
    ['Continue', 'config.yaml permissions.yaml sessions/sessions.json sessions/ID.json*'],
    [
      'Cline',
      'globalState.json secrets.json sessions/1/1.compaction.json sessions/1/1.json ' +
        'sessions/1/1.messages.json*',
    ],
    ['a task of Cline', 'api_conversation_history.json* ui_messages.json task_metadata.json'],
    ['a screen of Cline', 'ui_messages.json* task_metadata.json'],
    ['Copilot CLI', 'session-state/s/events.jsonl* session-state/s/workspace.yaml'],
    ['Droid', 'settings.json mcp.json sessions/p/ID.jsonl* sessions/p/ID.settings.json'],
  ])('%s gives its sessions alone', (_, files) => {
    const { found, wanted } = find(...files.replaceAll('ID', ID).split(' '));
    expect(found).toEqual(wanted);
  });

  it.each([
    [['config.json*', 'sessions/a.json*', 'b.jsonl*']],
    [['chats/a.json*', 'b.json*']],
    [['events.jsonl*', 'c.json*']],
  ])('is told by more than a name that other folders have, as %s', (files) => {
    const { found, wanted } = find(...files);
    expect(found).toEqual(wanted);
  });
});
