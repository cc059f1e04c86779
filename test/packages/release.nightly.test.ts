// What `npm run release -- --dry-run` writes.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { Ajv } from 'ajv'
import { writeRelease } from '../../scripts/release-files.mjs'
import { buildOnce } from '../support/process.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { keptPackage, ROOT } from './installation.js'

const INSTANT = '2026-11-25T12:00:00.000Z'
const jsonOf = (...parts: string[]) => JSON.parse(readFileSync(path.join(...parts), 'utf8'))
const { version } = jsonOf(ROOT, 'package.json')
const bomName = `ishtirak-${version}.cdx.json`

const folder = temporaryFolder()
let written: readonly string[]
const release = () => path.join(folder, 'release')
beforeAll(() => {
  buildOnce()
  written = writeRelease(ROOT, release(), Date.parse(INSTANT) / 1000)
})

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
    const bundled = ['typebox', 'libphonenumber-js', '@fastify/swagger-ui']
    expect(names).toEqual(expect.arrayContaining([...brought, ...bundled]))
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
