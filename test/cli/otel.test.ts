import { beforeAll, describe, expect, it } from 'vitest';
import { callMain, words } from '../support/command.ts';

interface WrittenSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly {
    readonly key: string;
    readonly value: Readonly<Record<string, string | boolean>>;
  }[];
}

const RUN = words(
  'run scenarios/recorded/csv-format.json --policy none,opencode-1.2.16 --set contextTokens=60000 --format',
);
const valuesOf = ({ attributes }: WrittenSpan) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
let spans: readonly WrittenSpan[] = [];

beforeAll(async () => {
  const { stdout } = await callMain([...RUN, 'otel']);
  spans = JSON.parse(stdout).resourceSpans[0].scopeSpans[0].spans;
});

describe('a run as OpenTelemetry spans', () => {
  it('has a span a request, whose tokens are those of the report', async () => {
    const { stdout } = await callMain([...RUN, 'json']);
    for (const { policy, metrics } of JSON.parse(stdout).runs) {
      const own = spans.map(valuesOf).filter((one) => one['compaction_bench.policy'] === policy);
      const sum = (name: string) =>
        own.reduce((total, one) => total + Number(one[`gen_ai.usage.${name}`]), 0);
      expect(own).toHaveLength(metrics.steps + metrics.compactions);
      expect(sum('input_tokens')).toBe(metrics.inputTokens + metrics.summaryInputTokens);
    }
  });

  it('marks requests behind a pivot, and no others', () => {
    const told = spans.map(valuesOf);
    const compacted = told.filter((one) => one['gen_ai.conversation.compacted'] === true);
    const summary = told.findIndex((one) => one['compaction_bench.request'] === 'summary');
    expect(summary).toBeGreaterThan(0);
    expect(compacted.length).toBeGreaterThan(0);
    expect(told.indexOf(compacted[0] ?? {})).toBe(summary + 1);
    expect(compacted.every((one) => one['compaction_bench.policy'] === 'opencode-1.2.16')).toBe(
      true,
    );
  });

  it('gives spans ids of their own, and times one behind another', () => {
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
    for (const { traceId, spanId, startTimeUnixNano, endTimeUnixNano } of spans) {
      expect([traceId, spanId].join(' ')).toMatch(/^[0-9a-f]{32} [0-9a-f]{16}$/);
      expect(BigInt(endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(startTimeUnixNano));
    }
  });
});
