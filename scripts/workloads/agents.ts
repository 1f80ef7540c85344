import type { AgentStyle, Workload } from '../../src/simulator/scenario/workload/workload.ts';

/** Nobody has counted what people write in: mostly English, with enough of other scripts to matter. */
export const LANGUAGES: Workload['languages'] = {
  english: 0.8,
  german: 0.04,
  russian: 0.04,
  chinese: 0.07,
  japanese: 0.05,
};

/** How the calls of the agents look. */
export const styles = {
  claudeCode: {
    model: 'anthropic/claude-opus-4-5',
    keys: {
      path: 'file_path',
      before: 'old_string',
      after: 'new_string',
      command: 'command',
      description: 'description',
      patch: 'patch',
    },
    cache: 'written',
    hasAbsolutePaths: true,
  },
  codex: {
    model: 'openai/gpt-5.3-codex',
    keys: { path: 'path', before: 'old', after: 'new', command: 'cmd', patch: 'input' },
    cache: 'automatic',
    hasAbsolutePaths: false,
  },
  pi: {
    model: 'anthropic/claude-opus-4-5',
    keys: { path: 'path', before: 'oldText', after: 'newText', command: 'command', patch: 'patch' },
    cache: 'written',
    hasAbsolutePaths: true,
  },
  openCode: {
    model: 'openai/gpt-5-codex',
    keys: {
      path: 'filePath',
      before: 'oldString',
      after: 'newString',
      command: 'command',
      description: 'description',
      patch: 'patchText',
    },
    cache: 'automatic',
    hasAbsolutePaths: false,
  },
} satisfies Record<string, AgentStyle>;
