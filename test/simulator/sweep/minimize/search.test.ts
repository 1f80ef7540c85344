import { beforeAll, describe, expect, it } from 'vitest';
import { HarnessError } from '../../../../src/simulator/lib/errors.ts';
import { type MetricName, metrics } from '../../../../src/simulator/metrics/metrics.ts';
import { readCatalog } from '../../../../src/simulator/provider/catalog.ts';
import type { CountText } from '../../../../src/simulator/replay/count.ts';
import type { ScenarioRunResult } from '../../../../src/simulator/report/check-report.ts';
import { parseScenario } from '../../../../src/simulator/scenario/file/read-scenario.ts';
import type { OpenCompactor } from '../../../../src/simulator/sweep/adapter/command-compactor.ts';
import { ADAPTER_POLICY } from '../../../../src/simulator/sweep/adapter/run-scenario.ts';
import type { Outline } from '../../../../src/simulator/sweep/minimize/outline.ts';
import { createTrial, searchMinimal } from '../../../../src/simulator/sweep/minimize/search.ts';
import {
  adapterSubject,
  parseExpression,
  policySubject,
} from '../../../../src/simulator/sweep/minimize/target.ts';
import {
  createToScenario,
  writeScenario,
} from '../../../../src/simulator/sweep/minimize/write-scenario.ts';
import { chat, fixed, modelOf, traceOf } from '../../replay/lab.ts';

const frame = {
  why: 'It is tried.',
  overheadTokens: 1_000,
  model: 'local/small',
  modelSet: { contextTokens: 100_000 },
  policy: 'none',
  policySet: {},
  summarizer: 'extractive',
  seed: 1,
};
const run = { policy: ADAPTER_POLICY, model: modelOf(), summarizer: fixed, seed: 1 };
const environment = {
  catalog: readCatalog(),
  countOf: async () => (text: string) => Math.ceil(text.length / 4),
};

/** It gives up at a conversation of more than four messages, and wherever somebody wants it to stop. */
function fragile(signal?: AbortSignal): OpenCompactor {
  return {
    compact: ({ messages }) => {
      if (messages.length > 4 || signal?.aborted === true)
        throw new HarnessError('BAD_ADAPTER', 'It has given up.');
      return messages;
    },
    end: () => {},
  };
}

/** A search in a session of six turns. */
function search(controller: AbortController, open: (signal?: AbortSignal) => OpenCompactor) {
  return searchMinimal({
    trace: traceOf(chat(6, 100)),
    run,
    frame,
    subject: adapterSubject(open, controller.signal),
    target: parseExpression('state = failed'),
    withTexts: false,
    environment,
    signal: controller.signal,
  });
}

describe('a search for what an adapter gives up at', () => {
  it('ends with as many messages as it takes, and expects nothing of a file', async () => {
    const found = await search(new AbortController(), fragile);
    expect(found).toMatchObject({ state: 'found', wasStopped: false });
    const { minimal, scenario, result } = found as Extract<typeof found, { state: 'found' }>;
    expect(minimal.turns.flatMap(({ steps }) => steps)).toHaveLength(3);
    expect(scenario).toContain('expect: {}');
    expect(result).toMatchObject({ policy: 'adapter', reason: 'It has given up.' });
  });

  it.each([5, 6, 7, 8])(
    'takes nothing for smaller that a wish to stop broke off, in run %i',
    async (stoppedIn) => {
      const controller = new AbortController();
      let runs = 0;
      const found = await search(controller, (signal) => {
        runs += 1;
        if (runs === stoppedIn) controller.abort();
        return fragile(signal);
      });
      expect(found).toMatchObject({ state: 'found', wasStopped: true });
      const { minimal } = found as Extract<typeof found, { state: 'found' }>;
      expect(minimal.turns.flatMap(({ steps }) => steps).length).toBeGreaterThanOrEqual(3);
    },
  );
});

describe('try outline', () => {
  const count: CountText = (text) => Math.ceil(text.length / 4);
  const environment = { catalog: readCatalog(), countOf: async () => count };
  const frame = {
    why: 'It is tried.',
    overheadTokens: 1_000,
    model: 'anthropic/claude-sonnet-4-5',
    modelSet: { contextTokens: 30_000, outputTokens: 2_000 },
    policy: 'opencode-1.2.16',
    policySet: { protect: 2_000, minimum: 1_000 },
    summarizer: 'extractive',
    seed: 1,
  };

  const word = (text: string) => ({ tokens: 1, text });
  const fileOf = (name: string) =>
    Array.from(
      { length: 180 },
      (_, line) => `Line ${line} of kettle${name} tells of tea and steam.`,
    ).join('\n');
  /** The last turn reads again what was pruned of the first. */
  const outline: Outline = {
    turns: [0, 1, 2, 3, 4].map((turn) => ({
      idleSeconds: 600 * turn,
      user: word(`Read kettle${turn}.ts once more, please.`),
      steps: Array.from({ length: 6 }, (_, step) => ({
        idleSeconds: 0,
        parts: [
          { type: 'text' as const, ...word(`Now kettle${turn % 4}${step}.ts.`) },
          {
            type: 'tool' as const,
            tool: 'read',
            status: 'completed' as const,
            input: word(`{ "filePath": "src/kettle${turn % 4}${step}.ts" }`),
            output: word(fileOf(`${turn % 4}${step}`)),
          },
        ],
      })),
    })),
  };

  const trialFor = (text: string) =>
    createTrial({ frame, environment, subject: policySubject, target: parseExpression(text) });
  const shows = (text: string) => trialFor(text).shows(outline);

  const names = Object.keys(metrics) as MetricName[];

  const made: { whole?: ScenarioRunResult } = {};
  beforeAll(async () => {
    made.whole = await trialFor('steps > 0').check(outline);
  });

  describe('a trial of an outline', () => {
    it('is made of a session that prunes, compacts and misses something', () => {
      const { prunes, compactions, misses } = made.whole!.metrics;
      expect(Math.min(prunes!, compactions!, misses!)).toBeGreaterThan(0);
    });

    it.each(names)('shows %s as the whole run has it', async (name) => {
      const value = made.whole!.metrics[name];
      const told = value === null ? `${name} unknown` : `${name} = ${value}`;
      const other = value === null ? `${name} = 0` : `${name} != ${value}`;
      expect([await shows(told), await shows(other)]).toEqual([true, false]);
    });

    it('knows states and laws without them, too', async () => {
      const { state, events } = made.whole!;
      expect(await shows(`state = ${state}`)).toBe(true);
      expect(await shows('state = refused')).toBe(false);
      expect(events.some((event) => event.type === 'reference')).toBe(true);
    });

    it('shows nothing without a step', async () => {
      expect(await trialFor('steps = 0').shows({ turns: [] })).toBe(false);
    });
  });

  it('makes of an outline the scenario of its file, and parses each line once', () => {
    const toScenario = createToScenario(frame);
    const smaller = { turns: outline.turns.slice(1) };
    for (const one of [outline, smaller, outline]) {
      const { runs } = parseScenario('minimal.yaml', writeScenario(one, frame));
      const [fromFile] = runs;
      const [run] = toScenario(one).runs;
      expect(run?.session).toEqual(fromFile?.session);
      expect(run?.policy).toEqual(fromFile?.policy);
      expect(run?.model.value).toEqual(fromFile?.model.value);
      expect(run?.seed).toBe(fromFile?.seed);
    }
  });
});
