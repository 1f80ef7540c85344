import { describe, expect, it } from 'vitest';
import { agents, type AgentName, compare } from '../../oracle/agents.ts';
import { claimOf } from '../../oracle/claims.ts';
import { readRecords } from '../../oracle/record.ts';
import { type PolicyName, type PresetOrigin, presetOrigins } from '../../src/engine/index.ts';

const origins = Object.entries(presetOrigins) as [PolicyName, PresetOrigin][];
const releases = [
  ...new Map(
    readRecords().map(({ agent, version }) => [`${agent}@${version}`, { agent, version }]),
  ).values(),
];
const observed = origins.filter(
  ([, { evidence, by }]) => evidence === 'observed' && by === undefined,
);

/** Recorded releases of a preset. */
function pinsOf(name: PolicyName): readonly string[] {
  return releases
    .filter(({ agent, version }) => claimOf(agent as AgentName, version)?.name === name)
    .map(({ version }) => version);
}

/** Named ends of a range that no record is of. */
function openEnds(name: PolicyName, { from, to }: PresetOrigin): readonly string[] {
  const pins = pinsOf(name);
  return [from, to].flatMap((end) =>
    end === undefined || end === '0.0.0' || pins.includes(end) ? [] : [`${name}: ${end}`],
  );
}

describe('a preset that was observed', () => {
  it.each(observed)('has a record of a release that it claims: %s', (name) => {
    expect(pinsOf(name)).not.toEqual([]);
  });

  it('has records of both ends of its range, but for these', async () => {
    await expect(observed.flatMap(([name, origin]) => openEnds(name, origin))).toMatchFileSnapshot(
      '../fixtures/snapshots/oracle-origins.txt',
    );
  });

  it('is known from recordings only where nobody runs the agent', () => {
    const run = Object.values(agents).map(({ label }) => label);
    const recorded = origins.filter(([, { by }]) => by === 'recordings');
    expect(recorded.filter(([, { agent }]) => run.includes(agent))).toEqual([]);
    expect(recorded.filter(([, { evidence }]) => evidence !== 'observed')).toEqual([]);
  });
});

describe('releases', () => {
  const ranges = origins.flatMap(([name, { agent, from, to = 'newest' }]) =>
    from === undefined ? [] : [{ name, agent, from, to }],
  );
  const isAfter = (one: string, other: string) => other !== 'newest' && compare(one, other) > 0;

  it.each(ranges)('of $name go up: $from to $to', ({ from, to }) => {
    expect(to === 'newest' || compare(from, to) <= 0).toBe(true);
  });

  it('are claimed by one preset of their agent', () => {
    const overlaps = ranges.flatMap((one, place) =>
      ranges
        .slice(place + 1)
        .filter(
          ({ agent, from, to }) =>
            agent === one.agent && !isAfter(from, one.to) && !isAfter(one.from, to),
        )
        .map(({ name }) => `${one.name}, ${name}`),
    );
    expect(overlaps).toEqual([]);
  });
});

it('origins stand under the presets that there are, with a date', () => {
  for (const [, { date }] of origins) expect(date).toMatch(/^20\d\d-\d\d(-\d\d)?$/);
});
