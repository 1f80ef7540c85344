import { Command } from '@commander-js/extra-typings';
import { listed } from '../../simulator/listed.ts';
import { quoted } from '../../simulator/names.ts';
import { makesWait } from '../../simulator/summarizer/summarizers.ts';
import { addModelOptions, type ModelOptions } from './options.ts';

/** Options of real models that were given where none is asked, in one sentence; nothing where there are none, or one is. */
export function describeUnasked(
  options: ModelOptions,
  answerers: readonly string[],
): readonly string[] {
  const names = namesOfGiven(options);
  if (names.length === 0 || answerers.some(makesWait)) return [];
  const verb = names.length === 1 ? 'changes' : 'change';
  return [`${listed(names, 'and')} ${verb} nothing: no real model is asked.`];
}

/** As the command line has them, but for a dry run: one of no real model is an error instead. */
function namesOfGiven(options: ModelOptions): readonly string[] {
  const values = new Map(Object.entries({ ...options, dryRun: undefined }));
  return addModelOptions(new Command())
    .options.filter((option) => values.get(option.attributeName()) !== undefined)
    .map(({ long, flags }) => quoted(long ?? flags));
}
