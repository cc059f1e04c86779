// Sealed books as a capability: the job, the check, and the export of the chain.
import { Type } from 'typebox'
import type { Capability } from '../acts/capability.js'
import { MINUTE } from '../core/instant.js'
import { request, timestamp } from '../http/schemas.js'
import { addVerifyCommand } from './cli-verify.js'
import { type SealDeps, sealBooks } from './seal-books.js'
import { exportSeals, verifyBooksReading } from './seal-readings.js'
import type { VerifyDeps } from './verify-books.js'

const SealedHeadSchema = request('SealedHead', {
  day: Type.String({ description: 'The day in the billing time zone', examples: ['2026-12-21'] }),
  position: Type.Integer({ description: 'How many entries are sealed', examples: [812] }),
  hash: Type.String({
    description: 'SHA-256 of the last seal, hexadecimal',
    pattern: '^[0-9a-f]{64}$',
    examples: ['6e3692a35cecc0fe64990c893e0ed7ac9c3336d37b241beec8ea090d8de2f643'],
  }),
})

export const seals: Capability<SealDeps & VerifyDeps> = {
  name: 'seals',
  readings: [exportSeals, verifyBooksReading],
  helpHeading: 'Money:',
  commandGroups: { books: 'Check the sealed books, and write their lines to a file' },
  commands: addVerifyCommand,
  notices: {
    'books.sealed': {
      meaning:
        'The head of the sealed books at the end of a day, to be kept. It is about no user. Until it is ' +
        'taken it comes every five minutes, or the next one in its place.',
      schema: request('BooksSealedEvent', {
        ...{ type: Type.Literal('books.sealed'), timestamp, data: SealedHeadSchema },
      }),
    },
  },
  jobs: (deps) => [
    {
      name: 'seal-books',
      stage: 'tidy',
      everyMs: 5 * MINUTE,
      run: (goesOn) => sealBooks(deps, goesOn),
      oncePerCluster: true,
    },
  ],
}
