import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { byLocale, type Locale } from '../../packages/ishtirak/src/core/locale.js'

const source = path.resolve(import.meta.dirname, '../../packages/ishtirak/src')

type Sections = Readonly<Record<string, Readonly<Record<string, string>>>>

export const FOLDERS = readdirSync(source).filter((name) =>
  existsSync(path.join(source, name, 'words.en.json')),
)

/** Returns the sections of one folder. Refusals are left out, because each has two texts. */
export function sectionsOf(folder: string, locale: Locale): Sections {
  const { error: _, ...sections } = JSON.parse(
    readFileSync(path.join(source, folder, `words.${locale}.json`), 'utf8'),
  )
  return sections
}

export function textsOf(section: string, locale: Locale): Readonly<Record<string, string>> {
  return Object.fromEntries(
    FOLDERS.flatMap((folder) => Object.entries(sectionsOf(folder, locale)[section] ?? {})),
  )
}

export const CONSOLE_TEXTS = byLocale((locale) => textsOf('console', locale))
