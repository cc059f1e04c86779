// Reads PDFs back with poppler (`apt-get install poppler-utils`): what we print is read by another program.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { requireTool } from './system-tools.js'

/** The text, a line of the page a line, without the marks that tell directions apart. */
export function textOf(pdf: Uint8Array): string {
  return plain(run('pdftotext', ['-layout', '-', '-'], pdf))
}

export function linesOf(pdf: Uint8Array): readonly string[] {
  return plain(run('pdftotext', ['-', '-'], pdf)).split('\n')
}

/** NFKC turns the forms of Arabic letters into the letters. */
function plain(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replace(/\u00a0/g, ' ')
    .replace(/ {2,}/g, ' ')
}

/** In points from the left and the top of the page, as seen: poppler orders letters from left to right. */
export function wordsOf(pdf: Uint8Array) {
  const words = run('pdftotext', ['-bbox', '-', '-'], pdf).matchAll(
    /<word xMin="([\d.]+)" yMin="([\d.]+)" xMax="([\d.]+)" yMax="[\d.]+">(.*?)<\/word>/g,
  )
  return Array.from(words, ([, left, top, right, text]) => ({
    text: (text ?? '').normalize('NFKC').replace(/\p{Cf}/gu, ''),
    left: Number(left),
    right: Number(right),
    top: Number(top),
  }))
}

export function factsOf(pdf: Uint8Array): Readonly<Record<string, string>> {
  const lines = run('pdfinfo', ['-'], pdf).split('\n')
  return Object.fromEntries(lines.map((line) => [line.split(':')[0] ?? '', line.split(/: +/)[1] ?? '']))
}

export function fontsOf(pdf: Uint8Array) {
  const [, , ...lines] = run('pdffonts', ['-'], pdf).trim().split('\n')
  return lines.map((line) => ({
    name: line.split(' ')[0] ?? '',
    isEmbedded: / yes yes yes +\d+ +\d+$/.test(line),
  }))
}

export function attachedTo(pdf: Uint8Array): Readonly<Record<string, string>> {
  const folder = mkdtempSync(path.join(tmpdir(), 'attached-'))
  try {
    writeFileSync(path.join(folder, 'pdf'), pdf)
    run('pdfdetach', ['-saveall', '-o', folder, path.join(folder, 'pdf')], new Uint8Array())
    const names = readdirSync(folder).filter((name) => name !== 'pdf')
    return Object.fromEntries(names.map((name) => [name, readFileSync(path.join(folder, name), 'utf8')]))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function run(program: string, parameters: readonly string[], input: Uint8Array): string {
  try {
    return execFileSync(program, parameters, { input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'ignore'] })
  } catch (error) {
    requireTool('poppler-utils')
    throw error
  }
}

/** Whether a point of the page has exactly this color, `#rrggbb`. */
export function hasColor(pdf: Uint8Array, color: string): boolean {
  requireTool('poppler-utils')
  const stdout = execFileSync('pdftoppm', ['-r', '150', '-'], { input: pdf, maxBuffer: 1 << 26 })
  const wanted = Buffer.from(color.slice(1), 'hex')
  const points = stdout.subarray(stdout.length % 3)
  for (let at = points.indexOf(wanted); at >= 0; at = points.indexOf(wanted, at + 1))
    if (at % 3 === 0) return true
  return false
}
