// Compiles packages/*/src to packages/*/dist, as they are packed. `--if-stale` builds only a package with a
// source that is newer than its last build. It checks no types and leaves out the declarations of the
// service, which take half a minute and are read only from the packed package. `--if-possible`, for npm's
// `prepare`, builds nothing if the installation lacks what the build needs.
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync } from 'node:zlib'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))

/**
 * Before the compiler and the bundler, which an older Node cannot load. The program says the same of itself
 * (package.ts).
 */
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`Ishtirak needs Node 20.19 or later; this is ${process.version}: https://nodejs.org\n`)
  process.exit(1)
}

/** A package needs only those before it. The image is built without the demo. */
const packages = ['chargily-emulator', 'client', 'ishtirak', 'demo']
  .map((name) => path.join(root, 'packages', name))
  .filter((folder) => existsSync(folder))
const inputs = ['src', 'migrations', 'package.json', 'tsconfig.json', 'tsconfig.cjs.json']
const isTest = (file) => /\.test\.tsx?$/.test(file)

const newest = (file) => {
  const stat = statSync(file, { throwIfNoEntry: false })
  if (stat === undefined || isTest(file)) return 0
  if (!stat.isDirectory()) return stat.mtimeMs
  return readdirSync(file).reduce((most, name) => Math.max(most, newest(path.join(file, name))), stat.mtimeMs)
}

const builtAt = (folder) =>
  statSync(path.join(folder, 'dist/.built'), { throwIfNoEntry: false })?.mtimeMs ?? 0
const isStale = (folder) => {
  const files = [...inputs.map((input) => path.join(folder, input)), path.join(root, 'tsconfig.json')]
  return files.some((file) => newest(file) > builtAt(folder))
}

/** The cluster of the embedded database's first start. The file before serves as well with this schema. */
const makeCluster = async (folder, to) => {
  const service = await import(path.join(to, 'main/internal.js'))
  const made = path.relative(to, service.readyMadePath())
  const before = path.join(folder, 'dist', made)
  if (!isForced && newest(before) > newest(path.join(folder, 'migrations')))
    return cpSync(before, path.join(to, made))
  const { makeReadyMade, withoutChance } = await import('./ready-made.mjs')
  writeFileSync(path.join(to, made), await withoutChance(() => makeReadyMade(service)))
}

/**
 * The service is a few files instead of 600, TypeBox included: a process starts with two thirds of the
 * processor time. All are one folder deep, so that a module finds its own folder beside them as in src/.
 * The bundle also includes the 0.1 MB that the service uses of libphonenumber-js, whose package takes 13 MB.
 */
const bundle = async (folder, dist) => {
  const { rolldown } = await import('rolldown')
  const sources = path.join(folder, 'src')
  const bundled = await rolldown({
    cwd: folder,
    input: Object.fromEntries(ENTRIES.map((name) => [name, path.join(sources, `${name}.ts`)])),
    platform: 'node',
    external: (name) => !/^[./]|^(typebox|libphonenumber-js)(\/|$)/.test(name),
    resolve: { extensionAlias: { '.js': ['.ts', '.tsx', '.js'] } },
    plugins: [
      { name: 'own-folder', transform: (code, file) => inOwnFolder(code, path.relative(sources, file)) },
      { name: 'one-byte', generateBundle: inLatin1 },
    ],
  })
  const names = { entryFileNames: '[name].js', chunkFileNames: 'main/[name].js' }
  await bundled.write({ dir: dist, ...names, comments: { jsdoc: false, legal: false } })
  copyLicense('typebox', ['license'], dist)
  // The second file covers the rules of numbers, which are Google's.
  copyLicense('libphonenumber-js', ['LICENSE', 'LICENSE.Apache'], dist)
}

/** Writes the texts of these files of a bundled package as `NAME/LICENSE`, where the release looks for it. */
const copyLicense = (name, files, dist) => {
  const texts = files.map((file) => readFileSync(path.join(root, 'node_modules', name, file), 'utf8').trim())
  mkdirSync(path.join(dist, name))
  writeFileSync(path.join(dist, name, 'LICENSE'), `${texts.join('\n\n')}\n`)
}

/** The program, what others import, and what a test measures by itself. */
const ENTRIES = ['main/cli', 'main/commands', 'main/create-ishtirak', 'main/internal', 'runtime/heap']

const inOwnFolder = (code, file) =>
  code.replaceAll('import.meta.url', `new URL('../${file.replaceAll('\\', '/')}', import.meta.url).href`)

/** One character beyond Latin-1 doubles the memory of a file, and a start takes a 20th more. */
const inLatin1 = (_options, bundle) => {
  const escaped = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  for (const chunk of Object.values(bundle)) chunk.code = chunk.code.replace(/[^\0-\xff]/g, escaped)
}

/** What `--help` says of each command. */
const writeHelp = async (to) => {
  const { helpTexts } = await import(path.join(to, 'main/commands.js'))
  writeFileSync(path.join(to, 'main/help.json'), JSON.stringify(helpTexts()))
}

/** For main/documents-page.tsx. The plugin would bring 20 packages and 10 MB; 1.3 MB less by compression. */
const copySwaggerUi = (to) => {
  const from = path.join(root, 'node_modules/@fastify/swagger-ui/static')
  const start = path.join(root, 'packages/ishtirak/src/main/swagger-ui-start.js')
  mkdirSync(to, { recursive: true })
  for (const file of [path.join(from, 'swagger-ui.css'), path.join(from, 'swagger-ui-bundle.js'), start])
    writeFileSync(path.join(to, `${path.basename(file)}.br`), brotliCompressSync(readFileSync(file)))
  // Swagger UI is licensed as TypeScript is, under Apache 2.0, and its package here has no copy of that.
  cpSync(path.join(root, 'node_modules/typescript/LICENSE.txt'), path.join(to, 'LICENSE'))
}

/**
 * Beside dist/ first, and in its place at once: a process that runs the last build meanwhile finds all of it
 * or none.
 */
const build = async (folder) => {
  const dist = path.join(folder, 'dist')
  const fresh = `${dist}.${process.pid}`
  const old = `${dist}.old.${process.pid}`
  try {
    // Made before the compiler reads: what is saved meanwhile is newer, and is built next time.
    mkdirSync(fresh, { recursive: true })
    writeFileSync(path.join(fresh, '.built'), '')
    const { compile } = await import('./compile.mjs')
    const isService = path.basename(folder) === 'ishtirak'
    const options = { emitDeclarationOnly: isService, ...(!isForced && { noCheck: true }) }
    if (isForced || !isService) compile(path.join(folder, 'tsconfig.json'), fresh, options)
    const forRequire = path.join(folder, 'tsconfig.cjs.json')
    if (existsSync(forRequire)) {
      compile(forRequire, path.join(fresh, 'cjs'))
      writeFileSync(path.join(fresh, 'cjs/package.json'), '{ "type": "commonjs" }\n')
    }
    // The compiler does not copy style sheets and templates.
    cpSync(path.join(folder, 'src'), fresh, {
      recursive: true,
      filter: (file) => statSync(file).isDirectory() || !/\.(ts|tsx)$/.test(file),
    })
    if (isService) {
      if (isForced) {
        const { keepPublicTypes } = await import('./public-types.mjs')
        keepPublicTypes(fresh, path.join(fresh, 'main/create-ishtirak.d.ts'))
      }
      copySwaggerUi(path.join(fresh, 'main/swagger-ui'))
      await bundle(folder, fresh)
      await makeCluster(folder, fresh)
      await writeHelp(fresh)
    }
    if (existsSync(dist)) renameSync(dist, old)
    renameSync(fresh, dist)
  } finally {
    for (const leftover of [fresh, old]) rmSync(leftover, { recursive: true, force: true })
  }
}

/** `npm ci --omit=dev` and `--omit=optional` leave out some packages that the build needs. */
const isPossible = ['typescript', '@types/node', 'rolldown', '@electric-sql/pglite'].every((name) =>
  existsSync(path.join(root, 'node_modules', name)),
)

/**
 * The package ishtirak carries the files that a production starts from. The image is built without them.
 */
const carryProductionFiles = () => {
  for (const name of ['deploy', '.env.example']) {
    const [from, to] = [path.join(root, name), path.join(root, 'packages/ishtirak', name)]
    if (newest(to) >= newest(from)) continue
    rmSync(to, { recursive: true, force: true })
    cpSync(from, to, { recursive: true })
  }
}

const isForced = !process.argv.includes('--if-stale')
if (process.argv.includes('--if-possible') && !isPossible)
  process.stdout.write('not built: `npm ci` without --omit brings what the build needs\n')
else {
  carryProductionFiles()
  for (const folder of packages) if (isForced || isStale(folder)) await build(folder)
}
