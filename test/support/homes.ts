import { join } from 'node:path';
import { type GrowingSession, growingRollout, growingTranscript } from './growing-sessions.ts';
import { growingRows, writeOpencodeDatabase } from './opencode-database.ts';
import { createFolder, writeFile } from './session-files.ts';

const HOUR_MS = 3_600_000;
const STEPS = [4, 9, 13, 13];
const LOCAL_MODEL = { providerID: 'ollama', modelID: 'qwen3:32b' };

/** Homes by what agents keep in them; some sessions get past lower thresholds, and none past that of today. */
export const homes: Readonly<Record<string, () => string>> = {
  'Claude Code': () => withTranscripts(createFolder()),
  Codex: () => withRollouts(createFolder()),
  'OpenCode with a limit': () =>
    withConfig(withDatabase(createFolder()), {
      anthropic: {
        models: { 'claude-sonnet-4-5': { limit: { context: 190_000, output: 16_000 } } },
      },
    }),
  'two agents': () => withRollouts(withTranscripts(createFolder())),
  'a local model': () =>
    withConfig(withDatabase(createFolder(), LOCAL_MODEL), {
      ollama: { models: { 'qwen3:32b': { limit: { context: 190_000, output: 16_000 } } } },
    }),
  'no sessions': createFolder,
};

function withTranscripts(home: string): string {
  const agent = { model: 'claude-sonnet-4-5', version: '2.1.40', growthTokens: 12_000 };
  for (const session of sessionsOf(agent)) {
    const text = growingTranscript(session);
    writeFile(join(home, '.claude/projects/-work-app'), `${session.name}.jsonl`, text);
  }
  return home;
}

function withRollouts(home: string): string {
  const agent = { model: 'gpt-5.2-codex', version: '0.104.0', growthTokens: 18_000 };
  for (const session of sessionsOf(agent)) {
    const text = growingRollout({ ...session, windowTokens: 272_000 });
    writeFile(join(home, '.codex/sessions/2026/01'), `rollout-${session.name}.jsonl`, text);
  }
  return home;
}

function withDatabase(
  home: string,
  model = { providerID: 'anthropic', modelID: 'claude-sonnet-4-5' },
) {
  const path = join(home, '.local/share/opencode/opencode.db');
  const rows = STEPS.flatMap((steps, index) =>
    growingRows({ id: `shop${index}`, startMs: startOf(index), steps, model }),
  );
  writeOpencodeDatabase(path, rows);
  return home;
}

function withConfig(home: string, provider: object): string {
  writeFile(home, '.config/opencode/opencode.json', JSON.stringify({ provider }));
  return home;
}

function sessionsOf(agent: Pick<GrowingSession, 'model' | 'version' | 'growthTokens'>) {
  return STEPS.map((steps, index) => ({
    ...agent,
    name: `${agent.model}-${index}`,
    startMs: startOf(index),
    steps,
  }));
}

/** Each has times of its own, or it would count as a copy of another. */
function startOf(index: number): number {
  return Date.UTC(2026, 0, 5, 9) + index * HOUR_MS;
}
