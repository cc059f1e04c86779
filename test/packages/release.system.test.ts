// What `npm run release -- --dry-run` refuses. The nightly run looks at what it writes.
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { licenceProblems, versionProblems, writeRelease } from '../../scripts/release-files.mjs'
import { temporaryFolder } from '../support/temporary-folder.js'
import { ROOT } from './installation.js'

const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'))

const folder = temporaryFolder()

describe('a licence', () => {
  it.each([
    ['is refused if it is not on the list', [{ license: { id: 'GPL-3.0-only' } }], ['GPL-3.0-only']],
    ['is refused with another that is not', [{ expression: '(MIT AND SSPL-1.0)' }], ['SSPL-1.0']],
    [
      'is refused with an exception',
      [{ expression: 'GPL-2.0-only WITH Classpath-exception-2.0' }],
      ['GPL-2.0-only WITH Classpath-exception-2.0'],
    ],
    ['is needed', [], ['no licence']],
    ['must be named', undefined, ['no licence']],
    ['on the list is allowed', [{ license: { id: 'MIT' } }], []],
    ['may be several on the list', [{ expression: '(MIT OR Apache-2.0) AND OFL-1.1' }], []],
  ])('%s', (_, licenses, refused) => {
    const component = { name: 'pretend', version: '1.0.0', ...(licenses && { licenses }) }
    expect(licenceProblems({ components: [component] })).toEqual(
      refused.map((licence) => `pretend@1.0.0: ${licence}`),
    )
  })

  it('of a package in the lock that is refused ends the release before anything is written', () => {
    const copy = manifestsIn(path.join(folder, 'pretend'))
    edit(copy, 'package-lock.json', '"license": "MIT-0"', '"license": "GPL-3.0-only"')
    expect(() => writeRelease(copy, path.join(copy, 'release'), 0)).toThrow(/nodemailer@\S+: GPL-3.0-only/)
    expect(readdirSync(copy)).not.toContain('release')
  })
})

describe('versions', () => {
  it('agree here', () => expect(versionProblems(ROOT)).toEqual([]))

  it.each([
    ['CHANGELOG.md', `## ${version}`, '## 9.9.9'],
    ['packages/client/package.json', `"version": "${version}"`, '"version": "9.9.9"'],
    ['packages/ishtirak/package.json', `"chargily-emulator": "${version}"`, '"chargily-emulator": "9.9.9"'],
    ['package-lock.json', `"version": "${version}"`, '"version": "9.9.9"'],
    ['clients/php/composer.json', `"version": "${version}"`, '"version": "9.9.9"'],
    ['clients/python/pyproject.toml', `version = "${version}"`, 'version = "9.9.9"'],
  ])('another one in %s is named', (file, from, to) => {
    const copy = manifestsIn(path.join(folder, `versions-${file.replaceAll('/', '-')}`))
    edit(copy, file, from, to)
    const problems = versionProblems(copy)
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatch(
      new RegExp(`^${file}.* says 9\\.9\\.9, not ${version.replaceAll('.', '\\.')}$`),
    )
  })
})

describe('the command', () => {
  const command = (cwd: string, ...args: string[]) =>
    spawnSync(process.execPath, [path.join(ROOT, 'scripts/release.mjs'), ...args], { cwd, encoding: 'utf8' })

  it('publishes nothing, and says who does', () => {
    const { status, stderr } = command(ROOT)
    expect([status, stderr]).toEqual([1, expect.stringMatching(/publish\.yml.*\n.*--dry-run/)])
  })

  it('refuses a checkout with changes, and one whose versions differ', () => {
    const copy = manifestsIn(path.join(folder, 'repository'))
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...args], {
        cwd: copy,
      })
    git('init', '--quiet')
    const dirty = command(copy, '--dry-run')
    expect([dirty.status, dirty.stderr]).toEqual([
      1,
      expect.stringMatching(/^Not all is committed:\n.*CHANGELOG\.md/),
    ])
    edit(copy, 'CHANGELOG.md', `## ${version}`, '## Unreleased')
    git('add', '--all')
    git('commit', '--quiet', '--message=all')
    const other = command(copy, '--dry-run')
    expect([other.status, other.stderr]).toEqual([1, `CHANGELOG.md says Unreleased, not ${version}\n`])
  })
})

/** Manifests, lock and changelog. */
function manifestsIn(copy: string): string {
  const packages = readdirSync(path.join(ROOT, 'packages')).map((name) => `packages/${name}/package.json`)
  const clients = ['clients/php/composer.json', 'clients/python/pyproject.toml']
  for (const file of ['package.json', 'package-lock.json', 'CHANGELOG.md', ...packages, ...clients]) {
    mkdirSync(path.dirname(path.join(copy, file)), { recursive: true })
    cpSync(path.join(ROOT, file), path.join(copy, file))
  }
  return copy
}

function edit(copy: string, file: string, from: string, to: string): void {
  const text = readFileSync(path.join(copy, file), 'utf8')
  expect(text).toContain(from)
  writeFileSync(path.join(copy, file), text.replace(from, to))
}
