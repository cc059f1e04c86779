// Compiles a project as `tsc -p` does, and spells out the types that are computed from schemas, so that a
// program that uses a package needs no TypeBox. Throws with all errors of the compiler.
import ts from 'typescript'

export function compile(project, outDir, options = {}) {
  const given = { ...options, outDir }
  const parsed = ts.getParsedCommandLineOfConfigFile(project, given, { ...ts.sys, ...CONFIG_HOST })
  const program = ts.createProgram({ rootNames: parsed.fileNames, options: parsed.options })
  const spelled = { afterDeclarations: [spellOut(program.getTypeChecker())] }
  const { diagnostics } = program.emit(undefined, undefined, undefined, false, spelled)
  fail([...parsed.errors, ...ts.getPreEmitDiagnostics(program), ...diagnostics])
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

/** `Static<typeof PlanSchema>` is declared as `{ id: string; … }`. */
const spellOut = (checker) => (context) => {
  const visit = (node) => {
    const written = ts.getOriginalNode(node)
    // A node that the compiler has made itself has no text.
    const text = ts.isTypeReferenceNode(written) && written.pos >= 0 ? written.getText() : ''
    const isWhole = text.startsWith('Static<') && ts.isTypeAliasDeclaration(written.parent)
    if (!isWhole && !text.startsWith('Static<typeof ')) return ts.visitEachChild(node, visit, context)
    return checker.typeToTypeNode(checker.getTypeFromTypeNode(written), undefined, SPELLED)
  }
  return (file) => ts.visitNode(file, visit)
}

const SPELLED =
  ts.NodeBuilderFlags.NoTruncation |
  ts.NodeBuilderFlags.InTypeAlias |
  ts.NodeBuilderFlags.MultilineObjectLiterals
