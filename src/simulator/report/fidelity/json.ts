import {
  addCosts,
  type FidelityErrors,
  type FidelityMeasure,
  poolErrors,
  type SessionFidelity,
  summariseErrors,
} from '../../metrics/fidelity.ts';
import { jsonText } from '../json-text.ts';
import type { FidelityReport } from './fidelity-report.ts';
import { describeSurprises } from './surprises.ts';

/** Median absolute errors of each session and of all together, and what all cost in nano-dollars if that is known, for programs. */
export function renderFidelityJson({ origin, sessions, unread }: FidelityReport): string {
  const document = {
    origin,
    sessions: sessions.map(toRow),
    overall: toFigures(poolErrors(sessions.map(({ errors }) => errors))),
    costs: addCosts(sessions.map(({ costs }) => costs)),
    unread: unread.map(({ file, reason }) => ({ file, reason })),
  };
  return jsonText(document);
}

function toRow(fidelity: SessionFidelity) {
  const { session: file, format, steps, errors } = fidelity;
  const reason = fidelity.reason ?? describeSurprises([fidelity]).join('; ');
  return { file, format, steps, ...toFigures(errors), ...(reason !== '' && { reason }) };
}

/** Ratios; `null` where nothing was compared. */
function toFigures(errors: FidelityErrors) {
  const of = (measure: FidelityMeasure) => summariseErrors(errors[measure])?.medianAbsolute ?? null;
  return {
    contextErrorOneStep: of('contextOneStep'),
    contextErrorFreeRunning: of('contextFreeRunning'),
    cacheShareError: of('cacheShare'),
    costError: of('cost'),
  };
}
