// A QR code as a drawing in the page: dark on white also where the page is dark, as cameras want it.
import { type Bitmap2D, generate } from 'lean-qr'

/** Cameras need 4 light modules around a code to find it. */
const MARGIN = 4

/** `name`: for a screen reader. */
export function qrOf(text: string, name: string): JSX.Element {
  const code = generate(text)
  const side = code.size + 2 * MARGIN
  return (
    <svg
      class="qr"
      width="144"
      viewBox={`${-MARGIN} ${-MARGIN} ${side} ${side}`}
      role="img"
      aria-label={name}
    >
      <rect x={-MARGIN} y={-MARGIN} width={side} height={side} fill="#fff" />
      <path d={darkRuns(code)} stroke="#000" transform="translate(0 .5)" shape-rendering="crispEdges" />
    </svg>
  )
}

/**
 * The dark modules of each row, as lines of the width 1. Such a path has a third of the bytes of the
 * library's outlines, and the page of a transfer has up to three codes.
 */
function darkRuns(code: Bitmap2D): string {
  let path = ''
  for (let y = 0; y < code.size; y++)
    for (let x = 0; x < code.size; x++) {
      const from = x
      while (code.get(x, y)) x++
      if (x > from) path += `M${from} ${y}h${x - from}`
    }
  return path
}
