import type { LawName } from '../../../engine/index.ts';
import { checkedComparison, checkedMatch } from './checked.ts';
import { describeValue } from './describe-issue.ts';
import { toEvents } from './expect-events.ts';
import type { MetricExpectation, Placed } from './expectation.ts';
import type { Path, Places } from './places.ts';
import type { Expectation } from './scenario.ts';
import { type ExpectationEntry, LAW_NAMES } from './schema/expect.ts';

/** Where an expectation stands, and what else its file says. */
export interface ExpectOptions {
  readonly path: Path;
  readonly places: Places;
  readonly sources: readonly string[];
}

const METRIC = /^[a-z]\w*$/i;

/** What a file expects of a run, as data. */
export function toExpectation(entry: ExpectationEntry, options: ExpectOptions): Expectation {
  const { path, places } = options;
  const list = <Value>(key: string, values: readonly Value[]): readonly Placed<Value>[] =>
    values.map((value, index) => ({ value, at: places.at([...path, key, index]) }));
  const needles = (key: keyof ExpectationEntry, value: string | readonly string[] | undefined) =>
    list(key, asList(value));
  return {
    state: { value: asList(entry.state ?? 'completed'), at: places.at([...path, 'state']) },
    ...toReason(entry, options),
    ...toReproduced(entry, options),
    metrics: toMetrics(entry.metrics ?? {}, options),
    ...toEvents(entry.events ?? {}, { path: [...path, 'events'], places }),
    invariants: toInvariants(entry, options),
    violates: list('violates', entry.violates ?? []),
    sees: needles('sees', entry.sees),
    misses: needles('misses', entry.misses),
    summarizerSees: needles('summarizerSees', entry.summarizerSees),
    summarizerMisses: needles('summarizerMisses', entry.summarizerMisses),
  };
}

function toReason({ reason }: ExpectationEntry, { path, places }: ExpectOptions) {
  if (reason === undefined) return {};
  const at = [...path, 'reason'];
  return {
    reason: { value: checkedMatch(reason, 'contains', { path: at, places }), at: places.at(at) },
  };
}

function toReproduced({ reproduces }: ExpectationEntry, { path, places, sources }: ExpectOptions) {
  if (reproduces === undefined) return {};
  const at = [...path, 'reproduces'];
  if (!sources.includes(reproduces)) {
    throw places.problem(at, "one of the scenario's sources", describeValue(reproduces));
  }
  return { reproduces: { value: reproduces, at: places.at(at) } };
}

function toMetrics(
  metrics: Readonly<Record<string, number | string>>,
  { path, places }: ExpectOptions,
): readonly MetricExpectation[] {
  return Object.entries(metrics).map(([metric, text]) => {
    const at = [...path, 'metrics', metric];
    if (!METRIC.test(metric)) throw places.problem(at, 'a metric', describeValue(metric));
    return { metric, compare: checkedComparison(text, { path: at, places }), at: places.at(at) };
  });
}

/** `all` leaves out what is expected to be broken. */
function toInvariants(
  { invariants = [], violates = [] }: ExpectationEntry,
  { path, places }: ExpectOptions,
): readonly Placed<LawName>[] {
  const at = [...path, 'invariants'];
  if (invariants === 'all') {
    return LAW_NAMES.filter((law) => !violates.includes(law)).map((value) => ({
      value,
      at: places.at(at),
    }));
  }
  return invariants.map((value, index) => {
    if (!violates.includes(value)) return { value, at: places.at([...at, index]) };
    throw places.problem([...at, index], 'a law that is not under violates', describeValue(value));
  });
}

function asList<Value extends string>(
  value: Value | readonly Value[] | undefined,
): readonly Value[] {
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : value;
}
