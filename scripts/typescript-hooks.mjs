// Lets Node run the TypeScript sources as they are: types are taken off, file by file, and `./x.js` finds `./x.ts`.
// For tools of the repository that are no tests. The service itself runs what the compiler has built.
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const compilerOptions = {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.ESNext,
  jsx: ts.JsxEmit.ReactJSX,
  jsxImportSource: '@kitajs/html',
  verbatimModuleSyntax: true,
  inlineSourceMap: true,
}

const sources = {
  'chargily-emulator': '../packages/chargily-emulator/src/emulator.ts',
  'chargily-emulator/command': '../packages/chargily-emulator/src/command.ts',
  '@ishtirak/client': '../packages/client/src/index.ts',
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
  const fileName = fileURLToPath(url)
  const { outputText } = ts.transpileModule(readFileSync(fileName, 'utf8'), { fileName, compilerOptions })
  return { format: 'module', source: outputText, shortCircuit: true }
}
