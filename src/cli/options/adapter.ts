import { badOption } from '../../simulator/errors.ts';

/** Throws where an adapter is no command. */
export function checkAdapter(command: string): void {
  if (command.trim() === '') throw badOption("Expected '--adapter' to be a command, got nothing.");
}
