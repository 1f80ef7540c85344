import { jsonText } from '../json-text.ts';
import { changedSettings, toConfigChange } from './config.ts';
import { TUNE_VERSION, type TuneReport } from './tune-report.ts';

/** Everything, for programs, with what to write in a configuration. */
export function renderTuneJson(report: TuneReport): string {
  const { advice, policy, today } = report;
  const isChange = advice.state === 'change' || advice.state === 'trade-off';
  const config = isChange
    ? toConfigChange(policy, changedSettings(advice.settings, today.settings))
    : null;
  const document = { tuneVersion: TUNE_VERSION, ...report, config };
  return jsonText(document);
}
