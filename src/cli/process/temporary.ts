/** Something on disk that does not outlive the process. */
export interface Temporary<Made> {
  readonly made: Made;
  /** Removes it before that. */
  readonly remove: () => void;
}

/** Signals by which others end a process, as `timeout` does; the one of the keyboard is heard elsewhere. */
const ENDINGS = ['SIGTERM', 'SIGHUP'] as const;

/** Makes something that goes with the process, however that ends but by a signal that nobody hears. */
export function makeTemporary<Made>(make: () => Made, take: (made: Made) => void): Temporary<Made> {
  const all: Made[] = [];
  const takeAll = () => {
    for (const made of all.splice(0)) take(made);
  };
  const takeAndEnd = (signal: NodeJS.Signals) => {
    takeAll();
    process.kill(process.pid, signal);
  };
  const remove = () => {
    process.off('exit', takeAll);
    for (const signal of ENDINGS) process.off(signal, takeAndEnd);
    takeAll();
  };
  // A reader that stops early, as in `… | head`, ends the process where it stands.
  process.once('exit', takeAll);
  for (const signal of ENDINGS) process.once(signal, takeAndEnd);
  try {
    // After that, for a signal may come at once.
    const made = make();
    all.push(made);
    return { made, remove };
  } catch (error) {
    remove();
    throw error;
  }
}
