// The texts of personal data, beside this file.
import { addWords } from '../i18n/words.js'
import type en from './words.en.json'

declare module '../i18n/words.js' {
  interface Texts {
    readonly privacy: typeof en
  }
}

export const privacyWords = addWords<'privacy'>(import.meta.url)
