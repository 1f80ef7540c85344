/** How a gate holds a number against a baseline or a limit. */
export const gateTypes = {
  exact: { describes: 'The number of the baseline.' },
  max: { describes: 'At most the limit, whatever the baseline has.' },
  min: { describes: 'At least the limit, whatever the baseline has.' },
  ratio: { describes: 'At most that many times the number of the baseline.' },
  noninferior: {
    describes:
      "No worse than the baseline by more than the margin, in the metric's own unit, of costUsd as a share (0.05 is 5 %); over all runs, with the whole interval of their mean difference, of costUsd of their mean ratio.",
  },
} as const;

/** The name of a type of gates. */
export type GateType = keyof typeof gateTypes;
