/** Metrics named before anything is measured; all others are descriptive. Source: evaluation design, section 9.5. */
export const PRIMARY_METRICS: readonly string[] = ['costUsd', 'regretUsd', 'compactions'];
