// The file of cells after a move.
import { parseCells, partsOf, rangesOf } from '../runtime/cells.js'
import { parseJson } from '../runtime/config-file.js'

/** The file with the parts at another cell; the rest of it stays. */
export function movedCells(text: string, parts: readonly number[], to: string): string {
  parseCells(text)
  const file = parseJson('CELLS_FILE', text) as { readonly cells: readonly CellText[] }
  const cells = file.cells.map((cell) => {
    const others = cell.parts.flatMap((range) => partsOf(range) ?? []).filter((part) => !parts.includes(part))
    return { ...cell, parts: rangesOf(cell.name === to ? [...others, ...parts] : others) }
  })
  return `${JSON.stringify({ ...file, cells }, null, 2)}\n`
}

interface CellText {
  readonly name: string
  readonly parts: readonly string[]
}
