// All texts by key. Every folder with texts has them in `words.{ar,fr,en}.json`, in sections; they are read
// here, when the service starts. Data is inserted by name: `{plan}`.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { byLocale, type Locale } from '../core/locale.js'
import type shared from './words.en.json'

/** The texts by folder. `main/capabilities.ts` adds all folders, so the compiler checks every key. */
export interface Texts {
  readonly i18n: typeof shared
}

export type KeyOf<Section extends string> = {
  [Folder in keyof Texts]: {
    [Each in Section & keyof Texts[Folder]]: keyof Texts[Folder][Each]
  }[Section & keyof Texts[Folder]]
}[keyof Texts]

/** Users and operators have separate keys: `receipt` is one text for users, another for operators. */
type Reader = 'user' | 'operator'

/** The readers of each section. Other sections, such as the labels of a receipt, are used directly. */
const READERS: Readonly<Record<string, Reader | undefined>> = {
  ...{ page: 'user', portal: 'user', mail: 'user', console: 'operator' },
}

/** The texts as they are shown: typeset once when they are added. */
const noTexts = () => byLocale(() => new Map<string, string>())
const TEXTS = { user: noTexts(), operator: noTexts() }

/** The folder that has all folders of the service. */
const SOURCE = new URL('../', import.meta.url)

const folders = new Map(
  readdirSync(SOURCE)
    .filter((folder) => existsSync(new URL(`${folder}/words.en.json`, SOURCE)))
    .map((folder) => [folder, addTextsIn(new URL(`${folder}/`, SOURCE))]),
)

/** The texts of one folder, as they are in its files. */
export function textsOfFolder<Folder extends keyof Texts>(
  folder: Folder,
): Readonly<Record<Locale, Texts[Folder]>> {
  const texts = folders.get(folder)
  if (!texts) throw new Error(`the folder ${folder} has no texts`)
  // The compiler has read the same files.
  return texts as Readonly<Record<Locale, Texts[Folder]>>
}

/** The texts of frames, payment methods, errors, and those of several capabilities. */
export const CATALOGS = textsOfFolder('i18n')

/** Adds the texts of `folder`, whose address ends with a slash, and returns them as they are in the files. */
export function addTextsIn(folder: URL): Readonly<Record<Locale, unknown>> {
  return byLocale((locale) => {
    const file = new URL(`words.${locale}.json`, folder)
    const words: object = JSON.parse(readFileSync(file, 'utf8'))
    for (const [section, texts] of Object.entries(words)) {
      const reader = READERS[section]
      if (reader) addTexts(TEXTS[reader][locale], texts, locale)
    }
    return words
  })
}

/** Throws if another folder has the key: one text would replace the other. */
function addTexts(known: Map<string, string>, texts: Readonly<Record<string, string>>, locale: Locale): void {
  for (const [key, text] of Object.entries(texts)) {
    if (known.has(key)) throw new Error(`two texts have the key ${key}`)
    known.set(key, typeset(text, locale))
  }
}

/** Throws if there is no such text, which is a bug of the caller. */
export function textOf(reader: Reader, locale: Locale, key: string): string {
  const text = TEXTS[reader][locale].get(key)
  if (text === undefined) throw new Error(`there is no text ${key}`)
  return text
}

export function hasText(reader: Reader, key: string): boolean {
  return TEXTS[reader].en.has(key)
}

export function keysWith(reader: Reader, beginning: string): string[] {
  return [...TEXTS[reader].en.keys()].flatMap((key) =>
    key.startsWith(beginning) ? [key.slice(beginning.length)] : [],
  )
}

/** Keeps a figure and its unit on one line, also `n° {number}`, and in French a mark and its word. */
function typeset(sentence: string, locale: Locale): string {
  const whole = sentence
    .replace(/(\d) (?=\p{L})/gu, '$1\u00a0')
    .replace(/(\}) (?=(s|ث)(?!\p{L}))/gu, '$1\u00a0')
    .replace(/([nN]°) /g, '$1\u00a0')
  return locale === 'fr' ? whole.replace(/ ([:;!?])/g, '\u00a0$1') : whole
}
