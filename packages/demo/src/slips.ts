// Pictures and PDFs as users send them for a transfer: a small pretend slip, made on the spot.
import { crc32, deflateSync } from 'node:zlib'

export interface Slip {
  readonly reference: string
  readonly amount: number
  readonly day: string
}

/** A page with the words of a slip. */
export function slipAsPdf({ reference, amount, day }: Slip): Buffer {
  const lines = ['RECU DE VERSEMENT (exemple)', `Reference : ${reference}`, `Montant : ${amount} DZD`, day]
  const words = lines.map((line) => `(${line.replaceAll(/[^ -~]|[()\\]/g, '')}) Tj 0 -22 Td`).join(' ')
  const drawing = `BT /F1 13 Tf 24 170 Td ${words} ET`
  return pdfOf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 320 210] /Contents 4 0 R /Resources << /Font << /F1 ' +
      '5 0 R >> >> >>',
    `<< /Length ${drawing.length} >>\nstream\n${drawing}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Courier >>',
  ])
}

function pdfOf(objects: readonly string[]): Buffer {
  let file = '%PDF-1.4\n'
  const offsets = objects.map((object, index) => {
    const offset = file.length
    file += `${index + 1} 0 obj\n${object}\nendobj\n`
    return `${String(offset).padStart(10, '0')} 00000 n \n`
  })
  const size = objects.length + 1
  const trailer = `trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF`
  return Buffer.from(`${file}xref\n0 ${size}\n0000000000 65535 f \n${offsets.join('')}${trailer}`, 'latin1')
}

const WIDTH = 240
const HEIGHT = 150

/** A photo of a slip from afar: lines of gray on paper, different for each reference. */
export function slipAsPng({ reference }: Slip): Buffer {
  const rows = Array.from({ length: HEIGHT }, (_, y) => {
    const row = Buffer.alloc(WIDTH + 1, isFrame(y, HEIGHT) ? 0x50 : 0xf0)
    row[0] = 0
    const length = 40 + ((reference.charCodeAt((y >> 4) % reference.length) * 37) % 150)
    if (y % 16 > 9 && y > 20 && y < HEIGHT - 20) row.fill(0x60, 21, 21 + length)
    return row
  })
  const header = Buffer.from([0, 0, 0, WIDTH, 0, 0, 0, HEIGHT, 8, 0, 0, 0, 0])
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

const isFrame = (at: number, size: number) => at < 4 || at >= size - 4

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}
