// The texts of grants, beside this file.
import { addWords } from '../i18n/words.js'
import type en from './words.en.json'

declare module '../i18n/words.js' {
  interface Texts {
    readonly grants: typeof en
  }
}

export const grantsWords = addWords<'grants'>(import.meta.url)
