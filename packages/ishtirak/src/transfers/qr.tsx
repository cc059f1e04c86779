// A QR code as a drawing in the page: dark on white also where the page is dark, as cameras want it.
import { generate } from 'lean-qr'
import { toSvgPath } from 'lean-qr/extras/svg'

/** Of light modules around it, which cameras need to find it. */
const MARGIN = 4

/** `name`: for a screen reader. */
export function qrOf(text: string, name: string): JSX.Element {
  const code = generate(text)
  const side = code.size + 2 * MARGIN
  return (
    <svg class="qr" viewBox={`${-MARGIN} ${-MARGIN} ${side} ${side}`} role="img" aria-label={name}>
      <rect x={-MARGIN} y={-MARGIN} width={side} height={side} fill="#fff" />
      <path d={toSvgPath(code)} fill="#000" />
    </svg>
  )
}
