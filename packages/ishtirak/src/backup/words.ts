// The texts of backup, beside this file.
import { addWords } from '../i18n/words.js'
import type en from './words.en.json'

declare module '../i18n/words.js' {
  interface Texts {
    readonly backup: typeof en
  }
}

addWords<'backup'>(import.meta.url)
