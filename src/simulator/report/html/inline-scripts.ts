/** The files of a page by their names. */
export type ReadSource = (name: string) => string;

/** What a script may import: names of another script of the page. */
const IMPORT = /^import \{([^}]*)\} from\s'\.\/([\w-]+\.js)';\n/gm;
const EXPORT = /^export (?=(?:async )?(?:function|const) (\w+))/gm;
/** Comments that have lines of their own. */
const COMMENT = /^ *(?:\/\/.*|\/\*\*.*\*\/|\/\*\*.*\n(?: *\*.*\n)* *\*\/)\n/gm;
const EMPTY_LINES = /\n{2,}/g;

/**
 * A script and those that it needs as one script: each is a function that is run once, after those that it imports, so
 * that its own names are its own.
 */
export function inlineScripts(entry: string, readSource: ReadSource): string {
  const modules = new Map<string, string>();
  addModule(entry, readSource, modules);
  return ['const modules = {};', ...modules.values()].join('\n');
}

function addModule(name: string, readSource: ReadSource, modules: Map<string, string>): void {
  const source = readSource(name);
  for (const [, , needed = ''] of source.matchAll(IMPORT)) {
    if (!modules.has(needed)) addModule(needed, readSource, modules);
  }
  modules.set(name, toModule(name, source));
}

function toModule(name: string, source: string): string {
  const exported = [...source.matchAll(EXPORT)].map(([, word]) => word);
  const code = source
    .replaceAll(COMMENT, '')
    .replaceAll(IMPORT, "const {$1} = modules['$2'];\n")
    .replaceAll(EXPORT, '')
    .replaceAll(EMPTY_LINES, '\n');
  return `modules['${name}'] = (() => {\n${code.trim()}\nreturn { ${exported.join(', ')} };\n})();`;
}
