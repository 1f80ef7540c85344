import { describe, expect, it } from 'vitest';
import { changedSettings, toConfigChange } from '../../../../src/simulator/report/tune/config.ts';
import { readOpencodeConfig } from '../../../../src/simulator/scenario/opencode-config.ts';
import { createFolder, writeFile } from '../../../support/session-files.ts';

const folder = createFolder();

describe('toConfigChange', () => {
  it.each<[string, Readonly<Record<string, number | boolean>>, readonly string[]]>([
    ['opencode-0.8', {}, ['auto', 'prune', 'reserved', 'tailTurns', 'protect']],
    ['opencode-1.0.224', { auto: true, prune: false }, ['reserved', 'tailTurns', 'protect']],
    ['opencode-1.1.57', { auto: true, prune: false, reserved: 1 }, ['tailTurns', 'protect']],
    ['opencode-1.14.19', { auto: true, prune: false, reserved: 1, tailTurns: 2 }, ['protect']],
    ['opencode-1.18', { auto: true, prune: false, reserved: 1, tailTurns: 2 }, ['protect']],
    ['opencode-2.0', { auto: true, reserved: 1 }, ['prune', 'tailTurns', 'protect']],
    ['document-003', { auto: true, prune: false, reserved: 1, tailTurns: 2 }, ['protect']],
    ['codex', {}, ['auto', 'prune', 'reserved', 'tailTurns', 'protect']],
  ])(
    'writes for %s what that release reads, and the rest for this program',
    (policy, own, rest) => {
      const settings = { auto: true, prune: false, reserved: 1, tailTurns: 2, protect: 3 };
      const { file, set } = toConfigChange(policy, settings);
      const path = writeFile(folder, `${policy}.json`, JSON.stringify(file ?? {}));
      expect(readOpencodeConfig(path, {}).settings).toEqual(own);
      expect(set.map((pair) => pair.split('=', 1)[0])).toEqual(rest);
    },
  );
});

describe('changedSettings', () => {
  it('leaves out what is so today', () => {
    const settings = { reserved: 20, protect: 5, minimum: 0 };
    expect(changedSettings(settings, { reserved: 20, protect: 4 })).toEqual({
      protect: 5,
      minimum: 0,
    });
  });
});
