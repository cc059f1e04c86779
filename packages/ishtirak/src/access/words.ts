// The texts of access, beside this file.
import { addWords } from '../i18n/words.js'
import type en from './words.en.json'

declare module '../i18n/words.js' {
  interface Texts {
    readonly access: typeof en
  }
}

export const accessWords = addWords<'access'>(import.meta.url)
