import type { RenderPolicy } from '../../engine/index.ts';
import { createLedger, type Ledger } from './ledger.ts';
import type { Trace } from './trace.ts';

type BookedTrace = Pick<Trace, 'basis' | 'count'>;

/** Runs of a trace see the same parts, so that what one run looked up the next one knows. */
const kept = new WeakMap<BookedTrace, Map<RenderPolicy, Ledger>>();

/** The ledger of a trace under one way to render; it stays as long as the trace. */
export function ledgerOf(trace: BookedTrace, render: RenderPolicy): Ledger {
  const ofTrace = kept.get(trace) ?? new Map<RenderPolicy, Ledger>();
  kept.set(trace, ofTrace);
  const { basis, count } = trace;
  const ledger = ofTrace.get(render) ?? createLedger({ basis, count, render });
  ofTrace.set(render, ledger);
  return ledger;
}
