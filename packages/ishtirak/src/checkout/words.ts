// The texts of checkout, beside this file.
import { addWords } from '../i18n/words.js'
import type en from './words.en.json'

declare module '../i18n/words.js' {
  interface Words {
    readonly checkout: typeof en
  }
}

export const words = addWords<'checkout'>(import.meta.url)
