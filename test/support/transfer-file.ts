import path from 'node:path'

/** The accounts of the documentation, for a world where users may pay by transfer. */
export const TRANSFER_FILE = path.resolve(import.meta.dirname, '../../docs/transfer.example.json')
