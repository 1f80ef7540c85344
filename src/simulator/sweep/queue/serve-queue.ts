import { badOption, type HarnessError } from '../../errors.ts';
import { quoted } from '../../names.ts';
import { connect, readRefusal } from './connection.ts';
import { findWork } from './find-work.ts';
import { loadPackages } from './packages.ts';
import type { Flaw, ServeContext, ServeOptions } from './serve-context.ts';
import { serveSweep } from './serve-sweep.ts';
import { pause } from '../wait.ts';

const POLL_MS = 500;

/** Runs the tasks of all sweeps of a server, one sweep after another, until the signal fires; tasks in hand are finished then. */
export async function serveQueue(options: ServeOptions): Promise<void> {
  const packages = await loadPackages();
  const connection = await connect(options.url, packages, options);
  if (connection === undefined) return;
  const told = {
    served: new Set<string>(),
    refused: new Map<string, Flaw>(),
    refusals: new Set<string>(),
  };
  const context: ServeContext = { ...options, packages, connection, queues: new Map(), ...told };
  try {
    let name: string | undefined;
    while (!options.signal.aborted) {
      name = await findWork(context, name);
      if (name !== undefined) await serveSweep(name, context);
      else if (options.endsWhenIdle) break;
      else await pause(POLL_MS, options.signal);
    }
  } catch (error) {
    throw readRefusal(error, options.url);
  } finally {
    connection.close();
  }
  if (context.refused.size > 0 && !options.signal.aborted) throw leftAlone(context);
}

function leftAlone({ refused, version }: ServeContext): HarnessError {
  const namesOf = (flaw: Flaw) =>
    [...refused].flatMap(([name, is]) => (is === flaw ? [quoted(name)] : [])).join(', ');
  const others = namesOf('version');
  if (others === '') {
    return badOption(`Expected sweeps as 'sweep --queue' puts them there, got ${namesOf('form')}.`);
  }
  return badOption(
    `Expected sweeps of version ${version}, but ${others} has another; install the version that planned it.`,
  );
}
