// The texts of books, beside this file.
import { addWords } from '../i18n/words.js'
import type en from './words.en.json'

declare module '../i18n/words.js' {
  interface Texts {
    readonly books: typeof en
  }
}

export const booksWords = addWords<'books'>(import.meta.url)
