import type { SessionFidelity } from '../../metrics/fidelity.ts';
import type { Origin } from '../origin.ts';
import type { UnreadInput } from '../report.ts';

/** How predictions compare with recordings, ready to be rendered. */
export interface FidelityReport {
  readonly origin: Origin;
  readonly sessions: readonly SessionFidelity[];
  readonly unread: readonly UnreadInput[];
}
