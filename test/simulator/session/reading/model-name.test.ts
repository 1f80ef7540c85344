import { expect, it } from 'vitest';
import { toModelName } from '../../../../src/simulator/session/reading/model-name.ts';

it.each<[string, string, string?]>([
  ['kettle-1', 'unknown/kettle-1'],
  ['kettle-1', 'tea/kettle-1', 'tea'],
  ['stove/kettle-1', 'stove/kettle-1'],
  ['stove/kettle-1', 'stove/kettle-1', 'tea'],
  ['stove/tea/kettle-1', 'stove/tea/kettle-1'],
  ['litellm_proxy/stove/kettle-1', 'stove/kettle-1'],
  ['litellm_proxy/kettle-1', 'unknown/kettle-1'],
  ['stove/litellm_proxy/kettle-1', 'stove/litellm_proxy/kettle-1'],
])('of the recorded model %s is %s', (recorded, expected, provider) => {
  expect(toModelName(recorded, provider)).toBe(expected);
});
