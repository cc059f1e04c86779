// The texts of portal, beside this file.
import { addWords } from '../i18n/words.js'
import type en from './words.en.json'

declare module '../i18n/words.js' {
  interface Texts {
    readonly portal: typeof en
  }
}

addWords<'portal'>(import.meta.url)
