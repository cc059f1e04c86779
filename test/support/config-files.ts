// Configuration files of tests, which are gone with the process.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

const CCP = { kind: 'ccp', holder: 'Atlas', number: '0023456789', key: '88' }

let folder: string | undefined
let count = 0

/** Gives the path of a new file. */
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

/** A TRANSFER_FILE with one CCP account, unless the changes say otherwise. */
export const transferFile = (changes: object = {}) => configFile({ accounts: [CCP], ...changes })

/** The SELLER_FILE of the documentation with changes. */
export const sellerFile = (changes: object) =>
  configFile({ ...JSON.parse(readFileSync('docs/seller.example.json', 'utf8')), ...changes })
