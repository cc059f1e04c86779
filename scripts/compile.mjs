// Compiles a project as `tsc -p` does, and spells out the types that are computed from schemas: who uses a
// package knows its shapes without TypeBox. Throws on the first error of the compiler, with all of them.
import ts from 'typescript'

export function compile(project, outDir) {
  const parsed = ts.getParsedCommandLineOfConfigFile(project, { outDir }, { ...ts.sys, ...CONFIG_HOST })
  const program = ts.createProgram({ rootNames: parsed.fileNames, options: parsed.options })
  const spelled = { afterDeclarations: [spellOut(program.getTypeChecker())] }
  const { diagnostics } = program.emit(undefined, write, undefined, false, spelled)
  fail([...parsed.errors, ...ts.getPreEmitDiagnostics(program), ...diagnostics])
}

/** Comments are read in the sources; installed, they would be 170 KB. Declarations keep theirs. */
const write = (file, text) => ts.sys.writeFile(file, file.endsWith('.js') ? withoutComments(text) : text)

const withoutComments = (text) => {
  const compilerOptions = {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.Preserve,
    removeComments: true,
  }
  return indentedByTabs(ts.transpileModule(text, { compilerOptions }).outputText)
}

/** The compiler indents by four spaces: 0.1 MB of an installation. What stands in a template is text. */
function indentedByTabs(text) {
  const templates = []
  const collect = (node) => {
    if (ts.isTemplateLiteralToken(node)) templates.push([node.getStart(), node.end])
    ts.forEachChild(node, collect)
  }
  collect(ts.createSourceFile('emitted.js', text, ts.ScriptTarget.ES2023, true))
  return text.replace(/^(?: {4})+/gm, (spaces, at) =>
    templates.some(([start, end]) => start < at && at < end) ? spaces : '\t'.repeat(spaces.length / 4),
  )
}

const CONFIG_HOST = { onUnRecoverableConfigFileDiagnostic: (diagnostic) => fail([diagnostic]) }
const FORMAT = {
  getCanonicalFileName: (name) => name,
  getCurrentDirectory: () => process.cwd(),
  getNewLine: () => '\n',
}

function fail(diagnostics) {
  if (diagnostics.length > 0) throw new Error(ts.formatDiagnostics(diagnostics, FORMAT))
}

/** `type Plan = Static<typeof PlanSchema>` is declared as `type Plan = { id: string; … }`. */
const spellOut = (checker) => (context) => {
  const visit = (node) => {
    if (!ts.isTypeAliasDeclaration(node)) return ts.visitEachChild(node, visit, context)
    const { type: written } = ts.getOriginalNode(node)
    if (!written?.getText().startsWith('Static<')) return node
    const type = checker.typeToTypeNode(checker.getTypeFromTypeNode(written), undefined, SPELLED)
    return ts.factory.updateTypeAliasDeclaration(node, node.modifiers, node.name, node.typeParameters, type)
  }
  return (file) => ts.visitNode(file, visit)
}

const SPELLED =
  ts.NodeBuilderFlags.NoTruncation |
  ts.NodeBuilderFlags.InTypeAlias |
  ts.NodeBuilderFlags.MultilineObjectLiterals
