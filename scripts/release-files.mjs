// Writes the files of a release: the packed packages and clients, the SBOM (CycloneDX, by npm), the licences
// of all that an installation brings, and checksums. The same commit gives the same bytes.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** The order of publication: each package needs only those before it. */
const PACKAGES = ['chargily-emulator', 'client', 'ishtirak'].map((name) => `packages/${name}`)

/** The build puts files of these packages into the package ishtirak. */
const BUNDLED = [
  { name: 'typebox', license: 'MIT', text: 'dist/typebox/LICENSE' },
  { name: 'libphonenumber-js', license: 'MIT', text: 'dist/libphonenumber-js/LICENSE' },
  { name: '@fastify/swagger-ui', license: 'Apache-2.0', text: 'dist/main/swagger-ui/LICENSE' },
]

/** The licences that installed packages may have. They ask a program that uses them only to be named. */
const ALLOWED = [
  ...['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC'],
  ...['MIT', 'MIT-0', 'OFL-1.1', 'Unlicense'],
]

const jsonOf = (...parts) => JSON.parse(readFileSync(path.join(...parts), 'utf8'))
const run = (cwd, program, ...args) =>
  execFileSync(program, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 2 ** 26,
  })

/** Returns a sentence for each place that says another version than the root's package.json. */
export function versionProblems(root) {
  const { version } = jsonOf(root, 'package.json')
  return [...versionsOf(root)]
    .filter(([, other]) => other !== version)
    .map(([where, other]) => `${where} says ${other}, not ${version}`)
}

function* versionsOf(root) {
  const folders = readdirSync(path.join(root, 'packages')).map((name) => `packages/${name}`)
  const manifests = folders.map((folder) => [folder, jsonOf(root, folder, 'package.json')])
  const ours = manifests.map(([, { name }]) => name)
  for (const [folder, { version, dependencies = {} }] of manifests) {
    yield [`${folder}/package.json`, version]
    for (const name of ours.filter((one) => one in dependencies))
      yield [`${folder}/package.json, of ${name},`, dependencies[name]]
  }
  const { version, packages } = jsonOf(root, 'package-lock.json')
  yield ['package-lock.json', version]
  for (const folder of ['', ...folders])
    yield [`package-lock.json, of '${folder}',`, packages[folder]?.version]
  yield ['CHANGELOG.md', firstMatch(root, 'CHANGELOG.md', /^## (\S+)/m)]
  for (const file of CLIENTS) yield [file, firstMatch(root, file, /^\s*"?version"?\s*[:=]\s*"([^"]+)"/m)]
}

const firstMatch = (root, file, pattern) => pattern.exec(readFileSync(path.join(root, file), 'utf8'))?.[1]

/** The manifests of the clients in other languages. */
const CLIENTS = ['clients/php/composer.json', 'clients/python/pyproject.toml']

/** Returns a sentence for each component of an SBOM without a licence, or with one that is not allowed. */
export function licenceProblems({ components }) {
  return components.flatMap((component) => {
    const names = licenceOf(component)
      .split(/ (?:AND|OR) |[()]/)
      .filter((name) => name !== '')
    const refused = names.length === 0 ? ['no licence'] : names.filter((name) => !ALLOWED.includes(name))
    return refused.map((name) => `${component.name}@${component.version}: ${name}`)
  })
}

const licenceOf = ({ licenses = [] }) =>
  licenses.map(({ expression, license }) => expression ?? license.id ?? license.name).join(' AND ')

/**
 * Writes all files of the release of `root`, which is built, into the folder `to`, and returns their names.
 * `seconds` since 1970 is the instant that they bear. Throws with what `licenceProblems` finds.
 */
export function writeRelease(root, to, seconds) {
  const staged = stage(root)
  try {
    const bom = bomOf(root, staged, seconds)
    const problems = licenceProblems(bom)
    if (problems.length > 0) throw new Error(`not on the list of licences:\n${problems.join('\n')}`)
    rmSync(to, { recursive: true, force: true })
    mkdirSync(to, { recursive: true })
    for (const folder of PACKAGES)
      run(path.join(root, folder), 'npm', 'pack', '--ignore-scripts', '--silent', '--pack-destination', to)
    for (const file of CLIENTS) packClient(root, path.dirname(file), to)
    writeFileSync(
      path.join(to, `ishtirak-${bom.metadata.component.version}.cdx.json`),
      `${JSON.stringify(bom, null, 2)}\n`,
    )
    writeFileSync(path.join(to, 'LICENSES.txt'), licenceTexts(root, staged, bom))
  } finally {
    rmSync(staged, { recursive: true, force: true })
  }
  const names = readdirSync(to).sort()
  const sums = names.map((name) => `${sha256(path.join(to, name))}  ${name}\n`)
  writeFileSync(path.join(to, 'SHA256SUMS'), sums.join(''))
  return [...names, 'SHA256SUMS']
}

const sha256 = (file) => createHash('sha256').update(readFileSync(file)).digest('hex')

/** A folder with manifests and lock of the packages, without development: what an installation brings. */
function stage(root) {
  const staged = mkdtempSync(path.join(tmpdir(), 'ishtirak-release-'))
  const { name, version, license } = jsonOf(root, 'package.json')
  const manifest = { name, version, license, private: true, workspaces: PACKAGES }
  writeFileSync(path.join(staged, 'package.json'), JSON.stringify(manifest))
  for (const folder of PACKAGES) {
    const { devDependencies: _, ...manifest } = jsonOf(root, folder, 'package.json')
    mkdirSync(path.join(staged, folder), { recursive: true })
    writeFileSync(path.join(staged, folder, 'package.json'), JSON.stringify(manifest))
  }
  copyFileSync(path.join(root, 'package-lock.json'), path.join(staged, 'package-lock.json'))
  const options = ['--package-lock-only', '--ignore-scripts', '--offline', '--no-audit', '--no-fund']
  run(staged, 'npm', 'install', ...options)
  return staged
}

/** npm's SBOM of the staged tree and what is bundled, without npm's random number and present instant. */
function bomOf(root, staged, seconds) {
  const { serialNumber: _, ...bom } = JSON.parse(
    run(staged, 'npm', 'sbom', '--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application'),
  )
  bom.metadata.timestamp = new Date(seconds * 1000).toISOString()
  // npm takes the folder's name.
  bom.metadata.component.name = jsonOf(staged, 'package.json').name
  const { packages } = jsonOf(root, 'package-lock.json')
  const bundled = BUNDLED.map(({ name, license }) =>
    componentOf(name, license, packages[`node_modules/${name}`]),
  )
  const service = bom.dependencies.find(({ ref }) => ref.startsWith('ishtirak@'))
  service.dependsOn.push(...bundled.map((component) => component['bom-ref']))
  bom.components.push(...bundled)
  bom.dependencies.push(...bundled.map((component) => ({ ref: component['bom-ref'], dependsOn: [] })))
  return bom
}

function componentOf(name, id, { version, integrity }) {
  const content = Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex')
  return {
    'bom-ref': `${name}@${version}`,
    type: 'library',
    name,
    version,
    scope: 'required',
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    hashes: [{ alg: 'SHA-512', content }],
    licenses: [{ license: { id } }],
  }
}

/** Packs the client as it is committed; pip and Composer install that. */
function packClient(root, folder, to) {
  const name = `ishtirak-${path.basename(folder)}-${jsonOf(root, 'package.json').version}`
  const file = path.join(to, `${name}.tar.gz`)
  run(path.join(root, folder), 'git', 'archive', `--prefix=${name}/`, `--output=${file}`, 'HEAD', '.')
}

/** Each text once, below the packages that have it. */
function licenceTexts(root, staged, { components }) {
  const { packages } = jsonOf(staged, 'package-lock.json')
  const folders = Object.entries(packages).filter(
    ([folder, { link }]) => folder.startsWith('node_modules/') && !link,
  )
  const found = folders.map(([folder, { version, license }]) => ({
    name: `${folder.split('node_modules/').at(-1)}@${version}: ${license}`,
    text: textIn(path.join(root, folder)),
  }))
  const bundled = BUNDLED.map(({ name, license, text }) => ({
    name: `${components.find((one) => one.name === name)['bom-ref']}: ${license}, a part of ishtirak`,
    text: readFileSync(path.join(root, 'packages/ishtirak', text), 'utf8').trim(),
  }))
  const ours = { name: 'Ishtirak: MIT', text: readFileSync(path.join(root, 'LICENSE'), 'utf8').trim() }
  const byText = new Map()
  for (const { name, text } of [ours, ...bundled, ...found])
    byText.set(text, (byText.get(text) ?? new Set()).add(name))
  const sections = [...byText].map(([text, names]) => `${[...names].join('\n')}\n\n${text}\n`)
  return sections.join(`\n${'-'.repeat(78)}\n\n`)
}

function textIn(folder) {
  const names = existsSync(folder)
    ? readdirSync(folder).filter((name) => /^(licen[cs]e|copying)/i.test(name))
    : []
  const texts = names.sort().map((name) => readFileSync(path.join(folder, name), 'utf8').trim())
  return texts.length === 0 ? '(The package has no file with the text of its licence.)' : texts.join('\n\n')
}
