import { describe, expect, it } from 'vitest';
import { formats } from '../../../src/simulator/report/formats.ts';
import { describeRecordedModels } from '../../../src/simulator/report/recorded-models.ts';
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
  ])('tells %s', (_, models, expected) => {
    expect(describeRecordedModels(recordedWith(models))).toEqual(expected);
  });

  it.each(['table', 'markdown', 'html', 'json'] as const)('stands in the report as %s', (name) => {
    const render = (models: readonly string[]) =>
      formats[name]
        .render(sampleReport({ provenance: recordedWith(models) }), { colors: false })
        .replaceAll(/[\s`]+/g, ' ');
    const words =
      name === 'json'
        ? `"recordedModel": "${OPUS}"`
        : '1 of 1 sessions was recorded with another model';
    expect(render([OPUS])).toContain(words);
    expect(render([SAME])).not.toContain(words);
  });
});
