// The texts of transfers, beside this file.
import { addWords } from '../i18n/words.js'
import type en from './words.en.json'

declare module '../i18n/words.js' {
  interface Words {
    readonly transfers: typeof en
  }
}

export const words = addWords<'transfers'>(import.meta.url)
