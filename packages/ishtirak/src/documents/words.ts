// The texts of documents, beside this file.
import { addWords } from '../i18n/words.js'
import type en from './words.en.json'

declare module '../i18n/words.js' {
  interface Texts {
    readonly documents: typeof en
  }
}

export const documentsWords = addWords<'documents'>(import.meta.url)
