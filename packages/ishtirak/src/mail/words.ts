// The texts of mail, beside this file.
import { addWords } from '../i18n/words.js'
import type en from './words.en.json'

declare module '../i18n/words.js' {
  interface Texts {
    readonly mail: typeof en
  }
}

export const mailWords = addWords<'mail'>(import.meta.url)
