import { describe, expect, it } from 'vitest';
import { policies } from '../../src/engine/index.ts';
import {
  collectRun,
  findModel,
  findSummarizer,
  loadTokenizer,
  readCatalog,
  readSessions,
  runFiles,
  runTraceAsync,
} from '../../src/simulator/index.ts';
import { chat, fixed, modelOf, traceOf } from './replay/lab.ts';

/** What a program without types might hand over. */
const given = (value: unknown) => value as never;
const trace = traceOf(chat(1, 10));
const files = {
  files: [],
  policies: [policies.none],
  model: modelOf(),
  summarizer: fixed,
  seed: 1,
};

describe('a call without the right arguments', () => {
  it.each<[string, () => unknown, string]>([
    ['findModel', () => findModel(readCatalog(), given(undefined)), '`name` to be a text, got und'],
    ['findSummarizer', () => findSummarizer(given(5)), 'Expected `name` to be a text, got 5.'],
    ['readSessions', () => readSessions('chat.json', given(undefined)), '`text` to be a text'],
    ['collectRun', () => collectRun(trace, given(undefined)), '`options` to be an object'],
    ['collectRun', () => collectRun(trace, given({})), '`options.model` to be a model, such as'],
    ['runTraceAsync', () => runTraceAsync(trace, given(undefined)), '`options` to be an object'],
  ])('of %s is told what is wrong', (_name, call, message) => {
    expect(call).toThrow(TypeError);
    expect(call).toThrow(message);
  });

  it('of loadTokenizer is told what is wrong', async () => {
    await expect(loadTokenizer(given(undefined))).rejects.toThrow('Expected `name` to be a text');
  });

  it.each<[string, unknown, string]>([
    ['options', undefined, 'Expected `options` to be an object, got undefined.'],
    ['list of files', { ...files, files: 'chat.json' }, '`options.files` to be a list'],
    ['policies', { ...files, policies: ['none'] }, '`options.policies[0]` to be a policy'],
    ['model', { ...files, model: 'openai/gpt-4o' }, '`options.model` to be a model'],
    ['summarizer', { ...files, summarizer: 'lead' }, '`options.summarizer` to be a summarizer'],
    ['seed', { ...files, seed: undefined }, '`options.seed` to be a whole number'],
    ['mode', { ...files, mode: 'closed' }, "`options.mode` to be one of 'open-loop', "],
    ['an option that there is', { ...files, keepEvents: true }, "nameOf, got 'keepEvents'."],
    ['names', { ...files, nameOf: {} }, '`options.nameOf` to be a function'],
    ['a test of texts', { ...files, hasTexts: true }, '`options.hasTexts` to be a function'],
    ['counters', { ...files, counters: {} }, '`options.counters` to be what counts tokens'],
  ])('of runFiles without %s runs nothing', async (_name, options, message) => {
    await expect(runFiles(given(options)).next()).rejects.toThrow(message);
  });
});
