import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

const CCP = { kind: 'ccp', holder: 'Atlas', number: '0023456789', key: '88' }

let folder: string | undefined
let count = 0

export function configFile(content: object): string {
  if (folder === undefined) {
    const made = mkdtempSync(path.join(tmpdir(), 'ishtirak-config-'))
    folder = made
    process.once('exit', () => rmSync(made, { recursive: true, force: true }))
  }
  const file = path.join(folder, `${++count}.json`)
  writeFileSync(file, JSON.stringify(content))
  return file
}

export const transferFile = (changes: object = {}) => configFile({ accounts: [CCP], ...changes })

export const sellerFile = (changes: object) =>
  configFile({ ...JSON.parse(readFileSync('docs/seller.example.json', 'utf8')), ...changes })
