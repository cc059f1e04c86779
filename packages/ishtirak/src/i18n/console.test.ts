import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { LOCALES } from '../core/locale.js'
import { isConsoleKey } from './console.js'
import { addWords, textOf } from './words.js'

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
