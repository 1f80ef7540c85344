import { readFileSync } from 'node:fs';

/** A file of lines that begin with `$ `, each with what it comes to, below `# sentences`: `npx vitest --update` writes it anew. */
export function retold(path: string, tell: (line: string) => readonly string[]): string {
  const told = readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line) => {
      if (line.startsWith('# ')) return ['', line];
      return line.startsWith('$ ') ? [line, ...tell(line.slice(2))] : [];
    });
  return `${told.slice(1).join('\n')}\n`;
}
