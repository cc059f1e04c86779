// The texts of mail, beside this file.
import { addWords } from '../i18n/words.js'
import type en from './words.en.json'

declare module '../i18n/words.js' {
  interface Words {
    readonly mail: typeof en
  }
}

export const words = addWords<'mail'>(import.meta.url)
