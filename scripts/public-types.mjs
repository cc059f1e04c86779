// Removes each declaration that the entry of a package does not lead to. A schema beside a type names a
// library that is bundled, and a program that imports the package has to compile without it.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript'

export function keepPublicTypes(dist, entry) {
  const files = new Map()
  const open = (file) => {
    if (!files.has(file)) files.set(file, read(file))
    return files.get(file)
  }
  const keep = (file, name) => {
    const { declared, kept } = open(file)
    for (const node of declared.get(name) ?? []) {
      if (kept.has(node)) continue
      kept.add(node)
      for (const { from, name: used } of namesIn(node)) keep(from ? resolved(file, from) : file, used)
    }
  }
  for (const name of exportsOf(open(entry))) keep(entry, name)
  for (const name of readdirSync(dist, { recursive: true }).filter((one) => one.endsWith('.d.ts'))) {
    const file = path.join(dist, name)
    if (files.has(file)) writeFileSync(file, textOf(files.get(file)))
    else rmSync(file)
  }
}

const resolved = (file, specifier) => path.join(path.dirname(file), specifier.replace(/\.js$/, '.d.ts'))

/** Each name of a file with the nodes that declare, import or export it. */
function read(file) {
  const text = readFileSync(file, 'utf8')
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const declared = new Map()
  for (const statement of source.statements)
    for (const node of nodesOf(statement))
      declared.set(node.name.text, [...(declared.get(node.name.text) ?? []), node])
  return { source, declared, kept: new Set() }
}

/** Parts of a statement that are kept or left out each for itself. */
function nodesOf({ importClause, exportClause, declarationList, name }) {
  if (importClause)
    return [...(importClause.name ? [importClause] : []), ...(importClause.namedBindings?.elements ?? [])]
  if (exportClause) return exportClause.elements
  return declarationList?.declarations ?? (name ? [name.parent] : [])
}

function exportsOf({ declared }) {
  const isExported = (node) =>
    ts.isExportSpecifier(node) || ts.getCombinedModifierFlags(node) & ts.ModifierFlags.Export
  return [...declared].flatMap(([name, nodes]) => (nodes.some(isExported) ? [name] : []))
}

/** The names that a node leads to, in its file or in the file `from`; other packages are left out. */
function namesIn(node) {
  const names = []
  const add = (from, name) => {
    if (!from || from.startsWith('.')) names.push({ from, name })
  }
  const leftmost = (entity) => (entity.left ? leftmost(entity.left) : (entity.expression ?? entity).text)
  const visit = (part) => {
    if (ts.isImportSpecifier(part) || ts.isExportSpecifier(part))
      add(
        ts.findAncestor(part, (one) => one.moduleSpecifier)?.moduleSpecifier.text,
        (part.propertyName ?? part.name).text,
      )
    else if (ts.isImportTypeNode(part)) add(part.argument.literal.text, leftmost(part.qualifier))
    else if (ts.isTypeReferenceNode(part)) add(undefined, leftmost(part.typeName))
    else if (ts.isTypeQueryNode(part)) add(undefined, leftmost(part.exprName))
    else if (ts.isExpressionWithTypeArguments(part)) add(undefined, leftmost(part.expression))
    ts.forEachChild(part, visit)
  }
  visit(node)
  return names
}

function textOf({ source, kept }) {
  const statements = source.statements.flatMap((statement) => {
    const nodes = nodesOf(statement).filter((node) => kept.has(node))
    if (nodes.length === 0) return []
    if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement))
      return [statement.getFullText()]
    const named = nodes.filter((node) => !ts.isImportClause(node)).map((node) => node.getText())
    const names = [
      ...nodes.filter(ts.isImportClause).map(({ name }) => name.text),
      ...(named.length > 0 ? [`{ ${named.join(', ')} }`] : []),
    ]
    const clause = statement.importClause
    const isType = statement.isTypeOnly || clause?.isTypeOnly
    const from = statement.moduleSpecifier ? ` from ${statement.moduleSpecifier.getText()}` : ''
    return [`\n${clause ? 'import' : 'export'}${isType ? ' type' : ''} ${names.join(', ')}${from};`]
  })
  // A file without an import or an export would declare its names for everybody.
  return `${statements.join('').trimStart()}\nexport {};\n`
}
