import { describe, expect, it } from 'vitest';
import { formats } from '../../../src/simulator/report/formats.ts';
import { describeOrigin } from '../../../src/simulator/report/origin.ts';
import {
  countRecordedModels,
  describeRecordedModels,
} from '../../../src/simulator/report/recorded-models.ts';
import type { Provenance } from '../../../src/simulator/report/report.ts';
import { sampleProvenance, sampleReport, wholeSource } from '../../support/sample-report.ts';

const OPUS = 'anthropic/claude-opus-4-5-20251101';
const SAME = 'anthropic/claude-sonnet-4-5-20250929';

function recordedWith(models: readonly (string | undefined)[]): Provenance {
  const provenance = sampleProvenance();
  const sessions = models.map((recordedModel, index) => ({
    ...wholeSource,
    session: `${index}.jsonl`,
    ...(recordedModel !== undefined && { recordedModel }),
  }));
  return { ...provenance, estimators: { ...provenance.estimators, sessions } };
}

describe('describeRecordedModels', () => {
  it.each<[string, readonly (string | undefined)[], readonly string[]]>([
    ['nothing of sessions of an unknown model', [undefined, undefined], []],
    ['nothing of those that the bench recorded', ['compaction-bench/scripted'], []],
    ['nothing of those of the same model', [SAME, 'anthropic/claude-sonnet-4-5', undefined], []],
    [
      'one of several',
      [OPUS, SAME],
      [
        "1 of 2 sessions was recorded with another model (anthropic/claude-opus-4-5 in 1): '--model' says against which one it is replayed and billed.",
      ],
    ],
    [
      'the most frequent models, whatever their releases and the order of sessions',
      ['openai/e', 'openai/d', 'openai/c', 'openai/b', OPUS, 'anthropic/claude-opus-4-5'],
      [
        "6 of 6 sessions were recorded with other models (anthropic/claude-opus-4-5 in 2, openai/b in 1, openai/c in 1, 2 more): '--model' says against which one they are replayed and billed.",
      ],
    ],
    [
      'no unknown model among those that it counts',
      [OPUS, undefined, SAME],
      [
        "1 of 2 sessions whose model is known was recorded with another model (anthropic/claude-opus-4-5 in 1): '--model' says against which one it is replayed and billed.",
      ],
    ],
    [
      'a session on its own',
      [OPUS],
      [
        "The session was recorded with anthropic/claude-opus-4-5: '--model' says against which model it is replayed and billed.",
      ],
    ],
  ])('tells %s', (_, models, expected) => {
    const recorded = countRecordedModels(models.map((recordedModel) => ({ recordedModel })));
    const against = ['anthropic/claude-sonnet-4-5'];
    expect(describeRecordedModels(recorded, { against })).toEqual(expected);
  });

  it.each(['table', 'markdown', 'html', 'json'] as const)('stands in the report as %s', (name) => {
    const render = (models: readonly string[]) =>
      formats[name]
        .render(sampleReport({ provenance: recordedWith(models) }), { colors: false })
        .replaceAll(/[\s`]+/g, ' ');
    const words =
      name === 'json'
        ? `"recordedModel": "${OPUS}"`
        : 'The session was recorded with anthropic/claude-opus-4-5';
    expect(render([OPUS])).toContain(words);
    expect(render([SAME])).not.toContain(words);
  });

  it('counts no session that is not replayed', () => {
    const sessions = [{ recordedModel: OPUS }, { recordedModel: OPUS, skipped: 'a copy' }, {}];
    expect(countRecordedModels(sessions)).toEqual({ sessions: 2, models: { [OPUS]: 1 } });
  });

  it.each([
    ['one of several models', [OPUS, 'openai/gpt-5'], []],
    [
      'none of them',
      ['openai/gpt-5'],
      [/ The session was recorded with anthropic\/claude-opus-4-5:/],
    ],
  ])('stands in an origin where a session was recorded with %s', (_, against, expected) => {
    const measured = { name: 'o200k_base', evidence: 'estimated' } as const;
    const text = describeOrigin({
      settings: {},
      tokenizers: Object.fromEntries(against.map((model) => [model, measured])),
      recorded: countRecordedModels([{ recordedModel: OPUS }]),
    });
    expect(text.includes('recorded with')).toBe(expected.length > 0);
    for (const words of expected) expect(text).toMatch(words);
  });
});
