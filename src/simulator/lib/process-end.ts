import process from 'node:process';

/** Signals by which others end a process, as `timeout` does; the one of the keyboard is heard elsewhere. */
const SIGNALS = ['SIGTERM', 'SIGHUP'] as const;

/**
 * Has something done when the process ends, also by one of these signals, but not by one that nobody hears. Gives a function
 * that takes this back.
 */
export function beforeEnd(act: () => void): () => void {
  const end = (signal: NodeJS.Signals) => {
    act();
    forget();
    process.kill(process.pid, signal);
  };
  const forget = () => {
    process.off('exit', act);
    for (const signal of SIGNALS) process.off(signal, end);
  };
  // A reader that stops early, as in `… | head`, ends the process where it stands.
  process.once('exit', act);
  for (const signal of SIGNALS) process.once(signal, end);
  return forget;
}
