import { ALL_GUARDS, type GuardsPolicy, NO_GUARDS } from '../../engine/index.ts';
import { type Setting, times, toggle } from './setting.ts';

type SwitchName = {
  readonly [Name in keyof GuardsPolicy]: GuardsPolicy[Name] extends boolean ? Name : never;
}[keyof GuardsPolicy];

type LimitName = Exclude<keyof GuardsPolicy, SwitchName>;

/** Guards of a policy, all at once or one by one. */
export const guardSettings = {
  guards: toggle('Switches every guard on or off; single ones override it.', (isOn) => ({
    policy: { guards: isOn ? ALL_GUARDS : NO_GUARDS },
  })),
  rejectLargerSummary: guard(
    'rejectLargerSummary',
    'Rejects a summary that is not smaller than its head.',
  ),
  rejectEmptySummary: guard('rejectEmptySummary', 'Rejects a summary without text.'),
  rejectTruncatedSummary: guard('rejectTruncatedSummary', 'Rejects a summary that was cut off.'),
  rejectToolCallSummary: guard(
    'rejectToolCallSummary',
    'Rejects a summary that looks like a tool call.',
  ),
  maxIneffective: breaker(
    'maxIneffective',
    'Compactions in a row without effect before a stop; 0 means no limit.',
  ),
  maxRefilled: breaker(
    'maxRefilled',
    'Compactions in a row that the next two steps filled up again before a stop; 0 means no limit.',
  ),
  maxFailures: breaker('maxFailures', 'Failed attempts in a row before a stop; 0 means no limit.'),
  ignoreStaleUsage: guard('ignoreStaleUsage', 'Ignores usage from before the newest pivot.'),
  ignoreImplausibleUsage: guard('ignoreImplausibleUsage', 'Ignores usage that cannot be right.'),
  estimateMissingUsage: guard(
    'estimateMissingUsage',
    'Checks an estimate where usage is not reported or not believable.',
  ),
  learnWindow: guard('learnWindow', 'Adopts the window that a refusal names.'),
  stopIrreducible: guard('stopIrreducible', 'Stops when no pivot can get below the limit.'),
  remindMissingHeadings: guard(
    'remindMissingHeadings',
    'Asks once more when a summary has no headings.',
  ),
  shrinkSummaryRequest: guard(
    'shrinkSummaryRequest',
    'Retries with a smaller summary request when one was too large.',
  ),
} satisfies Record<string, Setting>;

function guard(name: SwitchName, describes: string): Setting {
  return toggle(describes, (isOn) => ({ policy: { guards: { [name]: isOn } } }));
}

function breaker(name: LimitName, describes: string): Setting {
  return times(describes, (limit) => ({ policy: { guards: { [name]: limit } } }));
}
