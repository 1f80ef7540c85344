import { describe, expect, it } from 'vitest';
import { findInputs } from '../../../src/cli/inputs/run-inputs.ts';

describe('findInputs', () => {
  it('shows the sessions of the package by names from which their paths can be told', () => {
    const inputs = findInputs([]);
    const shown = inputs.files.map((file) => inputs.nameOf(file));
    expect(shown[0]).toMatch(/^scenarios\/recorded\//);
    expect(shown.map((name) => inputs.pathOf(name))).toEqual(inputs.files);
    expect(inputs.pathOf(`${shown[0]}#1`)).toBe(`${inputs.files[0]}#1`);
  });

  it.each([[['-']], [['scenarios/recorded', '-']]])(
    'says of %j who reads standard input',
    (inputs) => {
      expect(() => findInputs(inputs)).toThrow(
        "Expected files, folders or patterns, got '-': standard input is read by 'stats' alone, as its only input.",
      );
    },
  );
});
