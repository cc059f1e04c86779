// The texts of buyers' details, beside this file.
import { addWords } from '../i18n/words.js'
import type en from './words.en.json'

declare module '../i18n/words.js' {
  interface Texts {
    readonly buyers: typeof en
  }
}

export const buyersWords = addWords<'buyers'>(import.meta.url)
