// Texts are there once their folder is loaded, and those of the console are used somewhere.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { CONSOLE_TEXTS } from '../../../../test/support/all-words.js'
import { LOCALES } from '../core/locale.js'
import { isConsoleKey } from './console.js'
import { addWords, textOf } from './words.js'

const source = path.resolve(import.meta.dirname, '..')
const keys = Object.keys(CONSOLE_TEXTS.en)

it('a text is there once its folder is loaded, and no other folder may have its key', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'ishtirak-words-'))
  for (const locale of LOCALES) {
    const texts = JSON.stringify({ console: { pretend_text: locale } })
    writeFileSync(path.join(folder, `words.${locale}.json`), texts)
  }
  const beside = pathToFileURL(path.join(folder, 'words.js')).href
  expect(isConsoleKey('pretend_text')).toBe(false)
  expect(() => textOf('operator', 'en', 'pretend_text')).toThrow('there is no text pretend_text')
  addWords(beside)
  expect(isConsoleKey('pretend_text')).toBe(true)
  expect(textOf('operator', 'fr', 'pretend_text')).toBe('fr')
  expect(() => addWords(beside)).toThrow('two texts have the key pretend_text')
  rmSync(folder, { recursive: true })
})

it('every text is used; those of statuses and roles are named by them', () => {
  const sources = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => readFileSync(path.join(source, name), 'utf8'))
  // Those of codes are held against the codes by the types of pages/console-words.ts, or begin with a text.
  const begun = sources.flatMap((text) =>
    [...text.matchAll(/`(\w+_)\$\{|codeInWords\(\w+, '(\w+)'/g)].map(([, word, code]) => word ?? `${code}_`),
  )
  const isUsed = (key: string) =>
    /^(entry|status|role|signedInBy|act|text|kind|next|finding|verdict|state|endpoint|refused)_/.test(key) ||
    /^(did|source|outcome|event|mail|mailed|differing|disabled|way|job|subject|time)_/.test(key) ||
    begun.some((word) => key.startsWith(word)) ||
    sources.some((text) => new RegExp(`\\b${key.replace(/^(check|remedy)_/, '')}\\b`).test(text))
  expect(keys.filter((key) => !isUsed(key))).toEqual([])
})
