// Files that variables of the environment name.
import path from 'node:path'

const fileOf = (name: string) => path.resolve(import.meta.dirname, '../..', name)

/** One term of a year, and a dearer plan. */
export const PLANS_FILE = fileOf('test/fixtures/terms.json')
export const TRANSFER_FILE = fileOf('docs/transfer.example.json')
export const SELLER_FILE = fileOf('docs/seller.example.json')
