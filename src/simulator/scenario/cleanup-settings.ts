import { type CleanupName, type CleanupPolicy, defaultCleanups } from '../../engine/index.ts';
import { type Setting, toggle } from './setting.ts';

/** Clean-ups of a policy, one by one. */
export const cleanupSettings = {
  clearDuplicates: cleanup(
    'duplicates',
    'Whether outputs are cleared once the same call is made again.',
  ),
  clearSuperseded: cleanup(
    'superseded',
    'Whether what was written to a file is cleared once the file is read.',
  ),
  clearFailedInputs: cleanup('failed-inputs', 'Whether inputs of failed calls are cleared.'),
  clearMedia: cleanup('media', 'Whether images and documents of old turns are cleared.'),
  clearReasoning: cleanup('reasoning', 'Whether reasoning of old turns is cleared.'),
} satisfies Record<string, Setting>;

/** The clean-up that each of them switches. */
export const cleanupOf: Readonly<Record<keyof typeof cleanupSettings, CleanupName>> = {
  clearDuplicates: 'duplicates',
  clearSuperseded: 'superseded',
  clearFailedInputs: 'failed-inputs',
  clearMedia: 'media',
  clearReasoning: 'reasoning',
};

/** Adds a clean-up with its usual numbers, behind those that a policy has, or takes its own away. */
function cleanup(name: CleanupName, describes: string): Setting {
  return toggle(describes, (isOn, { prune: { cleanups = [] } }) => {
    const isIn = cleanups.some(({ pass }) => pass === name);
    if (isIn === isOn) return {};
    const changed: readonly CleanupPolicy[] = isOn
      ? [...cleanups, defaultCleanups[name]]
      : cleanups.filter(({ pass }) => pass !== name);
    return { policy: { prune: { cleanups: changed } } };
  });
}
