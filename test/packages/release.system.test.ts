// What `npm run release -- --dry-run` writes, and what it refuses.
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Ajv } from 'ajv'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { licenceProblems, versionProblems, writeRelease } from '../../scripts/release-files.mjs'
import { buildOnce } from '../support/process.js'
import { keptPackage, ROOT, remove, temporaryFolder } from './installation.js'

const INSTANT = '2026-11-25T12:00:00.000Z'
const jsonOf = (...parts: string[]) => JSON.parse(readFileSync(path.join(...parts), 'utf8'))
const { version } = jsonOf(ROOT, 'package.json')
const bomName = `ishtirak-${version}.cdx.json`

let folder: string
let written: readonly string[]
const release = () => path.join(folder, 'release')
beforeAll(() => {
  folder = temporaryFolder()
  buildOnce()
  written = writeRelease(ROOT, release(), Date.parse(INSTANT) / 1000)
})
afterAll(() => remove(folder))

describe('the files of a release', () => {
  it('are the packages and clients, the SBOM, the licences, and checksums of all of them', () => {
    const archives = ['php', 'python'].map((name) => `ishtirak-${name}-${version}.tar.gz`)
    const packages = ['chargily-emulator', 'ishtirak-client', 'ishtirak'].map(
      (name) => `${name}-${version}.tgz`,
    )
    const all = ['LICENSES.txt', 'SHA256SUMS', bomName, ...archives, ...packages].sort()
    expect([...written].sort()).toEqual(all)
    expect(readdirSync(release()).sort()).toEqual(all)
    const checked = execFileSync('sha256sum', ['--check', 'SHA256SUMS'], { cwd: release(), encoding: 'utf8' })
    expect(checked.match(/: OK$/gm)).toHaveLength(all.length - 1)
  })

  it('are the same, byte for byte, when they are written again', () => {
    const again = path.join(folder, 'again')
    writeRelease(ROOT, again, Date.parse(INSTANT) / 1000)
    expect(readFileSync(path.join(again, 'SHA256SUMS'), 'utf8')).toBe(
      readFileSync(path.join(release(), 'SHA256SUMS'), 'utf8'),
    )
  })

  it('the SBOM is valid CycloneDX, and bears the instant of the commit', () => {
    const bom = jsonOf(release(), bomName)
    const schemas = path.join(keptPackage('@cyclonedx/cyclonedx-library', '10.3.0'), 'res/schema')
    const schemaOf = (name: string) => jsonOf(schemas, name)
    const ajv = new Ajv({ strict: false, validateFormats: false })
    for (const name of ['spdx.SNAPSHOT.schema.json', 'jsf-0.82.SNAPSHOT.schema.json'])
      ajv.addSchema(schemaOf(name), `http://cyclonedx.org/schema/${name}`)
    const isValid = ajv.compile(schemaOf(`bom-${bom.specVersion}.SNAPSHOT.schema.json`))
    expect([isValid(bom), isValid.errors]).toEqual([true, null])
    expect(isValid({ ...bom, components: [{ name: 'without a type' }] })).toBe(false)
    expect(bom.metadata).toMatchObject({
      timestamp: INSTANT,
      component: { name: 'ishtirak-workspaces', version },
    })
  })

  it('the SBOM has what an installation brings, what is bundled, and nothing of development', () => {
    const refs: string[] = jsonOf(release(), bomName).components.map(
      (one: { 'bom-ref': string }) => one['bom-ref'],
    )
    const names = refs.map((ref) => ref.slice(0, ref.lastIndexOf('@')))
    const manifests = ['chargily-emulator', 'client', 'ishtirak'].map((name) =>
      jsonOf(ROOT, 'packages', name, 'package.json'),
    )
    const brought = manifests.flatMap(({ dependencies, optionalDependencies }) =>
      Object.keys({ ...dependencies, ...optionalDependencies }),
    )
    expect(names).toEqual(expect.arrayContaining([...brought, 'typebox', '@fastify/swagger-ui']))
    const tools = ['@biomejs/biome', 'fast-check', 'knip', 'typescript', 'vitest']
    expect(names.filter((name) => tools.includes(name))).toEqual([])
  })

  it('the licences name each component once, with its text', () => {
    const text = readFileSync(path.join(release(), 'LICENSES.txt'), 'utf8')
    for (const { 'bom-ref': ref } of jsonOf(release(), bomName).components)
      if (!ref.endsWith(`@${version}`))
        expect(text.split('\n').filter((line) => line.startsWith(`${ref}: `))).toHaveLength(1)
    const section = text.split(/^-{78}$/m).find((one) => /^fastify@\S+: MIT$/m.test(one))
    expect(section).toContain('Permission is hereby granted')
  })
})

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
