import { type Message, render } from '../../engine/index.ts';
import { type CheckName, checks } from '../provider/checks/checks.ts';
import { NO_CHECKS, passedAlone, setOf } from '../provider/checks/passed.ts';
import { RECORDED } from './count.ts';

const CHECK_NAMES = Object.keys(checks) as readonly CheckName[];

/** Checks of form that a recording does not pass: a recorder leaves out, or cuts short, what its provider had seen. */
export function findOwnFaults(messages: readonly Message[]): readonly CheckName[] {
  const passed = passedAlone(render(messages, RECORDED));
  return CHECK_NAMES.filter((name) => (passed & setOf([name])) === NO_CHECKS);
}
