import type { Placed } from '../../scenario/file/expectation.ts';
import type { Expectation } from '../../scenario/file/scenario.ts';
import { shownValue } from './compare.ts';
import type { Observation } from './observe.ts';
import type { ExpectationFailure } from '../../report/check/result.ts';

/** What is wrong with what the model and the summarizer were shown. */
export function evaluateTexts(
  { sees, misses, summarizerSees, summarizerMisses }: Expectation,
  observation: Observation,
): readonly ExpectationFailure[] {
  const seen = sees.length + misses.length === 0 ? [] : observation.seen();
  const asked = observation.summaryTexts;
  return [
    ...failing(sees, 'the model to see', (text) => (has(seen, text) ? undefined : 'it gone')),
    ...failing(misses, 'the model not to see', (text) => (has(seen, text) ? 'it' : undefined)),
    ...failing(summarizerSees, 'every summary request to hold', (text) => gapIn(asked(), text)),
    ...failing(summarizerMisses, 'no summary request to hold', (text) => leakIn(asked(), text)),
  ];
}

/** The texts of which `gotOf` tells something, which is then what is wrong. */
function failing(
  texts: readonly Placed<string>[],
  expected: string,
  gotOf: (text: string) => string | undefined,
): readonly ExpectationFailure[] {
  return texts.flatMap(({ value, at }) => {
    const got = gotOf(value);
    return got === undefined ? [] : [{ ...at, expected: `${expected} ${shownValue(value)}`, got }];
  });
}

function gapIn(requests: readonly (readonly string[])[], text: string): string | undefined {
  if (requests.length === 0) return 'no summary request';
  const without = requests.filter((request) => !has(request, text)).length;
  return without === 0 ? undefined : `${without} of ${requests.length} without it`;
}

function leakIn(requests: readonly (readonly string[])[], text: string): string | undefined {
  const withIt = requests.filter((request) => has(request, text)).length;
  return withIt === 0 ? undefined : `${withIt} of ${requests.length} with it`;
}

function has(texts: readonly string[], wanted: string): boolean {
  return texts.some((text) => text.includes(wanted));
}
