/** The scenarios for summarizers that come with the package. */

import { generateSession } from '../../scenario/workload/generate-session.ts';
import { findWorkload } from '../../scenario/workload/workloads.ts';
import type { Language } from '../../scenario/workload/workload.ts';
import type { Session } from '../../session/session.ts';

/** Languages that the shipped scenarios are in. */
const LANGUAGES: readonly Language[] = ['english', 'chinese', 'japanese'];
const SESSIONS_PER_LANGUAGE = 4;
/** How many scenarios come with the package. */
export const SHIPPED_SCENARIOS = LANGUAGES.length * SESSIONS_PER_LANGUAGE;
const WORKLOAD = 'opencode';
const TURNS = { points: [[1, 8]] } as const;
const PLANTING = { factsPerKilotoken: 2, injections: 1 };

/** The scenarios that come with the package: small generated sessions that say what is to be kept of them. */
export function* shippedScenarios(): Generator<Session, void, undefined> {
  // Like no whole session: these are longer than a scenario has to be.
  const { sessions: _, ...base } = findWorkload(WORKLOAD);
  for (const [at, language] of LANGUAGES.entries()) {
    const workload = {
      ...base,
      name: language,
      languages: { [language]: 1 },
      turnsPerSession: TURNS,
      planting: PLANTING,
    };
    for (let index = 0; index < SESSIONS_PER_LANGUAGE; index++) {
      yield generateSession(workload, { seed: 1, index: at * SESSIONS_PER_LANGUAGE + index });
    }
  }
}
