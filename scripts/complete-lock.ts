import { readFileSync, writeFileSync } from 'node:fs';

/** One package of `package-lock.json`; only what is read or written here. */
interface LockEntry {
  readonly version?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const FILE = 'package-lock.json';
const SYSTEM = /(android|darwin|freebsd|linux|netbsd|openbsd|openharmony|sunos|win32|aix)/;
const PROCESSOR = /(arm64|x64|arm(?!64)|ia32|riscv64|s390x|ppc64|loong64|mips64el|wasm32)/;
const LAST_PACKAGE = /(^|\/)node_modules\/(@[^/]+\/)?[^/]+$/;

/**
 * A registry mirror that has no packages for other platforms leaves them out of the lock file, and
 * `npm ci` then refuses the file. This adds an entry for each optional dependency that has none.
 */
function completeLock(): number {
  const lock = JSON.parse(readFileSync(FILE, 'utf8'));
  const packages: Record<string, LockEntry> = lock.packages;
  const missing = Object.entries(packages).flatMap(([path, entry]) =>
    Object.entries(entry.optionalDependencies ?? {})
      .filter(([name]) => !isInstalledFor(path, name, packages))
      .map(([name, version]) => [`node_modules/${name}`, toEntry(name, version, entry)] as const),
  );
  const all = Object.entries({ ...packages, ...Object.fromEntries(missing) });
  lock.packages = Object.fromEntries(all.toSorted(([a], [b]) => a.localeCompare(b, 'en')));
  writeFileSync(FILE, `${JSON.stringify(lock, null, 2)}\n`);
  return missing.length;
}

/** Looks from a package upwards, as Node does. */
function isInstalledFor(path: string, name: string, packages: Record<string, LockEntry>): boolean {
  const prefix = path === '' ? '' : `${path}/`;
  if (Object.hasOwn(packages, `${prefix}node_modules/${name}`)) return true;
  return path !== '' && isInstalledFor(path.replace(LAST_PACKAGE, ''), name, packages);
}

function toEntry(name: string, version: string, parent: LockEntry): LockEntry {
  const [, os] = SYSTEM.exec(name) ?? [];
  const [, cpu] = PROCESSOR.exec(name) ?? [];
  return {
    version: version.replace(/^[~^]/, ''),
    ...(cpu !== undefined && { cpu: [cpu] }),
    ...(parent.dev && { dev: true }),
    ...(/musl/.test(name) ? { libc: ['musl'] } : {}),
    ...(/gnu/.test(name) ? { libc: ['glibc'] } : {}),
    optional: true,
    ...(os !== undefined && { os: [os] }),
  };
}

process.stdout.write(`${FILE}: ${completeLock()} entries added\n`);
