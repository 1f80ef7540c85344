import * as z from 'zod';

/** Where a number lies, in any JSON report. */
export const IntervalShape = z.looseObject({ low: z.number(), high: z.number() });

/** A number with its interval, which is `null` where the sample is too small. */
export const EstimateShape = z.looseObject({
  value: z.number(),
  interval: IntervalShape.nullable(),
});

/** What an interval says of a difference. */
export const VerdictShape = z.enum(['lower', 'higher', 'equivalent', 'within noise', 'too few']);

/** How a number is measured. */
export const UnitShape = z.enum(['tokens', 'count', 'usd', 'ms', 'ratio', 'factor']);

/** What a setting is set to. */
export const SettingShape = z.union([z.number(), z.boolean(), z.string()]);

/** Settings by their names. */
export const SettingsShape = z.record(z.string(), SettingShape);

/** Whether a run is an open or a closed loop. */
export const ModeShape = z.enum(['open-loop', 'closed-loop']);

/** Sessions that are not compared, and why. */
export const LeftOutShape = z.array(z.looseObject({ session: z.string(), reason: z.string() }));

/** Inputs that could not be read, and why. */
export const UnreadShape = z.array(z.looseObject({ file: z.string(), reason: z.string() }));
