import path from 'node:path'

export const TRANSFER_FILE = path.resolve(import.meta.dirname, '../../docs/transfer.example.json')
