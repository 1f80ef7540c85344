import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { policies } from '../../../../src/engine/index.ts';
import { discoverSessionFiles } from '../../../../src/simulator/session/files/discover.ts';
import { loadSessions } from '../../../../src/simulator/session/load.ts';
import type { Session } from '../../../../src/simulator/session/session.ts';
import { createCountCache } from '../../../../src/simulator/tokens/count-cache.ts';
import { loadTokenizer } from '../../../../src/simulator/tokens/tokenizer.ts';
import { FOLDER, note } from '../../session/manifest.ts';
import { decide, type Kept, pairOf } from './same-decisions.ts';

const counted = createCountCache(await loadTokenizer('o200k_base'));
const count = (text: string): number => counted.count(text);
const TIMEOUT_MS = 600_000;
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
  it.skipIf(!existsSync(FOLDER)).each<Kept>(['sizes', 'texts'])(
    'replays to the same decisions as the session, with its %s',
    { timeout: TIMEOUT_MS },
    (kept) => {
      const others: string[] = [];
      let pivots = 0;
      for (const session of recordedSessions()) {
        const pair = pairOf(session, kept, count);
        for (const contextTokens of WINDOWS) {
          const { events } = decide(pair.recorded, { kept, policy, contextTokens });
          const again = decide(pair.outlined, { kept, policy, contextTokens });
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
