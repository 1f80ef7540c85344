/** How a gate holds a number against a baseline or a limit. */
export const gateTypes = {
  exact: { describes: "Exactly the baseline's number." },
  max: { describes: 'At most the limit, whatever the baseline has.' },
  min: { describes: 'At least the limit, whatever the baseline has.' },
  ratio: { describes: "At most this multiple of the baseline's number." },
  noninferior: {
    describes:
      "No worse than the baseline by more than the margin; over all runs, not even at the worst end of the interval of their mean difference, for which it takes two independent scenarios. The margin is in the metric's own unit; for costUsd it is a share (0.05 is 5 %), and the interval that of their mean ratio.",
  },
} as const;

/** The name of a type of gates. */
export type GateType = keyof typeof gateTypes;
