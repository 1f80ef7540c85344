import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseJsonc, readOpencodeConfig } from '../../../src/simulator/scenario/opencode-config.ts';

describe('opencode config', () => {
  let folder = '';
  let file = '';

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'opencode-config-'));
    file = join(folder, 'opencode.json');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  function read(text: string, environment: Record<string, string> = {}) {
    writeFileSync(file, text);
    return readOpencodeConfig(file, environment);
  }

  describe('readOpencodeConfig', () => {
    it('reads what concerns compaction and where it stood', () => {
      const text = `{
      // a comment, as OpenCode allows them
      "$schema": "https://opencode.ai/config.json",
      "provider": { "x": { "options": {} } },
      "compaction": { "auto": false, "prune": false, "reserved": 30000 },
    }`;
      expect(read(text)).toEqual({
        file,
        settings: { auto: false, prune: false, reserved: 30_000 },
        limits: {},
        origins: {
          auto: 'compaction.auto',
          prune: 'compaction.prune',
          reserved: 'compaction.reserved',
        },
      });
    });

    it('reads the limits that models are given', () => {
      const models = {
        cup: { limit: { context: 60_000, output: 4_000 } },
        'pot/large': { limit: { input: 9 } },
        lid: { name: 'Lid' },
      };
      expect(read(JSON.stringify({ provider: { tea: { models } } })).limits).toEqual({
        'tea/cup': { contextTokens: 60_000, outputTokens: 4_000 },
        'tea/pot/large': { inputTokens: 9 },
      });
    });

    it('finds nothing in an empty configuration, nor in what concerns other things', () => {
      expect(read('{}')).toEqual({ file, settings: {}, origins: {}, limits: {} });
      expect(read('{"theme": "dark", "permission": {}, "action": 1}').settings).toEqual({});
    });

    it('reads what later releases keep', () => {
      const { settings, origins } = read(
        '{"compaction": {"tail_turns": 3, "preserve_recent_tokens": 1, "keep": {"tokens": 9}}}',
      );
      expect(settings).toEqual({ tailTurns: 3, tailTokens: 1, keepTokens: 9 });
      expect(origins).toEqual({
        tailTurns: 'compaction.tail_turns',
        tailTokens: 'compaction.preserve_recent_tokens',
        keepTokens: 'compaction.keep.tokens',
      });
    });

    it('lets the reserve of 2.0 stand where there is no older one', () => {
      expect(read('{"compaction": {"buffer": 1}}').settings).toEqual({ reserved: 1 });
      expect(read('{"compaction": {"buffer": 1, "reserved": 2}}').settings).toEqual({
        reserved: 2,
      });
    });

    it.each([
      ['{"agent": {"compaction": {"model": "a/b"}, "build": {"model": "c/d"}}}', 'a/b'],
      ['{"agents": {"compaction": {"model": {"providerID": "a", "modelID": "b/c"}}}}', 'a/b/c'],
      ['{"agent": {"compaction": {"prompt": "x"}}}', undefined],
    ])('reads the summary model of %s', (text, model) => {
      expect(read(text).summaryModel).toBe(model);
    });

    it('reads a own summary prompt', () => {
      expect(read('{"agent": {"compaction": {"prompt": "Be brief."}}}').summaryPrompt).toBe(
        'Be brief.',
      );
    });

    it.each<[string, Record<string, string>, object]>([
      [
        'switches compaction off',
        { OPENCODE_DISABLE_AUTOCOMPACT: '1' },
        { auto: false, prune: true },
      ],
      ['is not case-sensitive', { OPENCODE_DISABLE_PRUNE: 'TRUE' }, { auto: true, prune: false }],
      ['ignores what is not true', { OPENCODE_DISABLE_PRUNE: '0' }, { auto: true, prune: true }],
      [
        'caps answers',
        { OPENCODE_EXPERIMENTAL_OUTPUT_TOKEN_MAX: '16000' },
        { auto: true, prune: true, outputCap: 16_000 },
      ],
      ...['0', '-1', '1.5', 'many', ''].map((text): [string, Record<string, string>, object] => [
        `ignores the cap '${text}'`,
        { OPENCODE_EXPERIMENTAL_OUTPUT_TOKEN_MAX: text },
        { auto: true, prune: true },
      ]),
    ])('lets the environment override the file: %s', (_, environment, expected) => {
      const config = read('{"compaction": {"auto": true, "prune": true}}', environment);
      expect(config.settings).toEqual(expected);
    });

    it('names the variable that overrode a key', () => {
      const config = read('{"compaction": {"auto": true}}', {
        OPENCODE_DISABLE_AUTOCOMPACT: 'true',
      });
      expect(config.origins).toEqual({ auto: 'OPENCODE_DISABLE_AUTOCOMPACT' });
    });

    it('refuses what is no JSON', () => {
      expect(() => read('{"compaction"')).toThrow(
        /opencode\.json' to be an OpenCode configuration, but it cannot be read/,
      );
    });
  });
});

describe('parseJsonc', () => {
  it.each<[string, string, unknown]>([
    ['plain JSON', '{"a": [1, null]}', { a: [1, null] }],
    ['a comment to the end of its line', '{"a": 1 // one, }\n}', { a: 1 }],
    ['a comment over several lines', '/* {\n */ {"a": /**/ 1}', { a: 1 }],
    ['a trailing comma in an object', '{"a": 1, }', { a: 1 }],
    ['a trailing comma in a list', '[1,\n // last\n]', [1]],
    [
      'what looks like a comment in a string',
      '{"url": "https://a/*b*/"}',
      { url: 'https://a/*b*/' },
    ],
    ['what looks like a trailing comma in a string', '["a,]", ",}"]', ['a,]', ',}']],
    ['a quote in a string', '["a\\"//b", "\\\\"] // end', ['a"//b', '\\']],
    ['a byte order mark', '\uFEFF{}', {}],
  ])('reads %s', (_, text, expected) => {
    expect(parseJsonc(text)).toEqual(expected);
  });

  it.each(['{"a": 1,, }', '{"a" 1}', '"open // string', '/* open {}', ''])('refuses %s', (text) => {
    expect(() => parseJsonc(text)).toThrow(SyntaxError);
  });
});
