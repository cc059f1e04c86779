// Lets Node run the TypeScript sources as they are: types are taken off, file by file, and `./x.js` finds
// `./x.ts`. What a file became is kept for the next run: a tool has hundreds of files, which take seconds.
// For tools of the repository that are no tests. The service itself runs what the compiler has built.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = path.join(import.meta.dirname, '..')
const kept = path.join(root, 'node_modules/.cache/typescript-hooks')
const { version } = JSON.parse(readFileSync(path.join(root, 'node_modules/typescript/package.json'), 'utf8'))
const own = readFileSync(import.meta.filename)

const compilerOptions = (ts) => ({
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.ESNext,
  jsx: ts.JsxEmit.ReactJSX,
  jsxImportSource: '@kitajs/html',
  verbatimModuleSyntax: true,
  inlineSourceMap: true,
})

const sources = {
  'chargily-emulator': '../packages/chargily-emulator/src/emulator.ts',
  'chargily-emulator/command': '../packages/chargily-emulator/src/command.ts',
  '@ishtirak/client': '../packages/client/src/index.ts',
  '@ishtirak/demo': '../packages/demo/src/index.ts',
  'ishtirak/internal': '../packages/ishtirak/src/main/internal.ts',
}

export async function resolve(specifier, context, next) {
  const source = sources[specifier]
  if (source) return { url: new URL(source, import.meta.url).href, format: 'module', shortCircuit: true }
  if (/^\.{1,2}\/.*\.js$/.test(specifier) && /\.tsx?$/.test(context.parentURL ?? '')) {
    for (const ending of ['.ts', '.tsx']) {
      const url = new URL(specifier.replace(/\.js$/, ending), context.parentURL)
      if (existsSync(url)) return { url: url.href, format: 'module', shortCircuit: true }
    }
  }
  return next(specifier, context)
}

export async function load(url, context, next) {
  if (!/^file:.*\.tsx?$/.test(url)) return next(url, context)
  return { format: 'module', source: await withoutTypes(fileURLToPath(url)), shortCircuit: true }
}

async function withoutTypes(fileName) {
  const text = readFileSync(fileName, 'utf8')
  const mark = createHash('sha256').update(own).update(version).update(text).digest('hex')
  const file = path.join(kept, `${path.relative(root, fileName).replaceAll(path.sep, '~')}.js`)
  const known = existsSync(file) ? readFileSync(file, 'utf8') : ''
  if (known.endsWith(mark)) return known
  const { default: ts } = await import('typescript')
  const { outputText } = ts.transpileModule(text, { fileName, compilerOptions: compilerOptions(ts) })
  const source = `${outputText}\n// ${mark}`
  mkdirSync(kept, { recursive: true })
  // Another process may be reading it.
  writeFileSync(`${file}.${process.pid}`, source)
  renameSync(`${file}.${process.pid}`, file)
  return source
}
