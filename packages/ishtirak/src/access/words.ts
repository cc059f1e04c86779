// The texts of access, beside this file.
import { addWords } from '../i18n/words.js'
import type en from './words.en.json'

declare module '../i18n/words.js' {
  interface Words {
    readonly access: typeof en
  }
}

export const words = addWords<'access'>(import.meta.url)
