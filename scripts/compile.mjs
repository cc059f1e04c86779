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
