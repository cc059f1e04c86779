// The texts of console, beside this file.
import { addWords } from '../i18n/words.js'
import type en from './words.en.json'

declare module '../i18n/words.js' {
  interface Texts {
    readonly console: typeof en
  }
}

addWords<'console'>(import.meta.url)
