import { existsSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { policies, type PolicyName } from '../../../../src/engine/index.ts';
import { generateSession } from '../../../../src/simulator/scenario/workload/generate-session.ts';
import { findWorkload, workloads } from '../../../../src/simulator/scenario/workload/workload.ts';
import { discoverSessionFiles } from '../../../../src/simulator/session/files/discover.ts';
import { loadSessions } from '../../../../src/simulator/session/load.ts';
import type { Session } from '../../../../src/simulator/session/session.ts';
import { createCountCache, loadTokenizer } from '../../../../src/simulator/tokens/tokenizer.ts';
import { assertReaching } from '../../../support/reaching.ts';
import { FOLDER, note } from '../../session/manifest.ts';
import { countPieces, decide, largestStep, pairOf } from './same-decisions.ts';

const counted = createCountCache(await loadTokenizer('o200k_base'));
const count = (text: string): number => counted.count(text);
const TIMEOUT_MS = 1_800_000;
/** The window of most models, and one in which shorter sessions are compacted too. */
const WINDOWS = [200_000, 60_000];
const policy = policies['opencode-1.2.16'];

/** Sessions with a step, and the name of each. */
function* recordedSessions(): Generator<Session> {
  for (const loaded of loadSessions(discoverSessionFiles([FOLDER]).files)) {
    if (loaded.state !== 'read') continue;
    const { session } = loaded;
    if (session.messages.some(({ role }) => role === 'assistant')) yield session;
  }
}

describe(`the outline of a recorded session${note}`, () => {
  it.skipIf(!existsSync(FOLDER))(
    'replays to the same decisions as the session',
    { timeout: TIMEOUT_MS },
    () => {
      const others: string[] = [];
      let pivots = 0;
      for (const session of recordedSessions()) {
        const pair = pairOf(session, count);
        for (const contextTokens of WINDOWS) {
          const { events } = decide(pair.recorded, { policy, contextTokens });
          const again = decide(pair.outlined, { policy, contextTokens });
          if (again.events.join() !== events.join())
            others.push(`${session.name} ${contextTokens}`);
          if (events.some((event) => event.startsWith('pivot'))) pivots += 1;
        }
      }
      expect(others).toEqual([]);
      expect(pivots).toBeGreaterThan(10);
    },
  );
});

/** They go by what was reported, by how many characters outputs and messages have, and by their order, and cut no output. */
const BY_SIZES: readonly PolicyName[] = [
  'opencode-1.0.224',
  'opencode-1.2.16',
  'document-004',
  'claude-code',
  'rolling-window',
];
const RUNS = 6;

const seeds = fc.record({
  workload: fc.constantFrom(...Object.keys(workloads)),
  seed: fc.nat(1_000_000),
  share: fc.double({ min: 0.3, max: 0.8, noNaN: true }),
});

describe('the outline of a generated session', () => {
  it('replays to the same decisions as the session', () => {
    let pivots = 0;
    let prunes = 0;
    assertReaching(
      fc.property(seeds, fc.constantFrom(...BY_SIZES), ({ workload, seed, share }, name) => {
        const session = generateSession(findWorkload(workload), { seed, index: 0 });
        const pair = pairOf(session, countPieces);
        const contextTokens = Math.round(share * largestStep(pair));
        const options = { policy: policies[name], contextTokens };
        const recorded = decide(pair.recorded, options);
        expect(decide(pair.outlined, options)).toEqual(recorded);
        if (recorded.events.some((event) => event.startsWith('pivot'))) pivots += 1;
        if (recorded.events.some((event) => event.startsWith('prune'))) prunes += 1;
      }),
      { numRuns: RUNS },
    );
    expect(pivots + prunes).toBeGreaterThan(RUNS / 3);
  });
});
