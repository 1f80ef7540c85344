/** What the simulator checks of its callers with; a second entry, for these names are no part of the package's. */

export {
  anything,
  being,
  both,
  callable,
  expectForm,
  expectText,
  fields,
  finite,
  finiteOf,
  flag,
  having,
  kindOf,
  list,
  listOf,
  once,
  oneOf,
  optional,
  text,
  whole,
  withKeys,
} from './check.ts';
export { limitsForm, tokens } from './limits-form.ts';
export { messageForm, usageForm, userForm } from './message-form.ts';
export { policyForm } from './policy-form.ts';
