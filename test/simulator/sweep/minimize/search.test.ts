import { describe, expect, it } from 'vitest';
import { HarnessError } from '../../../../src/simulator/errors.ts';
import { readCatalog } from '../../../../src/simulator/provider/catalog.ts';
import type { OpenCompactor } from '../../../../src/simulator/sweep/adapter/command-compactor.ts';
import { ADAPTER_POLICY } from '../../../../src/simulator/sweep/adapter/run-scenario.ts';
import { searchMinimal } from '../../../../src/simulator/sweep/minimize/search.ts';
import { adapterSubject } from '../../../../src/simulator/sweep/minimize/subject.ts';
import { parseExpression } from '../../../../src/simulator/sweep/minimize/target.ts';
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
