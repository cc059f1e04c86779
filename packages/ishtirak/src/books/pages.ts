// What the pages of the books read.
import type { ConsolePages } from '../pages/console-frame.js'
import type { AccountsDeps } from './accounts.js'

export type BooksPages = ConsolePages & AccountsDeps
