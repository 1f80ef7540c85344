import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');

/** What `npm pack` would put into the tarball now; `dist` is there only after a build. */
function listPacked(): readonly string[] {
  const argv = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const isWindows = process.platform === 'win32';
  const stdout = execFileSync('npm', argv, {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    shell: isWindows,
  });
  const [packed] = JSON.parse(stdout) as { files: { path: string }[] }[];
  return packed!.files.map(({ path }) => path);
}

function filesOf(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(ROOT.length + 1)
        .replaceAll('\\', '/'),
    );
}

const CODE =
  /^dist\/(?:chunks|cli|engine|simulator)\/.+\.js$|^dist\/(?:engine|simulator)\/.+\.d\.ts$/;
const STYLES = /^dist\/simulator\/report\/html\/page\/(?:\w+\.css|echarts\.cjs)$/;

describe('the package', () => {
  const packed = listPacked();

  it('holds what is needed and nothing else', () => {
    const pages = filesOf('docs').filter((path) => path.endsWith('.md'));
    expect(packed.filter((path) => !path.startsWith('dist/')).toSorted()).toEqual(
      [
        'CHANGELOG.md',
        'LICENSE',
        'NOTICE',
        'README.md',
        'action.yml',
        'bin/compaction-bench.js',
        'catalog/models.json',
        'catalog/tokens/cl100k_base.bin',
        'catalog/tokens/o200k_base.bin',
        'examples/agent-loop.ts',
        'examples/ai-sdk.ts',
        'examples/ci/check.sh',
        'examples/ci/comment.sh',
        'examples/ci/github.yml',
        'examples/ci/gitlab.yml',
        'examples/ci/plain.sh',
        'examples/fake-model.ts',
        'examples/vitest/src/compact.ts',
        'examples/vitest/test/compact.test.ts',
        'examples/vitest/test/long-session.yaml',
        'package.json',
        'schemas/answer.json',
        'schemas/config.json',
        'schemas/events.json',
        'schemas/scenario.json',
        'schemas/session.json',
        'workloads/claude-code.json',
        'workloads/codex.json',
        'workloads/opencode.json',
        'workloads/pi.json',
        ...filesOf('workloads/texts'),
        'workloads/tracelab.json',
        ...filesOf('scenarios'),
        ...pages,
      ].toSorted(),
    );
  });

  it('holds the pages that its help names', () => {
    const texts = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => readFileSync(join(ROOT, 'src', file), 'utf8'));
    const named = texts.flatMap((text) => text.match(/\bdocs\/[\w-]+\.md/g) ?? []);
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((path) => !packed.includes(path))).toEqual([]);
  });

  it('holds of what is built only code, types, styles and charts of the page, and licences', () => {
    const built = packed.filter((path) => path.startsWith('dist/'));
    expect(built.filter((path) => !CODE.test(path) && !STYLES.test(path))).toEqual(
      built.length === 0 ? [] : ['dist/THIRD-PARTY-LICENSES'],
    );
  });

  it('ships scenarios, and recorded sessions with a page about them', () => {
    const scenarios = packed.filter((path) => path.startsWith('scenarios/'));
    expect(
      scenarios.filter(
        (path) =>
          !/^scenarios\/(?:[a-z0-9-]+\.yaml|recorded\/(?:README\.md|[a-z-]+\.json))$/.test(path),
      ),
    ).toEqual([]);
  });
});
