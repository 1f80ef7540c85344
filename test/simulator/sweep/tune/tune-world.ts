import {
  findObjective,
  type Observation,
  splitSessions,
} from '../../../../src/simulator/sweep/tune/tune-table.ts';
import { tune, type Tuned, type TuneOptions } from '../../../../src/simulator/sweep/tune/tune.ts';

type CostOf = (session: number, reserved: number, protect: number) => Partial<Observation>;

const RESERVED = [10, 20, 40];
const PROTECT = [1, 2];
/** Sessions of the world. */
export const SESSIONS = 20;

const points = RESERVED.flatMap((reserved) => PROTECT.map((protect) => ({ reserved, protect })));
/** The cells: today and a full grid. */
export const cells = [
  { id: 'today', settings: {} },
  ...points.map((settings) => ({ id: `${settings.reserved}/${settings.protect}`, settings })),
];

/** How the world is tuned. */
export const options: TuneOptions = {
  cells,
  today: { id: 'today', settings: { reserved: 20, protect: 1 } },
  varied: ['reserved', 'protect'],
  objectives: [findObjective('cost'), findObjective('compactions')],
  constraints: [],
  heldOutShare: 0.3,
  seed: 1,
};

/** Observations of a world in which a function says what each session comes to. */
export function observeAll(costOf: CostOf, today = options.today): readonly Observation[] {
  return cells.flatMap(({ id, settings }) =>
    Array.from({ length: SESSIONS }, (_, session) => {
      const { reserved, protect } = { ...today.settings, ...settings };
      const own = costOf(session, Number(reserved), Number(protect));
      const values = {
        costUsd: 1,
        compactions: 0,
        refusals: 0,
        inputTokens: session,
        ...own.values,
      };
      return {
        cell: id,
        session: `s${session}`,
        state: 'completed' as const,
        digest: JSON.stringify(values),
        ...own,
        values,
      };
    }),
  );
}

/** What tuning the world comes to. */
export function tuneWorld(costOf: CostOf, overrides: Partial<TuneOptions> = {}) {
  const outcome = tune(observeAll(costOf, overrides.today), { ...options, ...overrides });
  if (outcome.state !== 'tuned') throw new Error(outcome.reason);
  return outcome.tuned;
}

/** What a session came to. */
export const values = (costUsd: number, compactions = 0, refusals = 0) => ({
  values: { costUsd, compactions, refusals },
});

/** Its sessions, each of another size. */
export const sized = Array.from({ length: SESSIONS }, (_, size) => ({ session: `s${size}`, size }));
/** A session that is held out. */
export const [heldOut] = splitSessions(sized, {
  share: options.heldOutShare,
  seed: options.seed,
}).heldOut.flat();

/** What a session costs beside others where a setting makes no difference but scatter. */
export const scatter = (session: number, reserved: number) =>
  1 + 0.5 * Math.sin(7.3 * session + 3.1 * reserved);

/** A world whose cheapest cells are refused in one session, and loop in another. */
export const cheap = (session: number, reserved: number): Partial<Observation> => {
  if (reserved === 10) return values(0.1, 0, session === 3 ? 1 : 0);
  if (reserved === 40) return { ...values(0.2), ...(session === 5 && { state: 'loop' }) };
  return values(1);
};

/** A world in which more of a setting saves more tokens than today's. */
export const saved = (session: number, reserved: number) => ({
  values: { tokensSaved: reserved === 20 ? 0 : (reserved - 20) * (1 + session) },
});

/** The knee of the front; absent where it has none. */
export const kneeOf = ({ front }: Tuned) => front.find(({ isKnee }) => isKnee);
