// The texts of desk, beside this file.
import { addWords } from '../i18n/words.js'
import type en from './words.en.json'

declare module '../i18n/words.js' {
  interface Texts {
    readonly desk: typeof en
  }
}

export const words = addWords<'desk'>(import.meta.url)
