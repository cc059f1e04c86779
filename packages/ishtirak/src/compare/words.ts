// The texts of compare, beside this file.
import { addWords } from '../i18n/words.js'
import type en from './words.en.json'

declare module '../i18n/words.js' {
  interface Words {
    readonly compare: typeof en
  }
}

export const words = addWords<'compare'>(import.meta.url)
