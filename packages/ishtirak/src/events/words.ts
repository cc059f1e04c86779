// The texts of events, beside this file.
import { addWords } from '../i18n/words.js'
import type en from './words.en.json'

declare module '../i18n/words.js' {
  interface Texts {
    readonly events: typeof en
  }
}

export const eventsWords = addWords<'events'>(import.meta.url)
